"""An embedder whose every call stands in the ledger, under the same budgets and a breaker as chats do.

Only for vectors that are paid for by the token: a model on this machine costs nothing, and is not metered.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Literal, TypeVar

from thoth_substrate.errors import DatabaseError, EmbedderUnavailable, EmbeddingError
from thoth_substrate.llm.prices import Price
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.payer import payer
from thoth_substrate.model.ports import Call, Down, Embedder, EmbeddingModel, Ledger, Refused, Reserved, Usage, Vector
from thoth_substrate.model.tokens import measure

T = TypeVar("T")
PASSAGES, QUESTIONS = "embedder", "recall"  # who is said to have called
LONG = timedelta(seconds=5)  # who asks for more is left alone by everybody


class MeteredEmbedder:
    """`embedder`, on account. `endpoint` is where it asks, `price` what that costs, `tenant_id` who pays unless `paid_by` says.

    May be used from several event loops, as soon as each has its ledger (`keep_account`); before that it is unavailable.
    """

    def __init__(self, embedder: Embedder, endpoint: str, price: Price, tenant_id: str) -> None:
        self._embedder, self._endpoint, self._price, self._tenant_id = embedder, endpoint, price, tenant_id
        self._accounts: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Ledger, Clock]] = weakref.WeakKeyDictionary()

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    def keep_account(self, ledger: Ledger, clock: Clock) -> None:
        """Where the running loop's calls are accounted for, from now on."""
        self._accounts[asyncio.get_running_loop()] = ledger, clock

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """As the embedder's. Raises EmbedderUnavailable also while a budget is spent, and DatabaseError."""
        if not texts:
            return []
        return await self._on_account(PASSAGES, sum(map(measure, texts)), lambda: self._embedder.passages(texts))

    async def query(self, text: str) -> Vector:
        """As the embedder's. Raises EmbedderUnavailable also while a budget is spent, or the account cannot be kept."""
        try:
            return await self._on_account(QUESTIONS, measure(text), lambda: self._embedder.query(text))
        except DatabaseError as error:
            raise EmbedderUnavailable(f"No vector while the ledger cannot be written: {error}") from error

    async def _on_account(self, agent: str, tokens: int, embed: Callable[[], Awaitable[T]]) -> T:
        account = self._accounts.get(asyncio.get_running_loop())
        if account is None:
            raise EmbedderUnavailable("No vectors before the database was reached: every call must stand in the ledger.")
        ledger, clock = account
        admitted = await ledger.admit(self._endpoint)
        if isinstance(admitted, Down):
            raise EmbedderUnavailable(admitted.reason, max(admitted.retry_at - clock.now(), timedelta(0)))
        usd = self._price.of(tokens, 0)
        reserved = await ledger.reserve(
            Call(payer() or self._tenant_id, agent, "embedding", self._endpoint, self.model.name, tokens, usd)
        )
        if isinstance(reserved, Refused):
            if admitted.probing:
                await ledger.withdraw(self._endpoint)
            raise EmbedderUnavailable(reserved.reason, max(reserved.renews_at - clock.now(), timedelta(0)))
        return await self._made(ledger, clock, reserved, embed)

    async def _made(self, ledger: Ledger, clock: Clock, reserved: Reserved, embed: Callable[[], Awaitable[T]]) -> T:
        began = clock.monotonic_s()

        async def settle(outcome: Literal["ok", "failed"], tokens: int, reason: str = "") -> None:
            latency_ms = (clock.monotonic_s() - began) * 1000
            usage = Usage(outcome, tokens, usd=self._price.of(tokens, 0), latency_ms=latency_ms, reason=reason)
            await ledger.settle(reserved, usage)

        try:
            made = await embed()
        except EmbedderUnavailable as error:  # it served nobody, and charges nobody
            await settle("failed", 0, "no vectors came")
            await ledger.failed(self._endpoint, "no vectors came", _asked(clock, error.retry_in))
            raise
        except EmbeddingError:  # the texts' doing: the endpoint works, and may charge for what it made of them
            await settle("failed", reserved.call.tokens, "not the vectors of these texts")
            await ledger.answered(self._endpoint)
            raise
        await settle("ok", reserved.call.tokens)
        await ledger.answered(self._endpoint)
        return made


def bare_model(name: str) -> str:
    """The name under which an embedding model is priced: `openai:large/512` is `large`."""
    bare = name.partition(":")[2] or name
    head, _, dimensions = bare.rpartition("/")
    return head if head and dimensions.isdigit() else bare


def _asked(clock: Clock, retry_in: timedelta | None) -> datetime | None:
    return clock.now() + retry_in if retry_in is not None and retry_in > LONG else None
