"""The life of the process: killed, forked, twice, without a disk. Every acknowledged slice is there once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from tests.perceive.support import (
    PATIENCE_S,
    Road,
    all_replayed,
    column,
    flushed,
    flushing,
    replayed,
    said,
    settings,
    texts,
    until,
)
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import JournalFull
from thoth_substrate.model.clock import PinnedClock, SystemClock
from thoth_substrate.perceive import buffer
from thoth_substrate.perceive.perceiver import Perceiver

HOST = """
import asyncio, sys, threading
from tests.perceive.support import said, settings
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.perceive.perceiver import Perceiver

home, dsn, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
perceiver = Perceiver(settings(__import__("pathlib").Path(home), THOTH_BUFFER_ROWS="500"), SystemClock())

def voice():
    async def flush():
        await perceiver.run(await Database.open(dsn, PoolOptions(size=2, connect_timeout_s=1)))
    asyncio.run(flush())

threading.Thread(target=voice, daemon=True).start()
for n in range(rows):
    ack = perceiver.perceive(said(f"{home} {n}", external_id=f"{home} {n}"))
    sys.stdout.write(f"{ack.slice_id}\\n")
    sys.stdout.flush()
threading.Event().wait()
"""


async def host(home: Path, dsn: str, rows: int) -> Process:
    """Another process that perceives `rows` slices, prints each acknowledged id and lives on."""
    root = str(Path(__file__).parents[2])
    environment = dict(os.environ, PYTHONPATH=root)
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOST, str(home), dsn, str(rows), stdout=PIPE, env=environment, cwd=root
    )


async def killed_after(process: Process, acks: int) -> list[UUID]:
    """Kill it without warning once it has acknowledged so many; answers all that it acknowledged."""
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(acks)]
    process.send_signal(signal.SIGKILL)
    lines += [line for line in (await process.stdout.read()).splitlines(keepends=True) if line.endswith(b"\n")]
    await process.wait()
    return [UUID(line.decode().strip()) for line in lines]


@pytest.fixture
async def real(dsn: str) -> AsyncIterator[Database]:
    """The test's database with the machine's own clock, as the killed host has it."""
    database = await Database.open(dsn)
    yield database
    await database.close()


async def test_a_host_killed_while_the_database_is_away_loses_nothing(
    real: Database, road: Road, sql: psycopg.Connection, tmp_path: Path
) -> None:
    """faults: SIGKILL anywhere. The host is killed in mid-stream with the database away; the next start finds all of it."""
    process = await host(tmp_path, road.dsn, 1_000_000)
    assert process.stdout is not None
    early = [await process.stdout.readline() for _ in range(500)]
    await road.close()
    acks = [UUID(line.decode().strip()) for line in early] + await killed_after(process, 3000)
    mine = Perceiver(settings(tmp_path), SystemClock())
    already = column(sql, "select slice_id from thoth.substrate_slices")
    async with flushing(mine, real):
        mine.perceive(said("after the restart"))
        await until(lambda: mine.stats().replayed >= len(acks) - len(already))
        assert await mine.durable(PATIENCE_S)
    stored = Counter(column(sql, "select slice_id from thoth.substrate_slices where external_id is not null"))
    assert set(acks) <= set(stored)
    # The one that was being acknowledged when it was killed may be there as well.
    assert len(stored) - len(set(acks)) <= 1
    assert set(stored.values()) == {1}
    assert column(sql, "select count(*) from thoth.substrate_pending") == [len(stored) + 1]
    mine.close()
    assert list((tmp_path / "journal").iterdir()) == []


async def test_a_host_killed_while_it_flushes_doubles_nothing(
    real: Database, dsn: str, sql: psycopg.Connection, tmp_path: Path
) -> None:
    """faults: SIGKILL anywhere, also between a commit and the journal's checkpoint; killed again while replaying."""
    acks: list[UUID] = []
    for round_ in range(3):
        acks += await killed_after(await host(tmp_path / f"{round_}", dsn, 1_000_000), 800 + 400 * round_)
    for round_ in range(3):
        mine = Perceiver(settings(tmp_path / f"{round_}"), SystemClock())
        await all_replayed(mine, real)
        mine.close()
    stored = Counter(column(sql, "select slice_id from thoth.substrate_slices"))
    assert set(acks) <= set(stored)
    assert set(stored.values()) == {1}
    assert len(stored) - len(set(acks)) <= 3


