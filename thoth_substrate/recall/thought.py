"""A recall under way: how it was asked, what is known so far, and how to say that there is nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.model.projection import EmptyReason, Projection
from thoth_substrate.recall.deadline import Legs
from thoth_substrate.recall.facts import Fact
from thoth_substrate.recall.lines import Found


@dataclass(frozen=True, slots=True)
class Ask:
    """One recall as it is asked. `forced` answers even when recall is switched off: asking by hand is consent.

    `as_of`: the instant whose answer is wanted, None for the present.
    """

    query: str
    tenant_id: str
    session: str | None
    budget_tokens: int
    deadline_ms: int
    forced: bool
    recall_id: UUID
    asked_at: datetime
    as_of: datetime | None = None

    @property
    def instant(self) -> datetime:
        """When the mind is asked as it was."""
        return self.as_of or self.asked_at


@dataclass(slots=True)
class Thought:
    """A recall under way: what is known so far, so that whatever happens can be explained and logged."""

    ask: Ask
    legs: Legs
    found: Found | None = None
    facts: list[Fact] = field(default_factory=list)
    detail: dict[str, Any] = field(default_factory=dict)


def nothing(ask: Ask, reason: EmptyReason) -> Projection:
    """The projection that says nothing, and why."""
    return Projection(empty_reason=reason, recall_id=ask.recall_id, as_of=ask.as_of)


def why_empty(legs: Legs) -> EmptyReason:
    """Lateness and failure are told apart: one heals by itself, the other wants looking at."""
    return EmptyReason.TIMEOUT if legs.late else EmptyReason.ERROR
