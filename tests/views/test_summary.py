"""A tenant at a glance."""

from __future__ import annotations

from datetime import timedelta

import psycopg

from tests.views.plans import plan, scanned
from tests.views.seed import CLI, TOOLS, a_slice, many_slices
from thoth_substrate.db.pool import Database
from thoth_substrate.views import summary


async def test_an_empty_memory_is_summed_up_without_errors(db: Database) -> None:
    found = await summary.summary(db, "default")
    assert (found.slices, found.streams, found.first_seen, found.last_event) == (0, {}, None, None)
    assert found.settled


async def test_slices_are_counted_by_stream_and_state(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    a_slice(seeded, now - timedelta(days=40))
    a_slice(seeded, now - timedelta(minutes=1), triage="pending", event_time=now - timedelta(days=900))
    a_slice(seeded, now, stream=TOOLS, triage="quarantined", pinned=True)
    a_slice(seeded, now, tenant="other")
    found = await summary.summary(db, "default")
    assert found.streams == {CLI: 2, TOOLS: 1}
    assert found.triage == {"passed": 1, "pending": 1, "quarantined": 1}
    assert (found.pending, found.pinned, found.last_perceived) == (1, 1, now)
    assert not found.settled


async def test_every_registered_stream_is_listed_also_the_silent_ones(db: Database, seeded: psycopg.Connection) -> None:
    a_slice(seeded, db.clock.now(), triage="quarantined")
    found = {line.stream: line for line in await summary.streams(db, "default")}
    assert (found[CLI].slices, found[CLI].quarantined, found[CLI].last_event) == (1, 1, db.clock.now())
    assert (found[TOOLS].slices, found[TOOLS].last_event) == (0, None)


async def test_counting_reads_the_tenants_own_rows_only(db: Database, seeded: psycopg.Connection) -> None:
    many_slices(seeded, db.clock.now(), tenant="big")
    a_slice(seeded, db.clock.now())
    seeded.execute("analyze thoth.substrate_slices")
    root = await plan(db, "default", summary._COUNTS, "default")
    assert not scanned(root, "substrate_slices")
