"""Until what was perceived can be recalled: triage, index and embed it here and now, or watch those who do."""

from __future__ import annotations

from dataclasses import dataclass

import anyio

from thoth_substrate.cli.progress import Bars
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.model.ports import Embedder
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.settings import Settings
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage
from thoth_substrate.views.agents import agents
from thoth_substrate.views.summary import Holdings, holdings

LOOK_AGAIN_S = 0.2
PATIENCE_LOOKS = 150  # thirty seconds in which nothing moves at all


@dataclass(frozen=True, slots=True)
class Settled:
    """What still waits of the tenant, and why no more vectors were made (empty when all were)."""

    left: Holdings
    why: str = ""


async def settle(db: Database, settings: Settings, embedder: Embedder | None, tenant_id: str, bars: Bars) -> Settled:
    """Work until nothing of `tenant_id` waits or nothing more can be done now. Safe to interrupt, and beside other workers."""
    left = await _make_searchable(db, settings, tenant_id, bars)
    if embedder is None or not left.unembedded:
        return Settled(left)
    if any(agent.agent == "embedder" and agent.holder for agent in await agents(db)):
        return Settled(await _watch(db, tenant_id, bars))
    return await _embed(db, settings, embedder, tenant_id, bars)


async def calibrate(db: Database, embedder: Embedder | None, bars: Bars) -> None:
    """See what asking in vain looks like here, if there is enough to tell, so that the next recall can say nothing. Seconds."""
    bars.move("calibrating", 0, None)
    await Calibrator(embedder).run(db)


async def _make_searchable(db: Database, settings: Settings, tenant_id: str, bars: Bars) -> Holdings:
    left = await holdings(db, tenant_id)
    total, done, idle = left.pending + left.unindexed, 0, 0
    while (left.pending or left.unindexed) and idle < PATIENCE_LOOKS:
        passed = await triage(db, limit_rows=settings.triage_batch_rows, defence=settings.sentinel_defense)
        indexed = await index(db, limit_rows=settings.index_batch_rows)
        done += indexed.slices + indexed.skipped
        bars.move("indexing", min(done, total), total)
        if passed.passed or passed.quarantined or indexed.slices or indexed.skipped:
            idle = 0
            continue
        # Nothing moved: all is done, or another process holds the rest. Counting a long queue at every step would cost more.
        left = await holdings(db, tenant_id)
        if left.pending or left.unindexed:
            idle += 1
            await anyio.sleep(LOOK_AGAIN_S)
    return left


async def _embed(db: Database, settings: Settings, embedder: Embedder, tenant_id: str, bars: Bars) -> Settled:
    total, done = (await holdings(db, tenant_id)).unembedded, 0
    while True:
        report = await backfill(db, embedder, limit_rows=settings.embed_batch_rows)
        done += report.embedded + report.dropped
        bars.move("embedding", min(done, total), total)
        if report.paused or not (report.embedded or report.dropped):
            break
    left = await holdings(db, tenant_id)
    if left.unembedded and not report.paused:
        return Settled(left, "what is left has failed and is tried again later; `thoth substrate embed status` says why.")
    return Settled(left, report.paused or "")


async def _watch(db: Database, tenant_id: str, bars: Bars) -> Holdings:
    left = await holdings(db, tenant_id)
    total, idle = left.unembedded, 0
    while left.unembedded and idle < PATIENCE_LOOKS:
        bars.move("embedding", total - left.unembedded, total)
        await anyio.sleep(LOOK_AGAIN_S)
        now = await holdings(db, tenant_id)
        idle = idle + 1 if now.unembedded == left.unembedded else 0
        left = now
    return left
