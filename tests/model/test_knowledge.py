"""Sources and proposals survive their way through the diary as JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import orjson

from thoth_substrate.model.knowledge import (
    DigestProposal,
    EntityProposal,
    Promoted,
    Proposals,
    Quote,
    RelationshipProposal,
    Source,
    Span,
    VerdictProposal,
    from_json,
    to_json,
)

ONE = UUID("01900000-0000-7000-8000-000000000001")
AT = datetime(2023, 7, 13, 12, 45, tzinfo=timezone(timedelta(hours=8)))
QUOTES = (Quote(ONE, "Maya lives in 札幌"),)


def test_proposals_come_back_from_json_as_they_were() -> None:
    proposals = Proposals(
        (EntityProposal("Maya", "person", ("Мая", "マヤ"), "A baker.", 0.9, QUOTES),),
        (
            RelationshipProposal("Maya", "lives_in", "札幌", quotes=QUOTES, valid_from=AT, functional=True),
            RelationshipProposal("Maya", "age", "41", object_is_entity=False, negated=True, ends=True, corrects=True),
        ),
        (DigestProposal(ONE, 0.75, ("home",), "Where Maya lives."),),
        (VerdictProposal(ONE, 0, "nothing", "small talk"),),
    )
    assert from_json(Proposals, orjson.loads(orjson.dumps(to_json(proposals)))) == proposals


def test_sources_come_back_with_their_passages_and_their_offsets() -> None:
    source = Source(ONE, "thoth.world.file", "s1", "maya", AT, 0.5, "00ff", "a text", (Span(0, 0, 6), Span(1, 4, 9)))
    back = from_json(Source, orjson.loads(orjson.dumps(to_json(source))))
    assert back == source
    assert back.event_time.utcoffset() == timedelta(hours=8)


def test_what_was_promoted_comes_back_too() -> None:
    promoted = Promoted(1, 2, 3, 4, 5, 6, (ONE,), (), (ONE,), {"entities": [7]})
    assert from_json(Promoted, orjson.loads(orjson.dumps(to_json(promoted)))) == promoted


def test_a_field_that_an_older_entry_lacks_takes_its_default() -> None:
    assert from_json(EntityProposal, {"name": "Maya"}) == EntityProposal("Maya")
    assert from_json(RelationshipProposal, {"subject": "a", "predicate": "b", "object": "c"}).valid_from is None
    assert datetime.fromisoformat(to_json(AT)).astimezone(UTC) == AT
