"""What a simulation of the Conductor answers: what would have differed, and whether anybody would have flapped."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Difference:
    """From `at` on (until the next of the same agent) a level that would not have been the recorded one."""

    at: datetime
    agent: str
    recorded: str
    simulated: str
    why: str


@dataclass(frozen=True, slots=True)
class Steered:
    """One worker's day: changes of level, the most of them within one dwell, and hours by level, recorded and simulated."""

    agent: str
    role: str
    changes_recorded: int
    changes_simulated: int
    most_in_a_dwell_recorded: int
    most_in_a_dwell_simulated: int
    hours_recorded: dict[str, float]
    hours_simulated: dict[str, float]


@dataclass(frozen=True, slots=True)
class Backlog:
    """The day's backlog: its peak, when it was, and when after that it was first at or under the clearing threshold.

    `paused_h` is how long enrichment was OFF between the two, in hours of the one who was it longest, in the simulation.
    """

    peak: int
    peak_at: datetime
    drained_at: datetime | None
    paused_h: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """A day under another policy. `thresholds` are those that differ from the recorded ones."""

    since: datetime
    until: datetime
    samples: int
    unreadable: int
    thresholds: dict[str, float]
    flapped: bool
    backlog: Backlog | None
    agents: list[Steered] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    differences_in_all: int = 0
