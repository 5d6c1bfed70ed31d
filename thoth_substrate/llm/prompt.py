"""What is asked of a chat model, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prompt(Generic[M]):
    """What an agent asks, and the shape of the reply. The first line of `system` is `You are the <Agent> of a memory.`

    `images` are data URLs of pictures that are shown with it, to a model that sees.
    """

    agent: str
    tenant_id: str
    system: str
    user: str
    reply: type[M]
    max_tokens: int = 2000
    decision_id: UUID | None = None
    images: tuple[str, ...] = ()


class Outcome(StrEnum):
    """What came of asking. Only OK and SALVAGED have a value; none of the others is an empty result."""

    OK = "ok"
    SALVAGED = "salvaged"
    FAILED = "failed"
    BUDGET_SPENT = "budget_spent"
    ENDPOINT_DOWN = "endpoint_down"
    NO_MODEL = "no_model"


@dataclass(frozen=True, slots=True)
class Answer(Generic[M]):
    """The reply, or why there is none.

    `text` is what the model wrote, for replay; `reason` a sentence on the kind of failure, without content; `dropped` the
    items that could not be salvaged; `retry_at` when the budget renews, or when the endpoint may be asked again.
    """

    outcome: Outcome
    value: M | None = None
    text: str = ""
    model: str = ""
    reason: str = ""
    dropped: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retry_at: datetime | None = None

    @property
    def usable(self) -> bool:
        return self.value is not None and self.outcome in (Outcome.OK, Outcome.SALVAGED)
