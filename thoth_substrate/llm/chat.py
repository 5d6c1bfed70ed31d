"""Asking a chat model for a structured reply. What a model or an endpoint does comes back as a value, never as an exception."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ports import Ledger
from thoth_substrate.settings import Settings

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prompt(Generic[M]):
    """What an agent asks, and the shape of the reply. The first line of `system` is `You are the <Agent> of a memory.`"""

    agent: str
    tenant_id: str
    system: str
    user: str
    reply: type[M]
    max_tokens: int = 2000
    decision_id: UUID | None = None


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


class Chat:
    """The crew's way to its chat model. One for a process; safe to share between tasks of one event loop."""

    def __init__(self, settings: Settings, ledger: Ledger, clock: Clock) -> None:
        self._settings, self._ledger, self._clock = settings, ledger, clock

    @property
    def configured(self) -> bool:
        """Whether any agent has a model to ask."""
        return self.model_for("") is not None

    def model_for(self, agent: str) -> str | None:
        """The model that the agent asks, or None: then it does nothing, and costs nothing."""
        reachable = self._settings.openai_api_key or self._settings.openai_base_url
        return self._settings.aux_model if reachable else None

    async def ask(self, prompt: Prompt[M]) -> Answer[M]:
        """The model's reply to a prompt, or why there is none. Raises DatabaseError only."""
        return Answer(Outcome.NO_MODEL, reason="No model is configured (THOTH_AUX_MODEL).")
