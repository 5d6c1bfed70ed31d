"""One deadline for everything, passed down; what is late is left behind, never waited for."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sized
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.errors import DatabaseError, EmbeddingError
from thoth_substrate.model.projection import Leg, LegState

T = TypeVar("T")
_Begun = tuple[AsyncExitStack, Tx]

log = logging.getLogger("thoth.recall")
ENDING_S = 1.0
_ENDING: set[asyncio.Task[None]] = set()


class Late(Exception):
    """A step did not answer within its time."""


@dataclass(slots=True)
class Deadline:
    """When the turn must have its answer. Measured on the event loop's monotonic clock: real time, also in tests."""

    ends_at: float
    started_at: float

    @classmethod
    def after_ms(cls, milliseconds: float) -> Deadline:
        now = asyncio.get_running_loop().time()
        return cls(now + milliseconds / 1000, now)

    def left_s(self) -> float:
        return max(self.ends_at - asyncio.get_running_loop().time(), 0.0)

    def share_left(self) -> float:
        """How much of the whole time is left, 0..1."""
        return self.left_s() / max(self.ends_at - self.started_at, 1e-9)

    def spent_ms(self) -> float:
        return (asyncio.get_running_loop().time() - self.started_at) * 1000


@dataclass(slots=True)
class Reading:
    """Transactions that may have to be cut: against a frozen server even a cancelled query's release hangs."""

    db: Database
    tenant_id: str
    _open: list[Tx] = field(default_factory=list)
    _shared: bool = False
    _resting: _Begun | None = None

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """Steps inside share one transaction, which the first of them begins: each saves three trips to the server.

        It ends with them, but nobody waits for that. A step that fails ends it, and the next one begins another.
        """
        self._shared = True
        try:
            yield
        finally:
            self._shared = False
            if self._resting is not None:
                begun, self._resting = self._resting, None
                task = asyncio.create_task(self._end(begun))
                _ENDING.add(task)
                task.add_done_callback(_ENDING.discard)

    @asynccontextmanager
    async def tx(self) -> AsyncIterator[Tx]:
        """A transaction for one step. Raises what its statements raise."""
        begun, self._resting = self._resting or await self._begin(), None
        stack, tx = begun
        try:
            yield tx
            if self._shared:
                self._resting = begun
            else:
                await stack.aclose()
        except BaseException:
            await stack.__aexit__(*sys.exc_info())
            raise
        finally:
            if self._resting is not begun:
                self._forget(tx)

    def cut(self) -> None:
        """Terminate what is still open, at once."""
        for tx in self._open:
            tx.kill()

    async def _begin(self) -> _Begun:
        stack, mine = AsyncExitStack(), list[Tx]()

        def opened(tx: Tx) -> None:
            mine.append(tx)
            self._open.append(tx)

        try:
            return stack, await stack.enter_async_context(self.db.tenant(self.tenant_id, opened))
        except BaseException:
            for tx in mine:
                self._forget(tx)
            raise

    async def _end(self, begun: _Begun) -> None:
        stack, tx = begun
        try:
            await within(stack.aclose(), ENDING_S, tx.kill)
        except (Late, DatabaseError) as error:
            log.debug("A recall's transaction did not end by itself: %r", error)
        finally:
            self._forget(tx)

    def _forget(self, tx: Tx) -> None:
        self._open = [other for other in self._open if other is not tx]


async def within(work: Awaitable[T], seconds: float, cut: Callable[[], None] | None = None) -> T:
    """The result of `work` if it comes within `seconds`; else raise Late and leave it behind, cut and cancelled."""
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _leave(task)
        raise
    if done:
        return task.result()
    if cut is not None:
        cut()
    _leave(task)
    raise Late


def _leave(task: asyncio.Future[Any]) -> None:
    """Leave a task behind, cancelled; whatever comes of it."""
    task.add_done_callback(_swallow)
    task.cancel()


def _rows(result: object) -> int:
    """How many rows a step brought; a vector is one thing, however long."""
    return len(result) if isinstance(result, Sized) and not isinstance(result, np.ndarray) else 1


def _swallow(task: asyncio.Future[Any]) -> None:
    """Look at an abandoned task's outcome, so that asyncio does not complain that nobody did."""
    if not task.cancelled():
        task.exception()


@dataclass(slots=True)
class Legs:
    """Runs the steps of one recall and remembers how each ended."""

    deadline: Deadline
    ended: list[Leg] = field(default_factory=list)

    async def run(
        self, name: str, work: Awaitable[T], seconds: float | None = None, cut: Callable[[], None] | None = None
    ) -> T | None:
        """The result, or None when the step was late or failed; either way its end is noted. `seconds` caps its share."""
        left = self.deadline.left_s() if seconds is None else min(seconds, self.deadline.left_s())
        before = self.deadline.spent_ms()
        try:
            result = await within(work, left, cut)
        except Late:
            self.note(name, LegState.LATE, before, why=f"no answer within {left * 1000:.0f} ms")
            return None
        except (DatabaseError, EmbeddingError) as error:
            self.note(name, LegState.FAILED, before, why=str(error))
            return None
        self.note(name, LegState.ANSWERED, before, rows=_rows(result))
        return result

    def note(self, name: str, state: LegState, since_ms: float | None = None, rows: int = 0, why: str = "") -> None:
        took = self.deadline.spent_ms() - since_ms if since_ms is not None else 0.0
        self.ended.append(Leg(name, state, rows, round(took, 2), why))

    def __getitem__(self, name: str) -> Leg | None:
        return next((leg for leg in self.ended if leg.name == name), None)

    @property
    def late(self) -> bool:
        return any(leg.state is LegState.LATE for leg in self.ended)

    @property
    def failed(self) -> bool:
        return any(leg.state is LegState.FAILED for leg in self.ended)
