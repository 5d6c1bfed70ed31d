"""A real server on a free port for a test: uvicorn in a thread with a loop of its own, on the test's database."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from thoth_substrate.boot import open_substrate
from thoth_substrate.errors import ThothError
from thoth_substrate.house import House
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.server.run import address, listen, serve_on
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs: where, on what, and a client that waits long enough for a loaded machine."""

    url: str
    house: House
    substrate: Substrate
    settings: Settings
    client: httpx2.Client


@contextlib.contextmanager
def serving(dsn: str, home: Path, *, awake: bool = True, **given: Any) -> Iterator[Served]:
    """Serve on `dsn`. `given` are settings by variable; recall is on, no embedder. `awake` waits until the database is reached.

    Raises what `listen` raises.
    """
    settings = load(
        **{"THOTH_HOME": str(home), "THOTH_PG_DSN": dsn, "THOTH_SERVER_PORT": 0, "THOTH_SUBSTRATE_RECALL": True,
           "THOTH_EMBED_PROVIDER": "none", **given}
    )  # fmt: skip
    with open_substrate(settings, dsn) as substrate:
        assert not awake or substrate.ready_sync(PATIENCE_S)
        house = House(settings, substrate, dsn, SystemClock())
        with _running(house) as url, httpx2.Client(base_url=url, timeout=PATIENCE_S, trust_env=False) as client:
            yield Served(url, house, substrate, settings, client)


@contextlib.contextmanager
def _running(house: House) -> Iterator[str]:
    where: Future[str] = Future()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(_life(house, where, stop)), name="test server")
    thread.start()
    try:
        yield where.result(PATIENCE_S)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)
        loop.close()


async def _life(house: House, where: Future[str], stop: asyncio.Event) -> None:
    try:
        listening = await listen(house)
        where.set_result(address(listening))
        await serve_on(house, listening, stop)
    except ThothError as error:
        if where.done():
            raise
        where.set_exception(error)
    finally:
        await house.close()
        await _left_behind()


async def _left_behind() -> None:
    """End what still runs on the loop, as `asyncio.run` does when a process ends."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
