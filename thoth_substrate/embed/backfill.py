"""Give passages their vectors: gather what is due, embed it with no connection held, store it in one transaction.

Insert-only and idempotent: a batch that is killed half-way is simply taken again. When the provider does not answer
nothing is counted against a passage; when it refuses a batch its passages are tried one by one, so that one bad one
cannot hold up the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.db.vectors import halfvecs
from thoth_substrate.embed.models import ensure_model, mismatch
from thoth_substrate.errors import EmbedderUnavailable, EmbeddingError
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.embedding import StoredModel, code
from thoth_substrate.model.passages import has_window
from thoth_substrate.model.payer import paid_by
from thoth_substrate.model.ports import Embedder, Vector

MOST_ATTEMPTS = 8
FIRST_WAIT_S = 60  # doubled with each attempt: the eighth comes after some two hours
PAUSE = timedelta(seconds=15)
SALVAGE_S = 20.0


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What one tick did, as counts of passages (and `vectors`). `dropped` had gone meanwhile.

    `paused` says why nothing more was tried (mismatch, or the provider away) and `retry_in` when to try again.
    """

    embedded: int = 0
    vectors: int = 0
    failed: int = 0
    given_up: int = 0
    dropped: int = 0
    paused: str | None = None
    retry_in: timedelta | None = None

    def __add__(self, other: EmbedReport) -> EmbedReport:
        return EmbedReport(
            self.embedded + other.embedded, self.vectors + other.vectors, self.failed + other.failed,
            self.given_up + other.given_up, self.dropped + other.dropped,
            self.paused or other.paused, self.retry_in or other.retry_in,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DuePassage:
    tenant_id: str
    passage_id: int
    attempts: int


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage's words and speaker, and those of the passage before it in its session, if there is one."""

    passage_id: int
    actor: str
    text: str
    before_actor: str | None
    before_text: str | None


@dataclass(frozen=True, slots=True)
class StoredVector:
    passage_id: int
    kind: str


@dataclass(slots=True)
class _Batch:
    """One tenant's share of a tick: what is due, its texts, and what came of them."""

    tenant_id: str
    due: dict[int, int]  # passage_id → attempts so far
    texts: dict[int, dict[str, str]] = field(default_factory=dict)  # passage_id → kind → text
    vectors: dict[int, dict[str, Vector]] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)


_DUE = query(__package__, "backfill_due", DuePassage)
_TEXTS = query(__package__, "backfill_texts", PassageText)
_STORE = query(__package__, "backfill_store", StoredVector)
_FINISH: Query[None] = query(__package__, "backfill_finish")
_FAILED: Query[None] = query(__package__, "backfill_failed")


async def backfill(db: Database, embedder: Embedder, *, limit_rows: int) -> EmbedReport:
    """Embed at most `limit_rows` waiting passages, of whichever tenants. Safe to kill, and to run twice at once."""
    try:
        state = await ensure_model(db, embedder)
    except EmbeddingError as error:
        return EmbedReport(paused=str(error), retry_in=PAUSE)
    if state.mismatch or state.active is None:
        return EmbedReport(paused=state.mismatch, retry_in=PAUSE)
    batches = await _gather(db, limit_rows)
    report = EmbedReport()
    try:
        await _embed(embedder, batches, db.clock)
    except EmbedderUnavailable as error:
        report = EmbedReport(paused=str(error), retry_in=error.retry_in or PAUSE)
    if any(len(v) != state.active.dimensions for batch in batches for kinds in batch.vectors.values() for v in kinds.values()):
        return EmbedReport(paused=mismatch(state.active, embedder.model), retry_in=PAUSE)
    for batch in batches:
        report += await _apply(db, state.active, batch)
    return report


def turn_and_window(passage: PassageText) -> dict[str, str]:
    """The texts embedded for a passage: itself, and for a short one itself after the one before it. Pure."""
    turn = f"{passage.actor}: {passage.text}"
    if passage.before_text is None or not has_window(passage.text):
        return {"turn": turn}
    return {"turn": turn, "window": f"{passage.before_actor}: {passage.before_text}\n{turn}"}


