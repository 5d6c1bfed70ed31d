"""Lists of slices, one slice wholly, and what waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.views.plans import nodes, plan, scanned
from tests.views.seed import CLI, TOOLS, a_passage, a_recall, a_slice, many_slices
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownSlice
from thoth_substrate.views import pending, show, slices

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


async def test_the_newest_come_first_across_months(db: Database, seeded: psycopg.Connection) -> None:
    old = a_slice(seeded, db.clock.now() - timedelta(days=40), "old")
    new = a_slice(seeded, db.clock.now(), "new")
    assert [line.slice_id for line in await slices.slices(db, "default")] == [new, old]
    assert [line.excerpt for line in await slices.slices(db, "default", limit_rows=1)] == ["new"]


async def test_stream_session_and_since_narrow_the_list(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    a_slice(seeded, now - timedelta(days=2), "two days", session="a")
    a_slice(seeded, now - timedelta(hours=1), "an hour", session="b", stream=TOOLS)
    a_slice(seeded, now, "theirs", tenant="other")

    async def texts(**filters: object) -> list[str]:
        return [line.excerpt for line in await slices.slices(db, "default", **filters)]  # type: ignore[arg-type]

    assert await texts(stream=CLI) == ["two days"]
    assert await texts(session="b") == ["an hour"]
    assert await texts(session="b", stream=CLI) == []
    assert await texts(since=now - timedelta(days=1)) == ["an hour"]
    assert await texts(session="a", since=now - timedelta(days=1)) == []
    assert await texts(stream="no.such") == []


async def test_a_conversation_is_listed_by_when_it_happened(db: Database, seeded: psycopg.Connection) -> None:
    """faults: history added out of order"""
    now = db.clock.now()
    later = a_slice(seeded, now, "later", event_time=now - timedelta(days=1))
    earlier = a_slice(seeded, now + timedelta(seconds=1), "earlier", event_time=now - timedelta(days=900))
    assert [line.slice_id for line in await slices.slices(db, "default", session="s1")] == [later, earlier]


async def test_salience_is_computed_as_it_is_read(db: Database, seeded: psycopg.Connection) -> None:
    a_slice(seeded, db.clock.now() - timedelta(days=14))
    a_slice(seeded, db.clock.now() + timedelta(hours=1), "from a host whose clock is fast")
    ahead, halved = await slices.slices(db, "default")
    assert (ahead.salience, round(halved.salience, 3)) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("text", "at"),
    [("30min", NOW - timedelta(minutes=30)), ("30m", NOW - timedelta(minutes=30)), ("2h", NOW - timedelta(hours=2)),
     ("7d", NOW - timedelta(days=7)), ("1W", NOW - timedelta(days=7)), ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
     ("2026-05-01T02:00+02:00", datetime(2026, 5, 1, tzinfo=UTC)), ("2026-05-01T00:00Z", datetime(2026, 5, 1, tzinfo=UTC))],
)  # fmt: skip
def test_since_is_a_span_or_a_date(text: str, at: datetime) -> None:
    assert slices.since(text, NOW) == at


@pytest.mark.parametrize("text", ["", "yesterday", "999999w", "-3d", "2026-13-01", "3 fortnights"])
def test_what_is_neither_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput, match="neither a span"):
        slices.since(text, NOW)


async def test_one_slice_is_shown_with_all_that_was_made_of_it(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now() - timedelta(days=14), "héllo \U0001f600", pinned=True)
    passage = a_passage(seeded, one, "héllo \U0001f600")
    seeded.execute(
        "insert into thoth.substrate_embedding_models (model, dimensions, centre) values ('m', 8, '{}'), ('unused', 8, '{}')"
    )
    seeded.execute(
        "insert into thoth.substrate_passage_vectors values"
        " ('default', %s, 'turn', 'm', '[1,2,3,4,5,6,7,8]', repeat('0', 1536)::bit(1536))",
        [passage],
    )
    a_recall(seeded, db.clock.now() - timedelta(hours=1), "who?", [("101", one)])
    a_recall(seeded, db.clock.now(), "what?", [("101", one)])
    a_recall(seeded, db.clock.now(), "nothing", empty="below_floor")
    seeded.execute(
        "insert into thoth.substrate_salience_events values ('default', %s, %s, 'surfaced', 1, '14 days')", [one, db.clock.now()]
    )
    found = await show.portrait(db, "default", one)
    assert (found.slice.text, found.slice.pinned, found.slice.profile) == ("héllo \U0001f600", True, "default-text")
    assert found.slice.salience == 1.0  # pinned: its anchor holds, however old
    assert [(line.passage_no, line.char_end, line.models) for line in found.passages] == [(0, 7, ["m"])]
    assert (found.recalled.shown, found.recalled.last_shown, found.recalled.surfaced) == (2, db.clock.now(), 1)


async def test_an_unknown_or_foreign_slice_is_not_shown(db: Database, seeded: psycopg.Connection) -> None:
    theirs = a_slice(seeded, db.clock.now(), tenant="other")
    for one in (theirs, uuid4(), UUID(int=2**128 - 1)):
        with pytest.raises(UnknownSlice, match="thoth substrate slices"):
            await show.portrait(db, "default", one)


async def test_what_waits_longest_is_listed_first_with_its_limit(db: Database, seeded: psycopg.Connection) -> None:
    a_slice(seeded, db.clock.now() - timedelta(minutes=3), "first", triage="pending")
    a_slice(seeded, db.clock.now() - timedelta(minutes=1), "second", triage="pending")
    a_slice(seeded, db.clock.now(), "passed")
    lines = await pending.pending(db, "default")
    assert [(line.excerpt, line.waited, line.ttl) for line in lines] == [
        ("first", timedelta(minutes=3), timedelta(minutes=5)),
        ("second", timedelta(minutes=1), timedelta(minutes=5)),
    ]


async def test_no_list_of_slices_scans_or_sorts_a_tenants_history(db: Database, seeded: psycopg.Connection) -> None:
    many_slices(seeded, db.clock.now())
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    newest = await plan(db, "default", slices._NEWEST, "default", None, epoch, 20)
    session = await plan(db, "default", slices._OF_SESSION, "default", "s1", None, epoch, 20)
    one = await plan(db, "default", show._SLICE, "default", uuid4(), db.clock.now())
    for root in (newest, session, one):
        assert not scanned(root, "substrate_slices")
    assert not [node for node in nodes(newest) if node["Node Type"] == "Sort"]
    assert "Append" not in str(one)
