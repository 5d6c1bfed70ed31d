"""Vectors: who makes them, how many there are, what waits, and what failed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model that has made vectors here, and how many of this tenant's passages have one of it."""

    model: str
    dimensions: int
    active: bool
    registered_at: datetime
    passages: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tenant's passages that wait for a vector: how many, of those how many failed before, and given up; the oldest."""

    waiting: int
    failing: int
    given_up: int
    oldest: datetime | None
    next_try: datetime | None


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, for how many passages."""

    failure: str
    passages: int
    given_up: int


@dataclass(frozen=True, slots=True)
class EmbedStatus:
    """Embedding at a glance. `passages` of the tenant in all, `embedded` of them by the active model (None: no model yet)."""

    tenant: str
    active: str | None
    passages: int
    embedded: int
    queue: Waiting
    models: list[ModelLine]
    failures: list[Failure]


_MODELS = query(__package__, "embedding_models", ModelLine)
_WAITING = query(__package__, "unembedded", Waiting)
_FAILURES = query(__package__, "embedding_failures", Failure)


@dataclass(frozen=True, slots=True)
class _Total:
    passages: int


_TOTAL = query(__package__, "passages_in_all", _Total)


async def status(db: Database, tenant_id: str) -> EmbedStatus:
    """Embedding of this tenant at a glance, from counters and the queue."""
    async with db.tenant(tenant_id) as tx:
        models = await tx.fetch(_MODELS, tenant_id)
        waiting = await tx.fetch_one(_WAITING, tenant_id)
        failures = await tx.fetch(_FAILURES, tenant_id)
        total = await tx.fetch_one(_TOTAL, tenant_id)
    assert waiting is not None
    active = next((model for model in models if model.active), None)
    return EmbedStatus(
        tenant_id, active.model if active else None, total.passages if total else 0, active.passages if active else 0,
        waiting, models, failures,
    )  # fmt: skip
