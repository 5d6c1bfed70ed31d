"""Triage, indexing, embedding and forgetting at once, on overlapping slices: nothing deadlocks, nothing is left over."""

from __future__ import annotations

from uuid import UUID

import anyio
import psycopg

from tests.embed.conftest import Make
from tests.embed.test_backfill import vectors_agree
from tests.support import Said, count, index_agrees, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.embed.models import ensure_model
from thoth_substrate.fade.forget import forget
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage


async def test_what_is_forgotten_on_its_way_through_the_queues_is_nowhere_in_the_end(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, make: Make
) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders (deadlock)."""
    said = [
        Said(f"Turn {n} tells of the harbour, the mill and lot {n % 7}.", session=f"s{n % 3}", tenant=f"t{n % 2}")
        for n in range(240)
    ]
    ids = perceived(sql, clock.now(), said)
    doomed = ids[::3]
    await ensure_model(db, make())

    async def sentinel(defence: bool) -> None:
        for _ in range(30):
            await triage(db, limit_rows=12, defence=defence)
            await index(db, limit_rows=12)

    async def embedder() -> None:
        for _ in range(30):
            await backfill(db, make(), limit_rows=12)

    async def forgetter(some: list[UUID]) -> None:
        for slice_id in some:
            await forget(db, f"t{ids.index(slice_id) % 2}", slice_id)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as group:
            group.start_soon(sentinel, False)
            group.start_soon(sentinel, True)
            group.start_soon(embedder)
            group.start_soon(forgetter, doomed[: len(doomed) // 2])
            group.start_soon(forgetter, doomed[: len(doomed) // 3 - 1 : -1])
    for _ in range(40):
        await triage(db, limit_rows=50, defence=False)
        await index(db, limit_rows=50)
        await backfill(db, make(), limit_rows=50)
    queues = ("substrate_pending", "substrate_unindexed", "substrate_unembedded")
    assert [count(sql, queue) for queue in queues] == [0, 0, 0]
    left = {row[0] for row in sql.execute("select distinct slice_id from thoth.substrate_passages")}
    assert left == set(ids) - set(doomed)
    index_agrees(sql)
    vectors_agree(sql)
