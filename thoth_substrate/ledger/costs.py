"""What was spent, by whom and where, and how the endpoints are: for people and for the Conductor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class CostLine:
    """What an agent's calls to one model have cost: tokens, US dollars by the price table, mean latency (ms) of answers.

    `abandoned` calls are counted in full; `running` ones not yet, but for what is set aside for them.
    """

    agent: str
    kind: str
    endpoint: str
    model: str
    calls: int
    failed: int
    abandoned: int
    running: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reserved_tokens: int
    usd: float
    latency_ms: float
    last_at: datetime

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    @property
    def unpriced(self) -> bool:
        """Tokens without a price: the model is free, or not in the table (THOTH_PRICES)."""
        return self.tokens > 0 and self.usd == 0


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """An endpoint and its breaker. `retry_at` is when it may be asked again, None while it may be now."""

    endpoint: str
    state: str
    failures: int
    opened: int
    opened_at: datetime | None
    retry_at: datetime | None
    last_ok_at: datetime | None
    last_failure: str | None
    last_failure_at: datetime | None


_OF_TENANT = query(__package__, "costs_of_tenant", CostLine)
_OF_ALL = query(__package__, "costs_of_all", CostLine)
_ENDPOINTS = query(__package__, "endpoints", EndpointLine)


async def costs(db: Database, tenant_id: str | None, since: datetime) -> list[CostLine]:
    """What was spent since an instant, by agent and model; of all tenants together for None."""
    if tenant_id is None:
        async with db.worker() as tx:
            return await tx.fetch(_OF_ALL, since)
    async with db.tenant(tenant_id) as tx:
        return await tx.fetch(_OF_TENANT, tenant_id, since)


async def endpoints(db: Database) -> list[EndpointLine]:
    """Every endpoint that was ever asked."""
    async with db.worker() as tx:
        return await tx.fetch(_ENDPOINTS)
