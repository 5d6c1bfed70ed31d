"""How the crew is: its backlog, what it knows and how well that holds together, what it costs, what it was denied.

What it means is decided by `crew_checks`, which is pure. Knowledge is of one tenant, everything else of all for who answers
for all, and of the same one for anybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.coherence import Coherence, from_json
from thoth_substrate.settings import Settings
from thoth_substrate.views.agents import AgentLine
from thoth_substrate.views.budgets import Budget, budgets
from thoth_substrate.views.layers import Counts, counted
from thoth_substrate.views.unfinished import UNFINISHED, Unfinished


@dataclass(frozen=True, slots=True)
class Waiting:
    """Slices that wait for consolidation: `tried` in vain before, `last_day` came since yesterday. Dead letters by agent."""

    slices: int
    oldest: datetime | None
    tried: int
    last_day: int
    dead_letters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AgentCost:
    """One agent's calls in the last hour and the last day."""

    agent: str
    hour_calls: int
    hour_tokens: int
    hour_usd: float
    day_calls: int
    day_failed: int
    day_tokens: int
    day_usd: float


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint's breaker. `retry_at` is when it may be asked again."""

    endpoint: str
    state: str
    failures: int
    retry_at: datetime
    last_ok_at: datetime | None
    last_failure: str | None
    last_failure_at: datetime | None


@dataclass(frozen=True, slots=True)
class Indexing:
    """How the Indexer stands: how many tenants it reads, how many of them fail now, the most failures in a row."""

    tenants: int = 0
    failing: int = 0
    failures: int = 0
    passed_over: int = 0
    again_at: datetime | None = None
    ran_at: datetime | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    score: float | None
    detail: Any
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class CrewFacts:
    """What the database says about the crew, at `now`. `model` is what the settings let it ask, None when nothing.

    `whole`: what waits, what it costs and what the Indexer reads is of every tenant; else of one, without endpoints and budgets.
    """

    now: datetime
    model: str | None
    waiting: Waiting
    agents: list[AgentLine] = field(default_factory=list)
    costs: list[AgentCost] = field(default_factory=list)
    endpoints: list[Endpoint] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    coherence: Coherence = field(default_factory=lambda: Coherence(None, {}))
    indexing: Indexing = field(default_factory=Indexing)
    purges: Unfinished = field(default_factory=Unfinished)
    whole: bool = True


WAITING = query(__package__, "crew_backlog", Waiting)
COSTS = query(__package__, "crew_costs", AgentCost)
ENDPOINTS = query(__package__, "crew_endpoints", Endpoint)
INDEXING = query(__package__, "crew_indexing", Indexing)
COHERENCE = query(__package__, "crew_coherence", Measurement)


async def gather(db: Database, settings: Settings, lines: list[AgentLine], *, whole: bool = True) -> CrewFacts:
    """Ask the database how the crew is; `lines` are the workers' rows. Not `whole`: as far as the settings' tenant may know.

    Raises DatabaseUnavailable when it does not answer.
    """
    if whole:
        async with db.worker() as tx:
            waiting, costs, indexing = await _work(tx)
            endpoints = await tx.fetch(ENDPOINTS)
    else:
        async with db.tenant(settings.tenant) as tx:
            waiting, costs, indexing = await _work(tx)
            endpoints = []
    async with db.tenant(settings.tenant) as tx:
        counts = await counted(tx, settings.tenant)
        measured = await tx.fetch_one(COHERENCE, settings.tenant)
        purges = await tx.fetch_one(UNFINISHED, settings.tenant)
    now = db.clock.now()
    return CrewFacts(
        now=now,
        model=model_of(settings),
        waiting=waiting,
        agents=lines,
        costs=costs,
        endpoints=endpoints,
        budgets=await budgets(db, settings, now) if whole else [],
        counts=counts,
        coherence=from_json(measured.score, measured.detail, measured.observed_at) if measured else Coherence(None, {}),
        indexing=indexing,
        purges=purges or Unfinished(),
        whole=whole,
    )


async def _work(tx: Tx) -> tuple[Waiting, list[AgentCost], Indexing]:
    """What waits and what it costs, of the tenants that the transaction's role sees."""
    waiting, costs, indexing = await tx.fetch_one(WAITING), await tx.fetch(COSTS), await tx.fetch_one(INDEXING)
    assert waiting is not None, "counts are always there"
    return waiting, costs, indexing or Indexing()


def model_of(settings: Settings) -> str | None:
    """The model that the settings let the crew ask, None when there is none or no endpoint for it."""
    if settings.openai_api_key is None and not settings.openai_base_url:
        return None
    return settings.aux_model or next(iter(settings.aux_models.values()), None)
