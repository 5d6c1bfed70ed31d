"""From words to where they were met: other forms, near spellings, and nobody else's."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.awareness.topics import STREAM, noted, topic
from thoth_substrate.awareness.keep import concept, concepts
from thoth_substrate.awareness.lookup import lookup
from thoth_substrate.awareness.note import MOST_KEYWORDS, note_by_hand
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownConcept
from thoth_substrate.model.clock import PinnedClock


async def looked(db: Database, words: str) -> list[str]:
    """The first keyword of each topic that is found, best first."""
    return [min(one.concept.keywords) for one in await lookup(db, "default", words)]


@pytest.mark.parametrize("words", ["boiler", "Boilers!", "repairing", "boyler", "landlrod", "the boiler repair"])
async def test_a_topic_is_found_by_its_words_other_forms_and_near_spellings(db: Database, words: str) -> None:
    now = db.clock.now()
    await noted(db, topic(now, "boiler repair", "landlord"), topic(now, "paella", "saffron"))
    assert await looked(db, words) == ["boiler repair"]


@pytest.mark.parametrize("words", ["", "the of", "xylophone", "caldera", "%", "' or 1=1 --"])
async def test_words_that_nobody_used_find_nothing(db: Database, words: str) -> None:
    await noted(db, topic(db.clock.now(), "boiler repair", "landlord"))
    assert await looked(db, words) == []


async def test_a_word_that_is_known_is_not_taken_for_one_that_is_spelt_alike(db: Database) -> None:
    now = db.clock.now()
    await noted(db, topic(now, "landlord"), topic(now, "landlords association", "meeting room"), topic(now, "landlor"))
    assert "landlor" not in await looked(db, "landlord")


async def test_who_has_more_of_the_words_comes_first_then_the_fresher(db: Database, clock: PinnedClock) -> None:
    await noted(db, topic(db.clock.now(), "boiler", "landlord"))
    clock.advance(timedelta(hours=1))
    await noted(db, topic(db.clock.now(), "boiler", "radiator", "valve"))
    clock.advance(timedelta(hours=1))
    await noted(db, topic(db.clock.now(), "boiler", "insurance", "policy"))
    assert await looked(db, "boiler landlord") == ["boiler", "boiler", "boiler"]
    found = await lookup(db, "default", "boiler landlord")
    assert [sorted(one.concept.keywords)[1] for one in found] == ["landlord", "insurance", "radiator"]


async def test_a_pointer_says_where_and_when(db: Database) -> None:
    now = db.clock.now()
    await noted(db, topic(now, "boiler", "landlord"))
    [found] = await lookup(db, "default", "boiler")
    [source] = found.concept.sources
    assert source.pointer == f"conversation:{STREAM}/s1@2026-05-15T11:00:00Z/2026-05-15T12:00:00Z"
    assert (source.from_time, source.to_time) == (now - timedelta(hours=1), now)


async def test_another_tenants_and_expired_topics_are_not_found(db: Database, clock: PinnedClock) -> None:
    await noted(db, topic(db.clock.now(), "boiler", "landlord", days=1))
    assert await lookup(db, "other", "boiler") == []
    clock.advance(timedelta(days=1))
    assert await lookup(db, "default", "boiler") == []
    assert await lookup(db, "default", "boyler") == []


async def test_windows_are_widened_per_source_and_keywords_united(db: Database) -> None:
    now = db.clock.now()
    await noted(db, topic(now, "boiler", "landlord", ago=timedelta(days=2)))
    done = await noted(db, topic(now, "boiler", "landlord", "ortega", sessions=("s1", "s2")))
    assert (done.made, done.extended, done.keywords) == (0, 1, 1)
    [one] = await concepts(db, "default")
    assert sorted(one.keywords) == ["boiler", "landlord", "ortega"]
    windows = {source.ref[-2:]: (source.from_time, source.to_time) for source in one.sources}
    assert windows == {
        "s1": (now - timedelta(days=2, hours=1), now), "s2": (now - timedelta(hours=1), now),
    }  # fmt: skip


async def test_an_expiry_is_extended_and_never_shortened(db: Database) -> None:
    now = db.clock.now()
    for days, expected in ((10, 10), (3, 10), (20, 20)):
        await noted(db, topic(now, "boiler", "landlord", days=days))
        [one] = await concepts(db, "default")
        assert one.expires_at == now + timedelta(days=expected)


async def test_what_had_expired_is_not_extended_but_made_anew(db: Database, clock: PinnedClock) -> None:
    await noted(db, topic(db.clock.now(), "boiler", "landlord", days=1))
    clock.advance(timedelta(days=2))
    assert (await noted(db, topic(db.clock.now(), "boiler", "landlord"))).made == 1
    assert (await noted(db, topic(db.clock.now(), "boiler", "landlord", days=-1))).past == 1


async def test_a_topic_keeps_so_many_keywords_and_no_more(db: Database) -> None:
    now = db.clock.now()
    for batch in range(20):
        await noted(db, topic(now, "boiler", "landlord", *(f"word{batch}x{n}" for n in range(3))))
    [one] = await concepts(db, "default")
    assert len(one.keywords) == MOST_KEYWORDS


async def test_what_was_met_outside_is_noted_by_hand_and_pointed_to(db: Database) -> None:
    sources = ["mail:<4711@example.org>", "channel:#ops"]
    done = await note_by_hand(db, "default", ["boiler", "landlord"], sources, timedelta(days=3))
    [found] = await lookup(db, "default", "boiler")
    assert {(source.type, source.ref) for source in found.concept.sources} == {
        ("mail", "<4711@example.org>"), ("channel", "#ops"),
    }  # fmt: skip
    assert (await concept(db, "default", done.concept_ids[0])).decision_id is None


@pytest.mark.parametrize(
    ("keywords", "sources", "days"),
    [([], [], 3), (["ボイラー"], [], 3), (["boiler"], ["nowhere"], 3), (["boiler"], [], 0), (["boiler"], [], 4000)],
)
async def test_what_cannot_be_kept_is_refused_whole(db: Database, keywords: list[str], sources: list[str], days: int) -> None:
    with pytest.raises(BadInput):
        await note_by_hand(db, "default", keywords, sources, timedelta(days=days))
    assert await concepts(db, "default") == []


async def test_a_number_of_nobody_is_said(db: Database) -> None:
    with pytest.raises(UnknownConcept, match="thoth awareness list"):
        await concept(db, "default", 4711)
