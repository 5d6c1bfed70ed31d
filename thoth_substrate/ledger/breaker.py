"""The circuit breaker of each endpoint, in the database: what one process learns, every other knows.

closed ─ failures in a row ─→ open ─ when due, one caller ─→ half_open ─ answers ─→ closed, or ─ fails ─→ open, for twice as long
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.ports import Admitted, Down

LONGEST_WAIT = timedelta(minutes=10)
LONGEST_ASKED = timedelta(hours=1)  # that an endpoint's Retry-After is believed
REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class Policy:
    """After how many failures in a row it opens, for how long at first, and how long a prober has."""

    failures: int
    wait: timedelta
    lease: timedelta


@dataclass(frozen=True, slots=True)
class EndpointState:
    state: str
    failures: int
    retry_at: datetime
    due: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Breaker:
    state: str
    failures: int
    retry_at: datetime
    at: datetime


@dataclass(frozen=True, slots=True)
class Probing:
    failures: int


_STATE = query(__package__, "endpoint_state", EndpointState)
_PROBE = query(__package__, "endpoint_probe", Probing)
_WITHDRAWN: Query[None] = query(__package__, "endpoint_withdrawn")
_ANSWERED: Query[None] = query(__package__, "endpoint_answered")
_KNOWN: Query[None] = query(__package__, "endpoint_known")
_LOCK = query(__package__, "endpoint_lock", Breaker)
_FAILED: Query[None] = query(__package__, "endpoint_failed")


async def admit(db: Database, endpoint: str, policy: Policy) -> Admitted | Down:
    """Whether the endpoint may be asked now; of those who find a probe due, one may."""
    async with db.worker() as tx:
        found = await tx.fetch_one(_STATE, endpoint)
        if found is None or found.state == "closed":
            return Admitted(failures=found.failures if found else 0)
        if found.due and (probing := await tx.fetch_one(_PROBE, endpoint, policy.lease)) is not None:
            return Admitted(True, probing.failures)
        at = max(found.retry_at, db.clock.now() + timedelta(seconds=1))  # another probes: its answer is near
        return Down(at, f"The endpoint is left alone after {found.failures} failures: {found.reason}.")


async def withdraw(db: Database, endpoint: str) -> None:
    """The prober did not call after all."""
    async with db.worker() as tx:
        await tx.execute(_WITHDRAWN, endpoint)


async def answered(db: Database, endpoint: str) -> None:
    """Close the breaker."""
    async with db.worker() as tx:
        await tx.execute(_ANSWERED, endpoint)


async def failed(db: Database, endpoint: str, policy: Policy, reason: str, asked: datetime | None) -> datetime | None:
    """Count a failure; answers until when the endpoint is left alone, if it is now."""
    async with db.worker() as tx:
        breaker = await tx.fetch_one(_LOCK, endpoint)
        if breaker is None:
            await tx.execute(_KNOWN, endpoint)
            breaker = await tx.fetch_one(_LOCK, endpoint)
        assert breaker is not None
        after = after_failure(breaker, policy, asked)
        opens = after.state == "open" and breaker.state != "open"
        await tx.execute(_FAILED, endpoint, after.state, after.failures, after.retry_at, opens, reason[:REASON_CHARS])
    return after.retry_at if after.state == "open" else None


def after_failure(breaker: Breaker, policy: Policy, asked: datetime | None) -> Breaker:
    """The breaker after one more failure. `asked` is when the endpoint wants to be asked again: it opens until then. Pure.

    A call that began before it opened, and fails after, changes nothing.
    """
    if breaker.state == "open":
        return breaker
    failures = breaker.failures + 1
    if breaker.state == "closed" and failures < policy.failures and asked is None:
        return Breaker("closed", failures, breaker.retry_at, breaker.at)
    doublings = min(max(failures - policy.failures, 0), 16)
    until = breaker.at + min(policy.wait * 2**doublings, LONGEST_WAIT)
    if asked is not None:
        until = max(until, min(asked, breaker.at + LONGEST_ASKED))
    return Breaker("open", failures, until, breaker.at)
