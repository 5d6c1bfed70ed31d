"""Change over to another model: switch, queue every passage again, embed, and delete the old vectors. And: try again.

Each part works in bounded batches and can be killed and run again: what it has done is seen in the tables. While it
runs recall searches the vectors that the new model has made so far, and by keyword.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.embed.backfill import EmbedReport, backfill
from thoth_substrate.embed.models import MODEL_LOCK, register
from thoth_substrate.model.ports import Embedder

QUEUE_ROWS = 5000
TIDY_ROWS = 2000


@dataclass(frozen=True, slots=True)
class EmbedProgress:
    """How far all tenants together are with the active model, as counts of passages. `old_vectors`: of other models.

    `paused` says why embedding cannot go on now, and `retry_in` when it is worth trying again.
    """

    model: str | None
    passages: int
    embedded: int
    waiting: int
    given_up: int
    old_vectors: int
    paused: str | None = None
    retry_in: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    model: str | None
    passages: int
    embedded: int
    waiting: int
    given_up: int
    old_vectors: int


@dataclass(frozen=True, slots=True)
class TenantId:
    tenant_id: str


@dataclass(frozen=True, slots=True)
class Requeued:
    """The last passage looked at (None: there are no more), and how many were queued."""

    last_id: int | None
    queued: int


@dataclass(frozen=True, slots=True)
class Tidied:
    vectors: int


_SWITCH_OFF: Query[None] = query(__package__, "model_deactivate")
_SWITCH_ON: Query[None] = query(__package__, "model_activate")
_PROGRESS = query(__package__, "progress", Progress)
_TENANTS = query(__package__, "tenants", TenantId)
_REQUEUE = query(__package__, "requeue", Requeued)
_OLD = query(__package__, "old_tenants", TenantId)
_TIDY = query(__package__, "tidy", Tidied)
_RETRY: Query[None] = query(__package__, "retry")


async def reembed(
    db: Database, embedder: Embedder, *, batch_rows: int = 64, tell: Callable[[EmbedProgress], None] = lambda _: None
) -> EmbedProgress:
    """Make the embedder's model the active one and give every passage its vectors anew. Resumable.

    `tell` hears of the progress after each batch. When the provider fails it stops and says so in `paused`: what was done
    stays, and the worker, or running it again, goes on from there. Raises EmbeddingError if the model cannot be registered.
    """
    await switch(db, embedder)
    for tenant_id in await _tenants(db):
        await queue_again(db, tenant_id)
    report = EmbedReport()
    while (now := await progress(db)).waiting and not report.paused:
        report = await backfill(db, embedder, limit_rows=batch_rows)
        tell(await progress(db))
        if not (report.embedded or report.dropped or report.paused):
            break  # what is left has failed and waits for its next attempt
    while not report.paused and await tidy(db):
        pass
    now = await progress(db)
    return EmbedProgress(
        now.model, now.passages, now.embedded, now.waiting, now.given_up, now.old_vectors, report.paused, report.retry_in
    )  # fmt: skip


async def switch(db: Database, embedder: Embedder) -> None:
    """Register the embedder's model unless it is, and make it the active one. Raises EmbeddingError."""
    await register(db, embedder)
    async with db.worker() as tx:
        await tx.execute(MODEL_LOCK)
        await tx.execute(_SWITCH_OFF, embedder.model.name)
        await tx.execute(_SWITCH_ON, embedder.model.name)


async def queue_again(db: Database, tenant_id: str) -> int:
    """Queue a tenant's passages that have no vector of the active model, a batch a transaction; answers how many."""
    last_id: int | None = 0
    queued = 0
    while last_id is not None:
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            batch = await tx.fetch_one(_REQUEUE, tenant_id, last_id, QUEUE_ROWS)
        last_id = batch.last_id if batch else None
        queued += batch.queued if batch else 0
    return queued


async def tidy(db: Database, *, limit_rows: int = TIDY_ROWS) -> int:
    """Delete old models' vectors of one tenant that no longer waits for new ones; answers how many, 0 when all are gone."""
    async with db.worker() as tx:
        found = await tx.fetch_one(_OLD)
    if found is None:
        return 0
    async with db.tenant(found.tenant_id) as tx:
        done = await tx.fetch_one(_TIDY, found.tenant_id, limit_rows)
    return done.vectors if done else 0


async def progress(db: Database) -> EmbedProgress:
    """Counts of all tenants, from numbers that are kept as passages and vectors come and go."""
    async with db.worker() as tx:
        now = await tx.fetch_one(_PROGRESS)
    assert now is not None
    return EmbedProgress(now.model, now.passages, now.embedded, now.waiting, now.given_up, now.old_vectors)


async def retry(db: Database) -> int:
    """Let every passage that failed be tried again at once, those given up too; answers how many."""
    async with db.worker() as tx:
        return await tx.execute(_RETRY)


async def _tenants(db: Database) -> list[str]:
    async with db.worker() as tx:
        return [row.tenant_id for row in await tx.fetch(_TENANTS)]
