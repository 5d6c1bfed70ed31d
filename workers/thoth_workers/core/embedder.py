"""The embedder: passages get their vectors, a batch after another while any wait."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from operator import attrgetter

from thoth_substrate.embed.backfill import backfill
from thoth_workers.worker import Context, Report, Worker

NO_MODEL = timedelta(minutes=1)  # a process without an embedder gets none later: only its heartbeat is wanted


async def tick(context: Context) -> Report:
    """One batch, if there is an embedder. A provider that is away says when to try again."""
    if context.embedder is None:
        return Report(next_in=NO_MODEL)
    done = await backfill(context.database, context.embedder, limit_rows=context.rows(context.settings.embed_batch_rows))
    did = done.embedded + done.failed + done.dropped
    detail = {key: value for key, value in asdict(done).items() if key != "retry_in" and value is not None}
    return Report(did, detail, done.retry_in if done.paused else context.again(did > 0))


EMBEDDER = Worker("embedder", timedelta(milliseconds=500), timedelta(minutes=5), tick, attrgetter("embedder"))
