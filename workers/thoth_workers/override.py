"""The operator's word on a worker's level: it wins over the Conductor's until it ends or is taken back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views.agents import agents


@dataclass(frozen=True, slots=True)
class Held:
    """The operator's word on one worker, and until when it holds; the end of time when it does until taken back."""

    agent: str
    level: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Freed:
    """A worker whom the operator holds no longer, and the level that it has now."""

    agent: str
    level: str


_OVERRIDE = query(__package__, "override", Held)
_RELEASE = query(__package__, "release_override", Freed)


async def hold(db: Database, names: Iterable[str], agent: str, level: Intensity, lasts: timedelta | None) -> Held:
    """Hold `agent` at `level` for `lasts`, or until it is taken back.

    Obeyed by every process within a lease's time (seconds; a minute for workers that tick seldom). `names` are the workers
    this process knows. Raises BadInput for an unknown one, and for a span that is not in the future.
    """
    await _known(db, names, agent)
    if lasts is not None and lasts <= timedelta(0):
        raise BadInput("The time for which a level is held must be longer than nothing: write --for 1h, say.")
    async with db.worker() as tx:
        held = await tx.fetch_one(_OVERRIDE, agent, level.name, None if lasts is None else db.clock.now() + lasts)
    assert held is not None
    return held


async def release(db: Database, names: Iterable[str], agent: str) -> Freed:
    """Take the operator's word back. Raises BadInput for an unknown worker; one that is not held stays as it is."""
    await _known(db, names, agent)
    async with db.worker() as tx:
        return await tx.fetch_one(_RELEASE, agent) or Freed(agent, Intensity.FULL.name)


async def _known(db: Database, names: Iterable[str], agent: str) -> None:
    known = {*names, *(line.agent for line in await agents(db))}
    if agent not in known:
        raise BadInput(f"There is no worker {agent!r}; there are {', '.join(sorted(known))}.")
