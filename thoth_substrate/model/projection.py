"""What recall hands back: lines, why they are there, and why there may be none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID


class EmptyReason(StrEnum):
    """Why a projection has no lines. An empty projection is a normal, good result."""

    DISABLED = "disabled"
    TIMEOUT = "timeout"
    NO_CANDIDATES = "no_candidates"
    BELOW_FLOOR = "below_floor"
    TRIVIAL_QUERY = "trivial_query"
    TOKEN_BUDGET_EXHAUSTED = "token_budget_exhausted"  # noqa: S105 - not a secret
    ERROR = "error"


class LegState(StrEnum):
    """How one leg of the recall ended."""

    ANSWERED = "answered"
    LATE = "late"
    SKIPPED = "skipped"
    FAILED = "failed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Leg:
    """One way of looking: how it ended, how many rows it brought, how long it took (ms), and why if it did not."""

    name: str
    state: LegState
    rows: int = 0
    took_ms: float = 0.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One remembered passage in a projection. `parts` are the addends of `score`; `legs` found it."""

    handle: str
    slice_id: UUID
    passage_no: int
    session_id: str
    actor: str
    event_time: datetime
    stream: str
    text: str
    score: float
    salience: float
    trust: float = 1.0
    parts: Mapping[str, float] = field(default_factory=dict)
    legs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """The answer of one recall. `block` is the rendered `<memory-context>`, empty when there is nothing to say.

    `tokens` counts the whole block, fences included (cl100k). `partial` names the legs that did not answer in time.
    """

    block: str = ""
    lines: tuple[Line, ...] = ()
    tokens: int = 0
    empty_reason: EmptyReason | None = None
    legs: tuple[Leg, ...] = ()
    took_ms: float = 0.0
    recall_id: UUID | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def partial(self) -> tuple[str, ...]:
        return tuple(f"{leg.name} {leg.state}" for leg in self.legs if leg.state in (LegState.LATE, LegState.FAILED))
