"""The ledger in PostgreSQL: a row for every call to a model, made before the call, and put right after it.

Every statement here is short, and no transaction is open while a model is asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.ledger import breaker
from thoth_substrate.ledger.budgets import limits, put_right, set_aside
from thoth_substrate.ledger.sweep import Settled, abandoned_after, expire, sweep
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.model.ports import Admitted, Call, Down, Refused, Reserved, Tier, Usage
from thoth_substrate.settings import Settings

SWEPT_EVERY_S = 60.0
EXPIRED_EVERY_S = 3600.0
REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Moment:
    at: datetime


@dataclass(frozen=True, slots=True)
class Learned:
    tier: Tier


_MOMENT = query(__package__, "moment", Moment)
_RESERVED: Query[None] = query(__package__, "call_reserved")
_SETTLED = query(__package__, "call_settled", Settled)
_TIER = query(__package__, "tier", Learned)
_TIER_LEARNED: Query[None] = query(__package__, "tier_learned")


class PostgresLedger:
    """The Ledger of one process, on a pool of the running loop."""

    def __init__(self, db: Database, settings: Settings, clock: Clock) -> None:
        self._db, self._settings, self._clock = db, settings, clock
        self._ids = SliceIds()
        self._swept_at = self._expired_at = float("-inf")
        self._left_after = abandoned_after(settings)
        self._policy = breaker.Policy(
            settings.breaker_failures, timedelta(milliseconds=settings.breaker_wait_ms), self._left_after
        )  # fmt: skip

    async def reserve(self, call: Call) -> Reserved | Refused:
        """Set aside what a call may cost, and write its row. What dead processes left set aside is given back first."""
        await self._sweep()
        return await again(self._db, lambda: self._reserve(call))

    async def settle(self, reserved: Reserved, usage: Usage) -> None:
        """Put what the call cost in the place of what was set aside. Once: a second time, nothing happens."""
        await again(self._db, lambda: self._settle(reserved, usage))

    async def admit(self, endpoint: str) -> Admitted | Down:
        return await breaker.admit(self._db, endpoint, self._policy)

    async def withdraw(self, endpoint: str) -> None:
        await breaker.withdraw(self._db, endpoint)

    async def answered(self, endpoint: str) -> None:
        await breaker.answered(self._db, endpoint)

    async def failed(self, endpoint: str, reason: str, retry_at: datetime | None = None) -> datetime | None:
        return await breaker.failed(self._db, endpoint, self._policy, reason, retry_at)

    async def tier(self, endpoint: str, model: str) -> Tier | None:
        async with self._db.worker() as tx:
            learned = await tx.fetch_one(_TIER, endpoint, model)
        return learned.tier if learned else None

    async def learn_tier(self, endpoint: str, model: str, tier: Tier) -> None:
        async with self._db.worker() as tx:
            await tx.execute(_TIER_LEARNED, endpoint, model, tier)

    async def _reserve(self, call: Call) -> Reserved | Refused:
        async with self._db.tenant(call.tenant_id) as tx:
            moment = await tx.fetch_one(_MOMENT)
            assert moment is not None
            refused = await set_aside(tx, limits(self._settings, call.agent, moment.at), call.tokens, call.usd, moment.at)
            if refused is not None:
                return refused
            call_id = self._ids.next(self._clock.now())
            await tx.execute(
                _RESERVED, call.tenant_id, call_id, moment.at, call.agent, call.kind, call.endpoint, call.model,
                call.tokens, call.usd, call.decision_id,
            )  # fmt: skip
        return Reserved(call_id, call)

    async def _settle(self, reserved: Reserved, usage: Usage) -> None:
        async with self._db.tenant(reserved.call.tenant_id) as tx:
            kept = await tx.fetch_one(
                _SETTLED, reserved.call.tenant_id, reserved.call_id, usage.outcome, usage.prompt_tokens, usage.completion_tokens,
                usage.cached_tokens, usage.usd, usage.latency_ms, usage.reason[:REASON_CHARS],
            )  # fmt: skip
            if kept is not None:
                cost = usage.prompt_tokens + usage.completion_tokens, usage.usd
                await put_right(tx, kept.agent, kept.called_at, (kept.tokens, kept.usd), cost)

    async def _sweep(self) -> None:
        now = self._clock.monotonic_s()
        if now >= self._swept_at + SWEPT_EVERY_S:
            self._swept_at = now
            await sweep(self._db, self._left_after)
        if now >= self._expired_at + EXPIRED_EVERY_S:
            self._expired_at = now
            await expire(self._db)
