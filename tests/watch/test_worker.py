"""The watcher as a worker: it looks when it is time or something stirs, a bounded step a tick, and its switch holds."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from typing import Any

from tests.watch.support import TENANT, Vault
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.settings import load
from thoth_substrate.watch.events import listen
from thoth_substrate.watch.watch import Options
from thoth_workers.loop import Turn
from thoth_workers.supervisor import Supervisor
from thoth_workers.watching import watcher
from thoth_workers.worker import AT_ONCE


async def turn(vault: Vault, **given: Any) -> Turn:
    settings = load(THOTH_HOME=str(vault.home), **given)
    return await Supervisor(settings, vault.db, None, vault.db.clock, workers=[watcher(vault.watch)]).run_once("watcher")


async def test_it_looks_when_it_is_time_and_reads_everything_now_and_then(vault: Vault, clock: PinnedClock) -> None:
    vault.again(options=Options(quick=timedelta(seconds=60), full=timedelta(minutes=30)))
    vault.write("a.txt", "alpha")
    first = await turn(vault)
    assert first.report is not None
    assert (first.report.detail["added"], first.report.detail["live"], first.wait) == (1, 1, AT_ONCE)
    vault.write("b.txt", "beta")
    assert (await turn(vault)).report is not None
    assert "b.txt" not in vault.files()
    clock.advance(timedelta(seconds=61))
    await turn(vault)
    assert vault.files() == {"a.txt": "live", "b.txt": "live"}
    same_size = vault.root / "a.txt"
    times = same_size.stat()
    same_size.write_text("omega")
    os.utime(same_size, ns=(times.st_atime_ns, times.st_mtime_ns))  # changed behind the back of its time
    clock.advance(timedelta(seconds=61))
    await turn(vault)
    assert vault.answers("omega") == []
    clock.advance(timedelta(minutes=31))
    await turn(vault)
    await vault.searchable()
    assert (vault.answers("alpha"), vault.answers("omega")) == ([], ["a.txt"])


async def test_its_switch_holds(vault: Vault) -> None:
    vault.write("a.txt", "alpha")
    off = await turn(vault, THOTH_SUBSTRATE_WATCHER="0")
    assert off.standing == "THOTH_SUBSTRATE_WATCHER is 0"
    assert vault.files() == {}


async def test_what_it_did_stands_in_the_diary(vault: Vault) -> None:
    vault.write("a.txt", "alpha")
    await turn(vault)
    (told,) = vault.rows(
        "select payload -> 'decision' from thoth.substrate_slices where session_id = 'diary' and tenant_id = %s", TENANT
    )
    assert "a.txt" not in str(told)  # counts, and no paths


async def test_an_event_of_the_file_system_is_an_alarm(vault: Vault) -> None:
    alarmed, stop = asyncio.Event(), asyncio.Event()
    listening = asyncio.create_task(listen([vault.root, vault.root / "nothing"], alarmed.set, stop))
    writes = 0
    while not alarmed.is_set():
        writes += 1
        vault.write("a.txt", f"alpha {writes}")
        try:
            async with asyncio.timeout(0.2):
                await alarmed.wait()
        except TimeoutError:
            assert writes < 300
    stop.set()
    await listening


async def test_a_large_folder_is_taken_in_by_steps(vault: Vault) -> None:
    for number in range(70):
        vault.write(f"{number}.txt", f"word{number}")
    steps = await vault.settles()
    assert [step.taken.live for step in steps] == [32, 32, 6, 0]
    assert [step.more for step in steps] == [True, True, True, False]
