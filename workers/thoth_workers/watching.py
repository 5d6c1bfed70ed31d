"""The watcher: it has folders looked at and taken in, a bounded step a tick. Made where folders are watched.

Not one of the core workers, as it needs what perceives: the composition root makes it and hands it to the supervisor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from operator import attrgetter
from pathlib import Path

from thoth_substrate.db.pool import Database
from thoth_substrate.fade.retire import relabel, retire
from thoth_substrate.imports.documents import described, read_document
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import Chat
from thoth_substrate.model.documents import Description
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.settings import Settings
from thoth_substrate.watch.ports import Ports
from thoth_substrate.watch.watch import Options, Step, Watch
from thoth_workers.worker import AT_ONCE, Context, Report, Worker

AGENT = "watcher"
EVERY = timedelta(seconds=1)
LIMIT = timedelta(minutes=30)  # the first look at a large folder reads all of it


class Watching:
    """The watcher of one process: of `roots`, or of the folders in the settings. `perceive` is for the settings' tenant.

    `worker` is for a supervisor; `listen` runs beside it; `close` gives the folders free.
    """

    def __init__(
        self, settings: Settings, db: Database, perceive: Callable[[Event], Ack], durable: Callable[[float], Awaitable[bool]],
        roots: Sequence[Path] = (),
    ) -> None:  # fmt: skip
        self._chat = Chat(settings, PostgresLedger(db, settings, db.clock), db.clock)
        ports = Ports(perceive, durable, read_document, described, retire, relabel, _describing(settings, self._chat))
        options = Options(
            settings.watch_exclusions, settings.watch_file_max_bytes, timedelta(seconds=settings.watch_quick_s),
            timedelta(seconds=settings.watch_full_s),
        )  # fmt: skip
        self.watch = Watch(db, settings.home_dir, settings.tenant, roots or settings.watch_roots, ports, options)
        self.worker = watcher(self.watch)

    async def listen(self, stop: asyncio.Event) -> None:
        """Let the file system's events alarm the watch, until `stop`."""
        from thoth_substrate.watch.events import listen  # half a second, for those who watch nothing

        await listen(self.watch.roots, self.watch.alarm, stop)

    async def close(self) -> None:
        """Close the model's connections and let others watch the folders."""
        self.watch.close()
        await self._chat.close()


def watcher(watch: Watch) -> Worker:
    """The worker of a watch. Each installation runs its own: what keeps two of them apart is a lock on each folder."""

    async def tick(context: Context) -> Report:
        step = await watch.step()
        return Report(step.did, _told(step), AT_ONCE if step.more else None)

    return Worker(AGENT, EVERY, LIMIT, tick, attrgetter("watcher"), singleton=False)


def _told(step: Step) -> dict[str, object]:
    told: dict[str, object] = {key: value for key, value in asdict(step.taken).items() if value}
    if step.looks is not None:
        told |= {key: value for key, value in asdict(step.looks).items() if value}
    told |= {key: value for key, value in (("retired", step.retired), ("strays", step.strays)) if value}
    return told


def _describing(settings: Settings, chat: Chat) -> Callable[[str, bytes], Awaitable[Description]] | None:
    """A model of its own describes pictures: the crew's may not see, and would make something up."""
    if not settings.aux_models.get(AGENT) or chat.model_for(AGENT) is None:
        return None
    from thoth_substrate.llm.vision import describe

    async def asked(name: str, content: bytes) -> Description:
        return await describe(chat, settings.tenant, AGENT, name, content)

    return asked
