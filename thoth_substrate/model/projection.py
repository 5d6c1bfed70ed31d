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


class Kind(StrEnum):
    """What a line is: the words of a slice, or a sentence of the layers above."""

    QUOTE = "quote"
    FACT = "fact"
    PATTERN = "pattern"
    INSIGHT = "insight"


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that a fact rests on. Its text may be gone by now; that it was there is known."""

    slice_id: UUID
    passage_no: int


@dataclass(frozen=True, slots=True)
class Line:
    """One remembered passage in a projection, or a fact. `parts` are the addends of `score`; `legs` found it.

    Of a fact `text` is its sentence, `row_id` its number, `sources` what it rests on, `slice_id` and `passage_no` the first
    of these, `event_time` since when it holds, and `note` that in words; who, where and salience are empty.
    """

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
    kind: Kind = Kind.QUOTE
    row_id: int | None = None
    sources: tuple[Cited, ...] = ()
    confidence: float = 1.0
    note: str = ""

    @property
    def slice_ids(self) -> tuple[UUID, ...]:
        """The slices that it shows: its own, or those that a fact rests on."""
        return tuple(cited.slice_id for cited in self.sources) if self.kind is not Kind.QUOTE else (self.slice_id,)


@dataclass(frozen=True, slots=True)
class Missing:
    """A slice that bore on the question as of then and has been released since; `handle` names it in this projection."""

    handle: str
    slice_id: UUID
    actor: str
    event_time: datetime
    released_at: datetime | None


@dataclass(frozen=True, slots=True)
class Projection:
    """The answer of one recall. `block` is the rendered `<memory-context>`, empty when there is nothing to say.

    `tokens` counts the whole block, fences included (cl100k). `partial` names the legs that did not answer in time.
    `as_of` is the instant whose answer this is, None for the present; `missing` is then what was released since.
    """

    block: str = ""
    lines: tuple[Line, ...] = ()
    tokens: int = 0
    empty_reason: EmptyReason | None = None
    legs: tuple[Leg, ...] = ()
    took_ms: float = 0.0
    recall_id: UUID | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    as_of: datetime | None = None
    missing: tuple[Missing, ...] = ()

    def leading(self, most: int) -> list[UUID]:
        """The distinct slices that its first `most` quotes and its first `most` facts show."""
        quotes = [line for line in self.lines if line.kind is Kind.QUOTE][:most]
        facts = [line for line in self.lines if line.kind is not Kind.QUOTE][:most]
        return list(dict.fromkeys(slice_id for line in (*quotes, *facts) for slice_id in line.slice_ids))

    @property
    def partial(self) -> tuple[str, ...]:
        return tuple(f"{leg.name} {leg.state}" for leg in self.legs if leg.state in (LegState.LATE, LegState.FAILED))
