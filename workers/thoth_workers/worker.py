"""What a worker is: a name, a period, a limit, and a tick that does one thing once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import Clock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings

if TYPE_CHECKING:
    from thoth_substrate.llm.chat import Chat

AT_ONCE = timedelta(0)


@dataclass(frozen=True, slots=True)
class Report:
    """What a tick did: `did` counts it (0: nothing, and nothing is recorded), `detail` says it in JSON values.

    `by_tenant` gives single tenants' share of it, for their own diaries. `next_in` asks for the next tick sooner or
    later than the worker's period. `told` means that the tick has written its own decisions.
    """

    did: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    next_in: timedelta | None = None
    by_tenant: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    told: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What a tick may use. The loop has asked every gate before: `level` is never OFF. `chat` is the crew's model."""

    settings: Settings
    database: Database
    clock: Clock
    level: Intensity
    embedder: Embedder | None = None
    calibrate: Callable[[Database], Awaitable[int]] | None = None
    chat: Chat | None = None
    stop: asyncio.Event | None = None

    @property
    def stopping(self) -> bool:
        """The process has been told to stop: a tick of many parts begins no further one."""
        return self.stop is not None and self.stop.is_set()

    def rows(self, full: int) -> int:
        """How many rows a batch of `full` is at this level."""
        return self.level.scale(full)

    def again(self, more: bool) -> timedelta | None:
        """When the next tick is due: at once while there is more to do, unless the level asks for moderation."""
        return AT_ONCE if more and self.level is Intensity.FULL else None


Tick = Callable[[Context], Awaitable[Report]]


@dataclass(frozen=True, slots=True)
class Worker:
    """Data and one function. `tick` runs every `every`, within `limit`; a singleton runs on one host at a time.

    A tick holds no state and no loop, may be killed anywhere, and may run twice: it re-checks what it changes.
    """

    name: str
    every: timedelta
    limit: timedelta
    tick: Tick
    enabled: Callable[[Settings], bool]
    singleton: bool = True