def wait_s(attempts: int) -> int | None:
    """Seconds to wait after the `attempts`-th failure: 60, 120, 240 …, and after the eighth None, for ever."""
    return None if attempts >= MOST_ATTEMPTS else FIRST_WAIT_S << (attempts - 1)


async def _gather(db: Database, limit_rows: int) -> list[_Batch]:
    async with db.worker() as tx:
        due = await tx.fetch(_DUE, limit_rows)
    by_tenant: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for row in due:
        by_tenant[row.tenant_id][row.passage_id] = row.attempts
    batches = [_Batch(tenant_id, by_tenant[tenant_id]) for tenant_id in sorted(by_tenant)]
    for batch in batches:
        async with db.tenant(batch.tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            rows = await tx.fetch(_TEXTS, batch.tenant_id, list(batch.due))
        batch.texts = {row.passage_id: turn_and_window(row) for row in rows}
    return batches


async def _embed(embedder: Embedder, batches: Sequence[_Batch], clock: Clock) -> None:
    """Fill the batches' vectors and failures. Raises EmbedderUnavailable, with what was made before kept."""
    started: float | None = None  # since when single passages are tried
    for batch in batches:
        with paid_by(batch.tenant_id):
            try:
                await _embed_some(embedder, batch, list(batch.texts))
            except EmbedderUnavailable:
                raise
            except EmbeddingError:
                started = clock.monotonic_s() if started is None else started
                for passage_id in batch.texts:
                    if clock.monotonic_s() - started > SALVAGE_S:
                        break  # the rest stays queued: what was found out so far must be stored before the tick's time is up
                    await _embed_one(embedder, batch, passage_id)


async def _embed_one(embedder: Embedder, batch: _Batch, passage_id: int) -> None:
    try:
        await _embed_some(embedder, batch, [passage_id])
    except EmbedderUnavailable:
        raise
    except EmbeddingError as error:
        batch.failures[passage_id] = str(error)


async def _embed_some(embedder: Embedder, batch: _Batch, wanted: Sequence[int]) -> None:
    flat = [(passage_id, kind) for passage_id in wanted for kind in batch.texts[passage_id]]
    if not flat:
        return
    made = await embedder.passages([batch.texts[passage_id][kind] for passage_id, kind in flat])
    for (passage_id, kind), vector in zip(flat, made, strict=True):
        batch.vectors.setdefault(passage_id, {})[kind] = vector


async def _apply(db: Database, model: StoredModel, batch: _Batch) -> EmbedReport:
    rows = [(passage_id, kind, vector) for passage_id, kinds in batch.vectors.items() for kind, vector in kinds.items()]
    done = [*batch.vectors, *(batch.due.keys() - batch.texts.keys())]
    stored: list[StoredVector] = []
    async with db.tenant(batch.tenant_id) as tx:
        await tx.execute(POINT_LOOKUPS)
        if rows:
            ids, kinds, vectors = as_rows(rows)
            codes = [code(vector, model.centre) for vector in vectors]
            stored = await tx.fetch(_STORE, batch.tenant_id, model.name, ids, kinds, halfvecs(vectors), codes)
        turns = [batch.vectors[row.passage_id]["turn"] for row in stored if row.kind == "turn"]
        if done:
            total = np.sum(turns, axis=0, dtype=np.float32).tolist() if turns else []
            await tx.execute(_FINISH, batch.tenant_id, model.name, done, len(stored), len(turns), total)
        if batch.failures:
            waits = [wait_s(batch.due[passage_id] + 1) for passage_id in batch.failures]
            await tx.execute(_FAILED, batch.tenant_id, list(batch.failures), waits, list(batch.failures.values()))
    given_up = sum(batch.due[passage_id] + 1 >= MOST_ATTEMPTS for passage_id in batch.failures)
    return EmbedReport(len(turns), len(stored), len(batch.failures), given_up, len(done) - len(turns))
