"""The watcher: it has folders looked at and taken in, a bounded step a tick. Made where folders are watched.

Not one of the core workers, as it needs what perceives: the composition root makes it and hands it to the supervisor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from thoth_substrate.db.pool import Database
from thoth_substrate.fade.retire import relabel, retire
from thoth_substrate.imports.documents import described, read_document
from thoth_substrate.model.documents import Description
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.settings import Settings
from thoth_substrate.watch.ports import Ports
from thoth_substrate.watch.watch import Options, Step, Watch
from thoth_workers.worker import AT_ONCE, Context, Report, Worker

if TYPE_CHECKING:
    from thoth_substrate.llm.chat import Chat

AGENT = "watcher"
EVERY = timedelta(seconds=1)
LIMIT = timedelta(minutes=30)  # the first look at a large folder reads all of it


def watch_for(
    settings: Settings, db: Database, perceive: Callable[[Event], Ack], durable: Callable[[float], Awaitable[bool]],
    roots: Sequence[Path] = (), chat: Chat | None = None,
) -> Watch:  # fmt: skip
    """A watch of `roots`, or of those in the settings. `perceive` must perceive for the settings' tenant."""
    ports = Ports(perceive, durable, read_document, described, retire, relabel, _describing(settings, chat))
    options = Options(
        settings.watch_exclusions, settings.watch_file_max_bytes, timedelta(seconds=settings.watch_quick_s),
        timedelta(seconds=settings.watch_full_s),
    )  # fmt: skip
    return Watch(db, settings.home_dir, settings.tenant, roots or settings.watch_roots, ports, options)


def watcher(watch: Watch) -> Worker:
    """The worker of a watch. Each installation runs its own: what keeps two of them apart is a lock on each folder."""

    async def tick(context: Context) -> Report:
        step = await watch.step()
        return Report(step.did, _told(step), AT_ONCE if step.more else None)

    return Worker(AGENT, EVERY, LIMIT, tick, lambda settings: settings.watcher, singleton=False)


async def listening(watch: Watch, stop: asyncio.Event) -> None:
    """Let the file system's events alarm the watch, until `stop`."""
    from thoth_substrate.watch.events import listen  # a second, for those who watch nothing

    await listen(watch.roots, watch.alarm, stop)


def _told(step: Step) -> dict[str, object]:
    told: dict[str, object] = {key: value for key, value in asdict(step.taken).items() if value}
    if step.looks is not None:
        told |= {key: value for key, value in asdict(step.looks).items() if value}
    told |= {key: value for key, value in (("retired", step.retired), ("strays", step.strays)) if value}
    return told


def _describing(settings: Settings, chat: Chat | None) -> Callable[[str, bytes], Awaitable[Description]] | None:
    if chat is None or not settings.aux_models.get(AGENT):
        return None
    from thoth_substrate.llm.vision import describe

    async def asked(name: str, content: bytes) -> Description:
        return await describe(chat, settings.tenant, AGENT, name, content)

    return asked
