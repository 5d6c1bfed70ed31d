"""A process of ours beside this one: alive while we are, no longer, and not without end if it cannot live."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import tenacity
from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from thoth_substrate.model.clock import SystemClock
from thoth_workers import child
from thoth_workers.child import Child

ONCE = "import os, sys; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); sys.exit(3)"
UNTIL_EOF = "import os, sys; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); sys.stdin.read()"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {UNTIL_EOF.replace('sys.stdin.read()', 'signal.pause()')}"


def one(tmp_path: Path, program: str, grace: timedelta = timedelta(seconds=20)) -> Child:
    return Child("The test", [sys.executable, "-c", program, str(tmp_path / "lives")], dict(os.environ), SystemClock(), grace)


async def lives(tmp_path: Path, least: int) -> list[int]:
    """The ids of the processes that began, once there were so many."""
    file = tmp_path / "lives"

    async def begun() -> list[int]:
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    enough = tenacity.retry_if_result(lambda found: len(found) < least)
    return await tenacity.AsyncRetrying(retry=enough, stop=tenacity.stop_after_delay(90), wait=tenacity.wait_fixed(0.02))(begun)


async def test_one_that_dies_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child, "FIRST_WAIT", timedelta(milliseconds=1))
    stop = asyncio.Event()
    running = asyncio.create_task(one(tmp_path, ONCE).run(stop))
    found = await lives(tmp_path, 3)
    stop.set()
    await running
    assert len(set(found)) == len(found)
    assert "The test has died (exit 3) and is started again" in caplog.text


async def test_it_is_told_to_stop(tmp_path: Path) -> None:
    stop = asyncio.Event()
    beside = one(tmp_path, UNTIL_EOF)
    running = asyncio.create_task(beside.run(stop))
    [pid] = await lives(tmp_path, 1)
    assert beside.pid == pid
    stop.set()
    await running
    assert beside.pid is None


async def test_one_that_does_not_listen_is_killed_after_its_grace(tmp_path: Path) -> None:
    stop = asyncio.Event()
    beside = one(tmp_path, DEAF, timedelta(milliseconds=50))
    running = asyncio.create_task(beside.run(stop))
    await lives(tmp_path, 1)
    stop.set()
    await running
    assert beside.pid is None


async def test_it_does_not_outlive_a_cancelled_parent(tmp_path: Path) -> None:
    beside = one(tmp_path, UNTIL_EOF)
    running = asyncio.create_task(beside.run(asyncio.Event()))
    [pid] = await lives(tmp_path, 1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert await gone(pid)


async def gone(pid: int) -> bool:
    """Wait until there is no such process."""

    def is_gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    looking = Retrying(stop=stop_after_delay(90), wait=wait_fixed(0.01), retry=retry_if_result(lambda done: not done))
    return await asyncio.to_thread(looking, is_gone)
