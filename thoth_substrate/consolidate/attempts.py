"""Attempts in vain: put off with a growing wait, and after the last one laid among the dead letters, in sight of `health`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import Query, query

PARSER = "parser"  # whose queue `substrate_unconsolidated` is
ATTEMPTS_MOST = 5
FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(hours=1)
FAILURE_CHARS = 300


@dataclass(frozen=True, slots=True)
class HeldSlice:
    """A queued slice under lock, and how often it was tried before."""

    slice_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True)
class Failed:
    """What became of slices that could not be promoted: due again, a dead letter, or no longer ours."""

    retried: tuple[UUID, ...] = ()
    dead: tuple[UUID, ...] = ()
    lost: tuple[UUID, ...] = ()


_HELD = query(__package__, "held", HeldSlice)
_PUT_OFF: Query[None] = query(__package__, "put_off")
_BURIED: Query[None] = query(__package__, "buried")


async def hold(tx: Tx, tenant_id: str, claim: UUID, slice_ids: Sequence[UUID]) -> list[HeldSlice]:
    """Lock what is still ours under `claim`, in the order of the ids. Others hold or held the rest."""
    return await tx.fetch(_HELD, tenant_id, claim, sorted(slice_ids))


async def count_failures(
    tx: Tx, tenant_id: str, held: Sequence[HeldSlice], failures: Mapping[UUID, str], attempts_most: int, agent: str = PARSER
) -> Failed:
    """Count one more attempt for each of `held` that is in `failures`. A failure is a sentence of its kind, never content."""
    tried = [row for row in held if row.slice_id in failures]
    again = [row for row in tried if row.attempts + 1 < attempts_most]
    dead = [row for row in tried if row.attempts + 1 >= attempts_most]
    if again:
        ids = [row.slice_id for row in again]
        waits = [wait_before(row.attempts + 2) for row in again]
        await tx.execute(_PUT_OFF, tenant_id, ids, waits, [_short(failures[i]) for i in ids])
    if dead:
        ids = [row.slice_id for row in dead]
        counts = [min(row.attempts + 1, 32_767) for row in dead]
        await tx.execute(_BURIED, tenant_id, agent, ids, counts, [_short(failures[i]) for i in ids])
    return Failed(tuple(row.slice_id for row in again), tuple(row.slice_id for row in dead))


def wait_before(attempt: int) -> timedelta:
    """How long before the given attempt, the second or a later one: doubled each time, spread so that not all come at once."""
    return min(FIRST_WAIT * (1 << min(attempt - 2, 16)), LONGEST_WAIT) * random.uniform(0.75, 1.25)  # noqa: S311 - spreads only


def _short(failure: str) -> str:
    return failure.replace("\x00", "")[:FAILURE_CHARS]
