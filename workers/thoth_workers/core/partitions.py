"""Partition maintenance: months ahead are made, months gone are dropped. At once when a process starts, then daily."""

from __future__ import annotations

from datetime import timedelta
from operator import attrgetter

from thoth_substrate.fade.months import maintain
from thoth_workers.worker import Context, Report, Worker

HELD_UP = timedelta(minutes=10)


async def tick(context: Context) -> Report:
    """One look at every month. What readers or an index build hold up is tried again soon."""
    done = await maintain(context.database, context.clock)
    detail = {
        "made": done.made,
        "expired_slices": done.expired_slices,
        "dropped": list(done.dropped),
        "waiting": list(done.waiting),
    }
    did = done.made + done.expired_slices + len(done.dropped)
    return Report(did, detail, HELD_UP if done.waiting else None)


PARTITIONS = Worker("partitions", timedelta(hours=24), timedelta(minutes=10), tick, attrgetter("partitions"))
