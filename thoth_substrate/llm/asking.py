"""How one prompt is asked: breaker → budget → call → account, tier by tier, until it can be read or there is no more to try.

A failure of the endpoint is told apart from one of the prompt, since only the latter may ever be given up: while an
endpoint is known to be ill nobody's work is counted against it, and whether it is well again is found out by a ping.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel
from tenacity import AsyncRetrying, RetryCallState, retry_if_result, wait_random_exponential
from tenacity.wait import wait_base

from thoth_substrate.llm.prices import Prices
from thoth_substrate.llm.prompt import Answer, M, Outcome, Prompt
from thoth_substrate.llm.structure import Read, read_reply
from thoth_substrate.llm.tiers import ORDER, Asked, first_try, second_try
from thoth_substrate.llm.wire import NotSaid, Said, Wire
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.ports import Call, Down, Ledger, Refused, Tier, Usage
from thoth_substrate.model.tokens import measure

RETRY_AFTER_MOST = timedelta(seconds=5)  # that an attempt waits for; who asks for more is left alone until then
GUESSES = 2
PING_TOKENS = 1000  # a model that reasons needs some before it says anything
R = TypeVar("R", bound=BaseModel)
WAIT = wait_random_exponential(multiplier=0.5, max=8)


@dataclass(frozen=True, slots=True)
class Patience:
    """Further attempts at a call, how long an ill endpoint is left alone at least, and the pause between attempts."""

    retries: int
    leave_alone: timedelta
    wait: wait_base | None = None


class _Ping(BaseModel):
    """What a probe asks for: next to nothing, so that no memory is spent on finding out whether an endpoint is well."""

    ok: bool


@dataclass(frozen=True, slots=True)
class _Turn(Generic[R]):
    """What one request came to: `stop` when it was not made or need not be made again; else what was read, or the `fault`.

    `retry_at` is set when the endpoint is left alone from now on.
    """

    stop: Answer[Any] | None = None
    read: Read[R] | None = None
    text: str = ""
    cut_off: bool = False
    fault: NotSaid | None = None
    retry_at: datetime | None = None

    @property
    def problem(self) -> str:
        return self.fault.reason if self.fault else self.read.problem if self.read else ""


class Gate:
    """Everything that asking needs, shared by all prompts. `endpoint` is the URL as it is stored."""

    def __init__(self, endpoint: str, wire: Wire, ledger: Ledger, prices: Prices, clock: Clock, patience: Patience) -> None:
        self.endpoint, self.wire, self.ledger = endpoint, wire, ledger
        self.prices, self.clock, self.patience = prices, clock, patience

    async def ask(self, prompt: Prompt[M], model: str) -> Answer[M]:
        """The reply, or why there is none. Raises DatabaseError only."""
        known = await self.ledger.tier(self.endpoint, model)
        return await _Asking(self, prompt, model, known).ask()


class _Asking(Generic[M]):
    """One prompt on its way."""

    def __init__(self, gate: Gate, prompt: Prompt[M], model: str, known: Tier | None) -> None:
        self._gate, self._prompt, self._model, self._known = gate, prompt, model, known
        self._sent = self._received = 0  # tokens, of every call so far
        self._ill_before: int | None = None  # failures in a row when the first attempt was let through

    async def ask(self) -> Answer[M]:
        """At the tier that is known to work an unreadable reply gets one corrective retry; else the next tier is tried."""
        turn: _Turn[M] = _Turn()
        for tier in ORDER[ORDER.index(self._known) if self._known else 0 :]:
            turn = await self._at(tier)
            if turn.stop is not None:
                return turn.stop
            if turn.read is not None and turn.read.value is not None:
                if tier != self._known:
                    await self._gate.ledger.learn_tier(self._gate.endpoint, self._model, tier)
                outcome = Outcome.SALVAGED if turn.read.dropped else Outcome.OK
                return self._answer(outcome, "", text=turn.text, value=turn.read.value, dropped=turn.read.dropped)
            if tier == self._known and turn.read is not None:
                break  # the way of asking is not what is wrong
        cut = f"the reply was cut off at {self._prompt.max_tokens} tokens: " if turn.cut_off else ""
        return self._answer(Outcome.FAILED, cut + turn.problem, turn.retry_at, turn.text)

    async def _at(self, tier: Tier) -> _Turn[M]:
        p = self._prompt
        asked = first_try(p.agent, p.system, p.user, p.reply, p.max_tokens, tier, p.images)
        turn = await self._attempts(asked, guessing=self._known is None and tier != ORDER[-1])
        if turn.read is None or turn.read.value is not None or turn.cut_off or tier not in (self._known, ORDER[-1]):
            return turn
        return await self._attempts(second_try(asked, turn.text, turn.read.problem))

    async def _attempts(self, asked: Asked, *, guessing: bool = False) -> _Turn[M]:
        """One request, made again after a pause while its failures are passing ones.

        Some servers answer a way of asking that they do not know with a 500: before one is known to work, the next is tried,
        and while `guessing` soon, so that the last is reached before the breaker opens.
        """
        patience = self._gate.patience
        trying = AsyncRetrying(
            stop=_stop(1 + patience.retries, guessing=guessing), wait=_pause(patience.wait or WAIT),
            retry=retry_if_result(_passes), retry_error_callback=_last,
        )  # fmt: skip
        turn: _Turn[M] = await trying(self._attempt, asked)
        if turn.fault is None or turn.fault.refused:
            return turn
        # Only what may be the prompt's doing counts against it, and only when the endpoint was well before.
        to_blame = turn.fault.ambiguous and self._ill_before == 0
        if to_blame and turn.fault.broke and turn.retry_at is None and self._known is None:
            return turn
        outcome = Outcome.FAILED if to_blame else Outcome.ENDPOINT_DOWN
        return _Turn(self._answer(outcome, turn.fault.reason, turn.retry_at or self._later(turn.fault)))

    async def _attempt(self, asked: Asked) -> _Turn[M]:
        admitted = await self._gate.ledger.admit(self._gate.endpoint)
        if isinstance(admitted, Down):
            return _Turn(self._answer(Outcome.ENDPOINT_DOWN, admitted.reason, admitted.retry_at))
        if admitted.probing and (down := await self._ping()) is not None:
            return _Turn(down)
        if self._ill_before is None:
            self._ill_before = 0 if admitted.probing else admitted.failures
        return await self._call(asked, self._prompt.reply)

    async def _ping(self) -> Answer[M] | None:
        """Find out whether the endpoint is well again, with next to nothing; an answer when it is not."""
        system = "You are the probe of a memory.\nYou only show that you can be read."
        asked = first_try("probe", system, 'Answer {"ok": true}.', _Ping, PING_TOKENS, self._known or ORDER[-1])
        turn = await self._call(asked, _Ping)
        if turn.stop is not None:
            await self._gate.ledger.withdraw(self._gate.endpoint)
            return turn.stop
        if turn.read is not None and turn.read.value is not None:
            return None
        until = turn.retry_at or await self._gate.ledger.failed(self._gate.endpoint, turn.problem)
        return self._answer(Outcome.ENDPOINT_DOWN, f"still ill: {turn.problem}", until or self._later(turn.fault))

    async def _call(self, asked: Asked, reply: type[R]) -> _Turn[R]:
        """One call, with its row in the ledger and its word to the breaker."""
        gate, p = self._gate, self._prompt
        most = asked.tokens + asked.max_tokens
        usd = gate.prices.of(self._model).of(asked.tokens, asked.max_tokens)
        reserved = await gate.ledger.reserve(
            Call(p.tenant_id, p.agent, "chat", gate.endpoint, self._model, most, usd, p.decision_id)
        )
        if isinstance(reserved, Refused):
            return _Turn(self._answer(Outcome.BUDGET_SPENT, reserved.reason, reserved.renews_at))
        began = gate.clock.monotonic_s()
        # Cancelled in here the call stays set aside, and is swept up as abandoned: it may have to be paid in full.
        said = await gate.wire.complete(self._model, asked)
        latency_ms = (gate.clock.monotonic_s() - began) * 1000
        turn = _heard(said, reply)
        usage = self._usage(asked, said, turn, latency_ms)
        await gate.ledger.settle(reserved, usage)
        self._sent, self._received = self._sent + usage.prompt_tokens, self._received + usage.completion_tokens
        return replace(turn, retry_at=await self._tell(turn))

    async def _tell(self, turn: _Turn[R]) -> datetime | None:
        """Tell the breaker how the endpoint did; answers until when it is left alone from now on, if it is."""
        if turn.read is not None and turn.read.value is not None:
            await self._gate.ledger.answered(self._gate.endpoint)
            return None
        if turn.fault is not None and turn.fault.refused:
            return None  # it works; it only does not want this
        after = turn.fault.retry_after if turn.fault else None
        asked = self._gate.clock.now() + after if after is not None and after > RETRY_AFTER_MOST else None
        return await self._gate.ledger.failed(self._gate.endpoint, turn.problem, asked)

    def _usage(self, asked: Asked, said: Said | NotSaid, turn: _Turn[R], latency_ms: float) -> Usage:
        """What a call cost: as the endpoint says, else as it can be counted; what may have been charged counts in full."""
        if isinstance(said, NotSaid):
            sent, received, cached = (asked.tokens, asked.max_tokens, 0) if said.charged else (0, 0, 0)
        else:
            sent = said.prompt_tokens or asked.tokens
            received = said.completion_tokens or sum(map(measure, said.texts))
            cached = said.cached_tokens
        outcome: Literal["ok", "salvaged", "failed"] = "failed"
        if turn.read is not None and turn.read.value is not None:
            outcome = "salvaged" if turn.read.dropped else "ok"
        usd = self._gate.prices.of(self._model).of(sent, received, cached)
        return Usage(outcome, sent, received, cached, usd, latency_ms, turn.problem)

    def _answer(
        self, outcome: Outcome, reason: str, retry_at: datetime | None = None, text: str = "", value: M | None = None,
        dropped: int = 0,
    ) -> Answer[M]:  # fmt: skip
        return Answer(outcome, value, text, self._model, reason, dropped, self._sent, self._received, retry_at)

    def _later(self, fault: NotSaid | None) -> datetime:
        after = fault.retry_after if fault else None
        return self._gate.clock.now() + (after or self._gate.patience.leave_alone)


def _heard(said: Said | NotSaid, reply: type[R]) -> _Turn[R]:
    """The first of a completion's texts that can be read, else the likeliest one with what is wrong with it."""
    if isinstance(said, NotSaid):
        return _Turn(fault=said)
    heard: _Turn[R] | None = None
    for text in said.texts or ("",):
        turn = _Turn(read=read_reply(reply, text), text=text, cut_off=said.cut_off)
        if turn.read is not None and turn.read.value is not None:
            return turn
        heard = heard or turn
    assert heard is not None
    return heard


def _passes(turn: _Turn[Any]) -> bool:
    """Whether another attempt at once may succeed."""
    fault = turn.fault
    waits = fault is not None and (fault.retry_after is None or fault.retry_after <= RETRY_AFTER_MOST)
    return fault is not None and fault.retry and waits and turn.retry_at is None


def _stop(attempts: int, *, guessing: bool) -> Callable[[RetryCallState], bool]:
    """After so many attempts; after two at which the server broke while the way of asking is only a guess."""

    def stop(state: RetryCallState) -> bool:
        fault = _last(state).fault
        broke = guessing and fault is not None and fault.broke
        return state.attempt_number >= (min(attempts, GUESSES) if broke else attempts)

    return stop


def _pause(usual: wait_base) -> Callable[[RetryCallState], float]:
    """As long as the endpoint asks for, else as usual."""

    def wait(state: RetryCallState) -> float:
        fault = _last(state).fault
        return usual(state) if fault is None or fault.retry_after is None else fault.retry_after.total_seconds()

    return wait


def _last(state: RetryCallState) -> _Turn[Any]:
    assert state.outcome is not None
    turn: _Turn[Any] = state.outcome.result()
    return turn
