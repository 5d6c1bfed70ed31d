"""Asking a chat model for words that people read: streamed, and under the same budgets, breaker and ledger as the crew.

What a model or an endpoint does comes back as a value, never as an exception.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from thoth_substrate.llm.address import address_of
from thoth_substrate.llm.chat import NO_MODEL
from thoth_substrate.llm.prices import read_prices
from thoth_substrate.llm.prompt import Outcome
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ports import Call, Down, Ledger, Refused, Reserved, Usage
from thoth_substrate.model.tokens import measure
from thoth_substrate.settings import Settings

if TYPE_CHECKING:
    from thoth_substrate.llm.tiers import Asked
    from thoth_substrate.llm.wire import NotSaid, Said, Wire

FRAME_TOKENS = 8  # of a message: its role and separators
SILENT = "it answered with no words"


@dataclass(frozen=True, slots=True)
class Speech:
    """What is asked: a conversation (`role`, `content`), who asks, who pays. `temperature` None leaves it to the endpoint."""

    agent: str
    tenant_id: str
    messages: Sequence[dict[str, str]]
    max_tokens: int = 1000
    temperature: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Spoken:
    """What came of it, after the words: OK, or why there are none, or why they end too early (`reason`, without content)."""

    outcome: Outcome
    model: str = ""
    reason: str = ""
    cut_off: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retry_at: datetime | None = None


class Speaker:
    """One for a process; safe to share between tasks of one event loop. `model` is asked instead of the agent's own.

    Raises SettingsError for prices that cannot be read.
    """

    def __init__(self, settings: Settings, ledger: Ledger, clock: Clock, model: str | None = None) -> None:
        self._settings, self._ledger, self._clock, self._model = settings, ledger, clock, model
        self._prices = read_prices(settings.prices)
        self._endpoint = address_of(settings.openai_base_url).url
        self._wire: Wire | None = None

    def model_for(self, agent: str) -> str | None:
        """The model that is asked for the agent, or None: then nobody is, and it costs nothing."""
        reachable = self._settings.openai_api_key or self._settings.openai_base_url
        return (self._model or self._settings.model_of(agent)) if reachable else None

    async def say(self, speech: Speech) -> AsyncGenerator[str | Spoken, None]:
        """The words as they come, and at the end one Spoken. Nothing is asked twice once words came. Raises DatabaseError only.

        Closed early, what was said by then is accounted for.
        """
        model = self.model_for(speech.agent)
        if model is None:
            yield Spoken(Outcome.NO_MODEL, reason=NO_MODEL)
            return
        spoken: Spoken | None = None
        for _ in range(1 + self._settings.aux_retries):
            again = False
            async with aclosing(self._attempt(speech, model)) as words:
                async for one in words:
                    if isinstance(one, _Ended):
                        spoken, again = one.spoken, one.again
                    else:
                        yield one
            if not again:
                break
        assert spoken is not None, "an attempt says how it ended"
        yield spoken

    async def close(self) -> None:
        """Close the connections of the running event loop. May be used again."""
        if self._wire is not None:
            await self._wire.close()

    async def _attempt(self, speech: Speech, model: str) -> AsyncGenerator[str | _Ended, None]:
        """breaker → budget → call → account."""
        admitted = await self._ledger.admit(self._endpoint)
        if isinstance(admitted, Down):
            yield _Ended(Spoken(Outcome.ENDPOINT_DOWN, model, admitted.reason, retry_at=admitted.retry_at))
            return
        if self._wire is None:
            opened = await asyncio.to_thread(self._open)
            self._wire = self._wire or opened
        asked = _asked(speech)
        usd = self._prices.of(model).of(asked.tokens, asked.max_tokens)
        most = asked.tokens + asked.max_tokens
        reserved = await self._ledger.reserve(Call(speech.tenant_id, speech.agent, "chat", self._endpoint, model, most, usd))
        if isinstance(reserved, Refused):
            if admitted.probing:
                await self._ledger.withdraw(self._endpoint)
            yield _Ended(Spoken(Outcome.BUDGET_SPENT, model, reserved.reason, retry_at=reserved.renews_at))
            return
        async with aclosing(self._call(self._wire, reserved, asked)) as words:
            async for one in words:
                yield one

    async def _call(self, wire: Wire, reserved: Reserved, asked: Asked) -> AsyncGenerator[str | _Ended, None]:
        """One call, with its row in the ledger and its word to the breaker."""
        began, heard = self._clock.monotonic_s(), 0
        ended: Said | NotSaid | None = None
        settled = False
        try:
            async with aclosing(wire.stream(reserved.call.model, asked)) as words:
                async for one in words:
                    if isinstance(one, str):
                        heard += measure(one)
                        yield one
                    else:
                        ended = one
            assert ended is not None, "a stream says how it ended"
            settled = True
            yield await self._settle(reserved, asked, ended, heard, (self._clock.monotonic_s() - began) * 1000)
        except GeneratorExit:  # nobody listens any more: what came by then is paid
            if not settled:
                latency_ms = (self._clock.monotonic_s() - began) * 1000
                await self._ledger.settle(reserved, self._usage(reserved, "ok", asked.tokens, heard, latency_ms))
                await self._ledger.answered(self._endpoint)
            raise

    async def _settle(self, reserved: Reserved, asked: Asked, ended: Said | NotSaid, heard: int, latency_ms: float) -> _Ended:
        from thoth_substrate.llm.wire import NotSaid

        model = reserved.call.model
        if isinstance(ended, NotSaid):
            sent, received = (asked.tokens, heard or asked.max_tokens) if ended.charged else (0, 0)
            await self._ledger.settle(reserved, self._usage(reserved, "failed", sent, received, latency_ms, ended.reason))
            until = None if ended.refused else await self._ledger.failed(self._endpoint, ended.reason, self._later(ended))
            outcome = Outcome.FAILED if ended.refused or heard else Outcome.ENDPOINT_DOWN
            spoken = Spoken(outcome, model, ended.reason, False, sent, received, until)
            return _Ended(spoken, again=ended.retry and not heard and until is None)
        sent = ended.prompt_tokens or asked.tokens
        received = ended.completion_tokens or heard
        said: Literal["ok", "failed"] = "ok" if heard else "failed"
        usage = self._usage(reserved, said, sent, received, latency_ms, "" if heard else SILENT, ended.cached_tokens)
        await self._ledger.settle(reserved, usage)
        await self._ledger.answered(self._endpoint)
        outcome = Outcome.OK if heard else Outcome.FAILED
        return _Ended(Spoken(outcome, model, usage.reason, ended.cut_off, sent, received))

    def _usage(
        self, reserved: Reserved, outcome: Literal["ok", "failed"], sent: int, received: int, latency_ms: float, reason: str = "",
        cached: int = 0,
    ) -> Usage:  # fmt: skip
        usd = self._prices.of(reserved.call.model).of(sent, received, cached)
        return Usage(outcome, sent, received, cached, usd, latency_ms, reason)

    def _later(self, ended: NotSaid) -> datetime | None:
        return None if ended.retry_after is None else self._clock.now() + ended.retry_after

    def _open(self) -> Wire:
        from thoth_substrate.llm.wire import Wire  # half a second to import, and often not needed

        s = self._settings
        key = s.openai_api_key.get_secret_value() if s.openai_api_key else None
        return Wire(key, address_of(s.openai_base_url), timedelta(milliseconds=s.aux_timeout_ms))


@dataclass(frozen=True, slots=True)
class _Ended:
    """How one attempt ended, and whether another may help at once."""

    spoken: Spoken
    again: bool = False


def _asked(speech: Speech) -> Asked:
    from thoth_substrate.llm.structure import clean
    from thoth_substrate.llm.tiers import Asked

    messages = [{**message, "content": clean(message["content"])} for message in speech.messages]
    tokens = sum(measure(message["content"]) + FRAME_TOKENS for message in messages)
    return Asked(speech.agent, messages, speech.max_tokens, tokens, temperature=speech.temperature)
