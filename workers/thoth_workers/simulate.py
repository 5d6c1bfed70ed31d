"""A recorded day under another policy: what the levels would have been. Pure, but for reading the diary.

The vitals are those that were recorded: how they would have changed under other levels nobody knows. Vitals are recorded at
each change and every five minutes at the least, so that a simulated change falls on one of these moments.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views.told import told
from thoth_workers.crew.conductor import NAME, Gathered, decide_levels, read_back
from thoth_workers.policy import Plan, Policy, Standing
from thoth_workers.simulated import Backlog, Difference, Simulated, Steered

MOST_DIFFERENCES = 200


Day = Sequence[tuple[Gathered, Plan]]


async def simulate(db: Database, tenant_id: str, since: datetime, until: datetime, words: Sequence[str]) -> Simulated:
    """Run the decisions of a span again with `threshold=value` words over the policy of each.

    Raises BadInput when nothing was recorded then, or for a threshold that is none.
    """
    Policy().changed(words)
    day: list[tuple[Gathered, Plan]] = []
    unreadable = 0
    for entry in await told(db, tenant_id, agent=NAME, since=since, until=until):
        try:
            day.append(read_back(entry.decision))
        except (ValueError, TypeError, KeyError):  # purged, lost, or of another version
            unreadable += 1
    if not day:
        raise BadInput("The Conductor told nothing in that time: choose another day, or let `thoth substrate worker run` go on.")
    return compare(day, again(day, words), since, until, unreadable)


def again(day: Day, words: Sequence[str]) -> Day:
    """The same vitals decided under another policy, each decision standing on the one before. Pure."""
    memory, standing = day[0][0].memory, dict(day[0][0].standing)
    found: list[tuple[Gathered, Plan]] = []
    for recorded, _ in day:
        held = {name: one for name, one in recorded.standing.items() if one.held}
        gathered = replace(
            recorded, policy=recorded.policy.changed(words), standing={**standing, **held}, memory=memory
        )  # fmt: skip
        plan = decide_levels(gathered, ())
        found.append((gathered, plan))
        memory = plan.memory
        standing |= {name: Standing(one.level) for name, one in plan.levels.items() if not one.held}
    return found


def compare(recorded: Day, simulated: Day, since: datetime, until: datetime, unreadable: int = 0) -> Simulated:
    """What differs between the recorded decisions and others on the same vitals. Pure."""
    before, after = recorded[-1][0].policy, simulated[-1][0].policy
    roles = {one.name: one.role for gathered, _ in recorded for one in gathered.members}
    agents = [_steered(name, role, _Course(recorded, name), _Course(simulated, name)) for name, role in sorted(roles.items())]
    differences = list(_differences(recorded, simulated))
    return Simulated(
        since=since,
        until=until,
        samples=len(recorded),
        unreadable=unreadable,
        thresholds={name: value for name, value in asdict(after).items() if value != getattr(before, name)},
        flapped=any(one.most_in_a_dwell_simulated > 1 for one in agents),
        backlog=_backlog(simulated, roles),
        agents=agents,
        differences=differences[:MOST_DIFFERENCES],
        differences_in_all=len(differences),
    )  # fmt: skip


class _Course:
    """One worker's levels over the day: each with the instant from which it held. Levels that the operator held are his."""

    def __init__(self, day: Day, name: str) -> None:
        self._dwell = day[-1][0].policy.dwell
        self._steps = [(gathered.vitals.at, plan.levels[name]) for gathered, plan in day if name in plan.levels]

    @property
    def changed(self) -> list[datetime]:
        """When the policy changed it."""
        return [
            at
            for (_, before), (at, after) in itertools.pairwise(self._steps)
            if before.level is not after.level and not (before.held or after.held)
        ]

    @property
    def most_in_a_dwell(self) -> int:
        """The most changes within one dwell, wherever it is laid."""
        return max((sum(first <= at < first + self._dwell for at in self.changed) for first in self.changed), default=0)

    def hours(self) -> dict[str, float]:
        """Hours at each level, from the first entry to the last."""
        spent: defaultdict[str, float] = defaultdict(float)
        for (begins, one), (ends, _) in itertools.pairwise(self._steps):
            spent[one.level.name] += (ends - begins).total_seconds() / 3600
        return {level.name: round(spent[level.name], 3) for level in Intensity if spent[level.name]}


def _steered(name: str, role: str, recorded: _Course, simulated: _Course) -> Steered:
    return Steered(
        name, role, len(recorded.changed), len(simulated.changed), recorded.most_in_a_dwell, simulated.most_in_a_dwell,
        recorded.hours(), simulated.hours(),
    )  # fmt: skip


def _differences(recorded: Day, simulated: Day) -> Iterator[Difference]:
    """Where the two part, or part in another way than at the entry before."""
    last: dict[str, tuple[Intensity, Intensity]] = {}
    for (gathered, before), (_, after) in zip(recorded, simulated, strict=True):
        for name, one in before.levels.items():
            pair = (one.level, after.levels[name].level)
            if pair[0] is not pair[1] and last.get(name) != pair:
                yield Difference(gathered.vitals.at, name, pair[0].name, pair[1].name, after.levels[name].why)
            last[name] = pair


def _backlog(day: Day, roles: Mapping[str, str]) -> Backlog | None:
    peak, plan_at = max(((gathered.vitals.backlog, -place) for place, (gathered, _) in enumerate(day)), default=(0, 0))
    if not peak:
        return None
    later = day[-plan_at:]
    low = later[0][0].policy.backlog_low_slices
    drained = next((place for place, (gathered, _) in enumerate(later) if gathered.vitals.backlog <= low), None)
    until = later if drained is None else later[: drained + 1]
    paused = [_Course(until, name).hours().get(Intensity.OFF.name, 0.0) for name, role in roles.items() if role == "enrichment"]
    return Backlog(
        peak, later[0][0].vitals.at, None if drained is None else later[drained][0].vitals.at, max(paused, default=0.0)
    )  # fmt: skip
