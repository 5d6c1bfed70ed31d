"""The crew's way to its chat model. What a model or an endpoint does comes back as a value, never as an exception."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from thoth_substrate.llm.address import address_of
from thoth_substrate.llm.prices import read_prices
from thoth_substrate.llm.prompt import Answer, M, Outcome, Prompt
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ports import Ledger
from thoth_substrate.settings import Settings

if TYPE_CHECKING:
    from tenacity.wait import wait_base

    from thoth_substrate.llm.asking import Gate

__all__ = ["Answer", "Chat", "Outcome", "Prompt"]
NO_MODEL = "No model is configured: set THOTH_AUX_MODEL, with OPENAI_API_KEY or OPENAI_BASE_URL."


class Chat:
    """One for a process; safe to share between tasks of one event loop.

    `wait` is the pause before a further attempt at a call that an endpoint refused: a second or so, growing, unless given.
    Raises SettingsError for prices that cannot be read.
    """

    def __init__(self, settings: Settings, ledger: Ledger, clock: Clock, wait: wait_base | None = None) -> None:
        self._settings, self._ledger, self._clock, self._wait = settings, ledger, clock, wait
        self._prices = read_prices(settings.prices)
        self._gate: Gate | None = None

    @property
    def configured(self) -> bool:
        """Whether any agent has a model to ask."""
        return self._reachable and bool(self._settings.aux_model or self._settings.aux_models)

    def model_for(self, agent: str) -> str | None:
        """The model that the agent asks, or None: then it does nothing, and costs nothing."""
        return self._settings.model_of(agent) if self._reachable else None

    async def ask(self, prompt: Prompt[M]) -> Answer[M]:
        """The model's reply to a prompt, or why there is none. Takes at most a few calls. Raises DatabaseError only."""
        model = self.model_for(prompt.agent)
        if model is None:
            return Answer(Outcome.NO_MODEL, reason=NO_MODEL)
        if self._gate is None:
            opened = await asyncio.to_thread(self._open)
            self._gate = self._gate or opened  # several may have begun at once: one is kept, and nothing of it is open yet
        return await self._gate.ask(prompt, model)

    async def close(self) -> None:
        """Close the connections of the running event loop. May be used again."""
        if self._gate is not None:
            await self._gate.wire.close()

    @property
    def _reachable(self) -> bool:
        return bool(self._settings.openai_api_key or self._settings.openai_base_url)

    def _open(self) -> Gate:
        from thoth_substrate.llm.asking import Gate, Patience  # half a second to import, and often not needed
        from thoth_substrate.llm.wire import Wire

        s = self._settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        address = address_of(s.openai_base_url)
        wire = Wire(key, address, timedelta(milliseconds=s.aux_timeout_ms))
        patience = Patience(s.aux_retries, timedelta(milliseconds=s.breaker_wait_ms), self._wait)
        return Gate(address.url, wire, self._ledger, self._prices, self._clock, patience)