async def test_two_hosts_share_a_home_and_each_takes_only_what_the_dead_left(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: two processes, two workers started by accident."""
    dead = Perceiver(settings(tmp_path), clock)
    for n in range(1500):
        dead.perceive(said(f"dead {n}"))
    dead.close()
    hosts = [Perceiver(settings(tmp_path), clock) for _ in range(2)]
    for host_ in hosts:
        host_.perceive(said("living"))
    async with flushing(hosts[0], db), flushing(hosts[1], db):
        await until(lambda: sum(host_.stats().replayed for host_ in hosts) == 1500)
        assert all([await host_.durable(PATIENCE_S) for host_ in hosts])
    assert Counter(texts(sql)) == Counter(["living"] * 2 + [f"dead {n}" for n in range(1500)])
    for host_ in hosts:
        host_.close()


async def test_an_import_repeated_by_another_process_adds_nothing(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    for _ in range(2):
        mine = Perceiver(settings(tmp_path), clock)
        for n in range(20):
            mine.perceive(said(f"{n}", external_id=f"{n}"))
        mine.close()
        again = Perceiver(settings(tmp_path), clock)
        await all_replayed(again, db)
        again.close()
    assert texts(sql) == [f"{n}" for n in range(20)]


async def test_the_child_of_a_fork_has_a_journal_of_its_own(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: a host that forks."""
    mine = Perceiver(settings(tmp_path), clock)
    mine.perceive(said("parent before"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            mine.perceive(said("child"))
            code = 0 if mine.stats().accepted == 1 else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    mine.perceive(said("parent after"))
    journals = list((tmp_path / "journal").iterdir())
    assert {path.name.split("-")[1] for path in journals} == {str(os.getpid()), str(child)}
    async with flushing(mine, db):
        await until(lambda: mine.stats().replayed == 1)
        assert await mine.durable(PATIENCE_S)
    mine.close()
    assert sorted(texts(sql)) == ["child", "parent after", "parent before"]


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """A home in which nothing can be made, for root as well: its journal's place is taken by a file."""
    (tmp_path / "journal").write_text("in the way")
    return tmp_path


async def test_in_a_read_only_home_perceiving_goes_on_in_memory(
    db: Database, sql: psycopg.Connection, unwritable: Path, clock: PinnedClock, caplog: pytest.LogCaptureFixture
) -> None:
    """faults: boot in a read-only home. It never harms the turn, and the stats say so."""
    mine = Perceiver(settings(unwritable), clock)
    for n in range(5):
        assert mine.perceive(said(f"{n}")).slice_id is not None
    stats = mine.stats()
    assert (stats.unjournaled, stats.buffered, stats.journal_bytes) == (5, 5, 0)
    assert "Error" in (stats.journal_failure or "")
    await flushed(mine, db)
    assert texts(sql) == ["0", "1", "2", "3", "4"]
    assert "in memory only" in caplog.text
    mine.close()


def test_in_memory_too_there_is_a_bound(unwritable: Path, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Perceiver(settings(unwritable, THOTH_BUFFER_ROWS="10"), clock)
    for n in range(10):
        mine.perceive(said(f"{n}"))
    with pytest.raises(JournalFull, match="cannot be written"):
        mine.perceive(said("11"))
    assert (mine.stats().accepted, mine.stats().refused) == (10, 1)
    monkeypatch.setattr(buffer, "BUFFER_BYTES", 100)
    with pytest.raises(JournalFull):
        Perceiver(settings(unwritable), clock).perceive(said("x" * 200))


async def test_a_disk_that_fills_up_and_is_emptied_again(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: disk full, the host's own. In between slices are kept in memory only; the order stays."""
    mine = Perceiver(settings(tmp_path, THOTH_BUFFER_ROWS="20"), clock)
    for n in range(30):
        mine.perceive(said(f"{n:02}"))
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:5]) if data[8:11] == b"[1," else real(fd, data))
    for n in range(30, 40):
        mine.perceive(said(f"{n:02}"))
    assert mine.stats().unjournaled == 10
    assert mine.stats().journal_failure is not None
    monkeypatch.undo()
    for n in range(40, 50):
        mine.perceive(said(f"{n:02}"))
    assert mine.stats().journal_failure is None
    await flushed(mine, db)
    mine.close()
    assert texts(sql) == [f"{n:02}" for n in range(50)]


async def test_a_torn_tail_is_ignored_and_counted(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    first = Perceiver(settings(tmp_path), clock)
    for n in range(3):
        first.perceive(said(f"{n}"))
    first.close()
    (path,) = (tmp_path / "journal").iterdir()
    os.truncate(path, path.stat().st_size - 3)
    second = Perceiver(settings(tmp_path), clock)
    await replayed(second, db, 2)
    assert second.stats().lost_bytes > 8
    second.close()
    assert texts(sql) == ["0", "1"]


async def test_a_record_of_another_version_is_set_aside(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    for body in (b'[99,"from the future"]', b"[1,2]", b'{"not":"a list"}', b"not json"):
        perceiver._buffer.put(body)
    perceiver.perceive(said("fine"))
    await flushed(perceiver, db)
    assert texts(sql) == ["fine"]
    assert perceiver.stats().rejected == 4
