"""Force-reject: bounds the queue of what waits for triage, as long as a Sentinel is alive to take it."""

from __future__ import annotations

from datetime import timedelta
from operator import attrgetter

from thoth_substrate.triage.expire import LIMIT_ROWS, force_reject
from thoth_workers.worker import Context, Report, Worker


async def tick(context: Context) -> Report:
    """One batch of what has waited longer than its profile allows."""
    limit = context.rows(LIMIT_ROWS)
    rejected = (await force_reject(context.database, limit_rows=limit)).rejected
    return Report(rejected, {"rejected": rejected}, context.again(rejected >= limit))


FORCE_REJECT = Worker("force_reject", timedelta(seconds=10), timedelta(seconds=30), tick, attrgetter("force_reject"))
