"""The Sentinel: what was perceived passes triage and becomes searchable, five times a second."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from operator import attrgetter

from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage
from thoth_workers.worker import Context, Report, Worker


async def tick(context: Context) -> Report:
    """One batch of triage and one of indexing, the smaller since indexing costs more: it follows in its own time."""
    settings, database = context.settings, context.database
    triaged = await triage(
        database, limit_rows=context.rows(settings.triage_batch_rows), defence=settings.sentinel_defense
    )  # fmt: skip
    indexed = await index(database, limit_rows=context.rows(settings.index_batch_rows))
    did = triaged.passed + triaged.quarantined + indexed.passages + indexed.skipped
    return Report(did, {"triage": asdict(triaged), "index": asdict(indexed)}, context.again(did > 0))


SENTINEL = Worker("sentinel", timedelta(milliseconds=200), timedelta(seconds=30), tick, attrgetter("sentinel"))
