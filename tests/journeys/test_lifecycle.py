"""A memory's whole life, by a pinned clock: perceived, found, fading, used, pinned, forgotten, released, gone with its month."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from tests.fade.support import TENANT, consolidated
from tests.perceive.support import flushed, said, settings
from thoth_substrate.db.months import months
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin, unpin
from thoth_substrate.fade.reinforce import reinforce
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.perceive import streams
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.views.audit import verify
from thoth_substrate.views.show import portrait
from thoth_workers.supervisor import Supervisor

TOOL = "thoth.self_action.tool_result"
AHEAD_OF_NOVEMBER = date(2026, 12, 1), date(2027, 1, 1), date(2027, 2, 1)


async def test_a_memory_is_perceived_fades_is_released_and_goes_with_its_month(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, tmp_path: Path
) -> None:
    life = Life(db, sql, clock, tmp_path)
    await streams.register(db)

    # 15 May: four things are perceived and can be found.
    move, cat, secret, reading = await life.perceive(
        said("We moved to Lisbon in spring."), said("The cat is called Ada."), said("My locker opens with 8731."),
        said({"temperature": 21.5}, stream=TOOL),
    )  # fmt: skip
    await life.tick("partitions", "sentinel")
    assert await life.passages() == {move, cat, secret, reading}
    assert [await life.salience(each) for each in (move, reading)] == [1.0, 1.0]

    # 29 May: a half-life later one of them is used, one pinned, one forgotten.
    clock.advance(timedelta(days=14))
    assert [await life.salience(each) for each in (move, reading)] == [0.5, 0.008]
    assert await reinforce(db, TENANT, [move], "used") == 1
    assert await life.salience(move) == 0.6
    await pin(db, TENANT, cat)
    await forget(db, TENANT, secret)
    assert await life.passages() == {move, cat, reading}
    assert (await life.text(secret), await life.state(secret)) == ("My locker opens with 8731.", "unconsolidated")
    await life.tick("curator")
    assert (await life.text(secret), await life.state(secret)) == ("", "released")

    # 20 July: what has faded stays, because nothing was promoted from it; then something is, and it goes.
    clock.advance(timedelta(days=52))
    await life.tick("curator")
    assert await life.passages() == {move, cat, reading}
    consolidated(sql, [move, reading])
    await life.tick("curator")
    assert await life.passages() == {cat}
    tombstone = (await portrait(db, TENANT, move)).slice
    assert (tombstone.text, tombstone.actor, tombstone.metadata, tombstone.payload, tombstone.salience) == (
        "",
        "",
        {},
        None,
        None,
    )
    assert (tombstone.event_time, tombstone.released_at) == (datetime(2026, 5, 15, 12, tzinfo=UTC), clock.now())
    assert len(tombstone.content_hash) == 64

    # 1 September: the pinned one is as present as ever, and alone keeps its month; what the diary had to say in May has expired.
    clock.advance(timedelta(days=43))
    await life.tick("curator", "partitions")
    assert (await life.text(cat), await life.salience(cat)) == ("The cat is called Ada.", 1.0)
    assert date(2026, 5, 1) in await life.months()
    verdict = await verify(db, TENANT)
    assert (verdict.well, verdict.purged > 0, verdict.months_dropped) == (True, True, 0)

    # 2 November: unpinned and promoted, it fades from then on; its month is detached and dropped, and so are those after it
    # in which nothing lives. September stays for what the diary has to say of it.
    await unpin(db, TENANT, cat)
    consolidated(sql, [cat])
    clock.advance(timedelta(days=62))
    await life.tick("curator", "partitions")
    assert await life.months() == [date(2026, 9, 1), date(2026, 11, 1), *AHEAD_OF_NOVEMBER]
    assert life.count("substrate_salience") == life.count("substrate_passages") == life.count("substrate_postings") == 0
    verdict = await verify(db, TENANT)
    assert verdict.well, verdict.sentence
    assert "2 dropped months bridged by their anchors" in verdict.sentence


class Life:
    """What the story needs: to perceive, to let workers tick, and to look."""

    def __init__(self, db: Database, sql: psycopg.Connection, clock: PinnedClock, home: Path) -> None:
        self._db, self._sql = db, sql
        self._perceiver = Perceiver(settings(home), clock)
        self._workers = Supervisor(settings(home), db, None, clock)

    async def perceive(self, *events: Any) -> list[UUID]:
        acks = [self._perceiver.perceive(event) for event in events]
        await flushed(self._perceiver, self._db)
        self._perceiver.close()
        return [ack.slice_id for ack in acks if ack.slice_id]

    async def tick(self, *workers: str) -> None:
        for worker in workers:
            turn = await self._workers.run_once(worker)
            assert turn.report is not None, turn

    async def salience(self, slice_id: UUID) -> float:
        level = (await portrait(self._db, TENANT, slice_id)).slice.salience
        assert level is not None
        return round(level, 3)

    async def text(self, slice_id: UUID) -> str:
        return (await portrait(self._db, TENANT, slice_id)).slice.text

    async def state(self, slice_id: UUID) -> str:
        return (await portrait(self._db, TENANT, slice_id)).slice.consolidation_state

    async def passages(self) -> set[UUID]:
        return {row[0] for row in self._sql.execute("select slice_id from thoth.substrate_passages")}

    async def months(self) -> list[Any]:
        return [month.first for month in await months(self._db) if month.parent == "substrate_slices"]

    def count(self, table: str) -> int:
        row = self._sql.execute(f"select count(*) from thoth.{table}".encode()).fetchone()
        assert row is not None
        return int(row[0])
