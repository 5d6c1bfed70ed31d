"""How a pool comes by its connections: made to the end, also when whoever asked for one has given up meanwhile.

A recall gives up at its deadline. Under load that often falls into the making of a connection; to break that off would throw
the work away just when it is dearest, so that no later recall finds a connection either. And the driver has a moment in which
to break it off leaves a future behind, with an exception that nobody can look at (`ConnectionError: unexpected
connection_lost() call`), which asyncio then complains of. So it is not broken off: whoever comes next takes it over. A pool
never has more of them than it may have connections.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg

Task = asyncio.Task[asyncpg.Connection]


class Connecting:
    """Makes connections for one pool, each with what `prepare` does to it. `close` ends what nobody took over."""

    def __init__(self, prepare: Callable[[asyncpg.Connection], Awaitable[None]]) -> None:
        self._prepare = prepare
        self._left: list[Task] = []  # being made, or made, and wanted by nobody just now
        self._is_closed = False

    async def __call__(self, *arguments: Any, **options: Any) -> asyncpg.Connection:
        """A connection, as `asyncpg.connect` makes it, in `timeout` seconds, and as many again to prepare it.

        Raises what that raises, also TimeoutError. Cancelled, it leaves the making to the next, if there may be one: what is made
        after `close` is cut as soon as it is made.
        """
        task = self._taken_over() or asyncio.create_task(self._made(arguments, options))
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            task.add_done_callback(_cut if self._is_closed else _looked_at)
            if not self._is_closed:
                self._left.append(task)
            raise
        return task.result()

    async def close(self, patience_s: float) -> None:
        """Let what is still being made come to its end for `patience_s`, then break it off; cut what is made."""
        self._is_closed = True
        if waiting := [task for task in self._left if not task.done()]:
            await asyncio.wait(waiting, timeout=patience_s)
        for task in self._left:
            _cut(task)
            task.cancel()
        self._left.clear()

    def _taken_over(self) -> Task | None:
        """The first that may still become a connection, or is one; those that failed or were lost meanwhile are dropped."""
        while self._left:
            task = self._left.pop(0)
            if not task.done() or _stands(task):
                return task
        return None

    async def _made(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> asyncpg.Connection:
        connection: asyncpg.Connection = await asyncpg.connect(*arguments, **options)
        try:
            async with asyncio.timeout(options.get("timeout")):  # whoever comes next would wait for it too, for ever
                await self._prepare(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection


def _stands(task: Task) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None and not task.result().is_closed()


def _cut(task: Task) -> None:
    if _stands(task):  # looks at its exception, too
        task.result().terminate()


def _looked_at(task: Task) -> None:
    """Nobody may come for it, and asyncio is not to complain that nobody looked."""
    with contextlib.suppress(asyncio.CancelledError):
        task.exception()
