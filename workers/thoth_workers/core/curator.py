"""The Curator: what has faded or was forgotten is released, topics whose time is over go, and floors are calibrated else.

Changes of memories that were cut off half-way are finished as well: nobody else may come by for a long time.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from operator import attrgetter
from typing import Any

from thoth_substrate.awareness.expire import expire
from thoth_substrate.fade.release import Released, release
from thoth_substrate.keep import finish_cut_off
from thoth_workers.worker import Context, Report, Worker


async def tick(context: Context) -> Report:
    """One batch of what is due, told to each tenant's own diary; else a few tenants' floors. And what is left to tidy up."""
    expired = await expire(context.database)
    limit = context.rows(context.settings.release_batch_rows)
    report = await release(context.database, limit_rows=limit)
    calibrated = await context.calibrate(context.database) if context.calibrate and not report.due else 0
    finished = await finish_cut_off(context.database)  # last: one that cannot be finished keeps nothing else from its turn
    tidied = {what: number for what, number in (("concepts_expired", expired), ("changes_finished", finished)) if number}
    if report.due:
        shares = {tenant_id: _share(part) for tenant_id, part in report.by_tenant.items() if part.slices or part.postponed}
        did = sum(share["did"] for share in shares.values())
        told = {"due": report.due, "released": report.released, **tidied}
        return Report(did, told, context.again(report.due >= limit), shares)
    return Report(calibrated + expired + finished, {"floors_calibrated": calibrated, **tidied})


def _share(part: Released) -> dict[str, Any]:
    return {"did": part.slices + part.postponed, **{key: value for key, value in asdict(part).items() if value}}


CURATOR = Worker("curator", timedelta(seconds=5), timedelta(minutes=2), tick, attrgetter("curator"))
