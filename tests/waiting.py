"""Waiting for what comes about elsewhere, in another process or on a server: looked at until it is there, never for a time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from tenacity import AsyncRetrying, Retrying, retry_if_result, stop_after_delay, wait_fixed

T = TypeVar("T")
PATIENCE_S = 120.0  # on a machine that is busy; what is there sooner is not waited for
_AGAIN_S = 0.02


def until(look: Callable[[], T], *, patience_s: float = PATIENCE_S) -> T:
    """What `look` sees, once that is something. Raises RetryError when it stays nothing for so long."""
    looking = Retrying(stop=stop_after_delay(patience_s), wait=wait_fixed(_AGAIN_S), retry=retry_if_result(lambda seen: not seen))
    return looking(look)


async def until_async(look: Callable[[], Awaitable[T]], *, patience_s: float = PATIENCE_S) -> T:
    """The same, on a loop that goes on meanwhile."""
    looking = AsyncRetrying(
        stop=stop_after_delay(patience_s), wait=wait_fixed(_AGAIN_S), retry=retry_if_result(lambda seen: not seen)
    )
    return cast(T, await looking(look))
