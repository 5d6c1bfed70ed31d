"""The journal: round trips, torn and damaged files, the bound, and who may read whose."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoth_substrate.errors import JournalFull
from thoth_substrate.model.clock import PinnedClock, SystemClock
from thoth_substrate.perceive.journal import BEGINNING, HEAD_BYTES, Journal, Segment, dead, framed

BODIES = st.lists(st.binary(max_size=300).map(lambda body: b"[" + body), min_size=1, max_size=20)


@pytest.fixture
def journal(tmp_path: Path, clock: PinnedClock) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal", 1 << 20, clock)
    yield made
    made.close()


def everything(journal: Journal) -> list[bytes]:
    found: list[bytes] = []
    at = BEGINNING
    while records := journal.read(at, journal.end):
        found += [body for body, _ in records]
        at = records[-1][1]
    return found


def salvaged(path: Path) -> tuple[list[bytes], int]:
    segment = Segment.adopt(path)
    assert segment is not None
    records, lost = segment.salvage()
    segment.close()
    return [body for body, _ in records], lost


def written(folder: Path, bodies: list[bytes]) -> Path:
    """A journal whose writer is gone."""
    segment = Segment.create(folder, SystemClock(), 1)
    for body in bodies:
        segment.append(framed(body))
    segment.close()
    return segment.path


@given(BODIES)
@settings(deadline=None)
def test_what_is_appended_is_read_back_in_order(tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("j")
    mine = Journal(folder, 1 << 20, SystemClock())
    for body in bodies:
        mine.append(body)
    assert everything(mine) == bodies
    mine.close()
    assert salvaged(next(iter(folder.iterdir()))) == (bodies, 0)


@given(BODIES, st.data())
@settings(deadline=None)
def test_a_journal_torn_at_any_byte_gives_back_all_whole_records(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], data: st.DataObject
) -> None:
    """faults: SIGKILL anywhere. A torn tail is ignored and counted."""
    path = written(tmp_path_factory.mktemp("j"), bodies)
    size = data.draw(st.integers(0, path.stat().st_size))
    os.truncate(path, size)
    whole: list[bytes] = []
    end = HEAD_BYTES
    for body in bodies:
        if end + len(framed(body)) > size:
            break
        whole.append(body)
        end += len(framed(body))
    assert salvaged(path) == (whole, max(size - end, 0))


@given(BODIES, st.data())
@settings(deadline=None)
def test_damage_in_the_middle_costs_only_the_records_it_hit(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], data: st.DataObject
) -> None:
    """What a power cut leaves: a run of zeros anywhere. Records before and after it are read."""
    path = written(tmp_path_factory.mktemp("j"), bodies)
    start = data.draw(st.integers(HEAD_BYTES, path.stat().st_size - 1))
    zeros = data.draw(st.integers(1, 200))
    raw = bytearray(path.read_bytes())
    end = min(start + zeros, len(raw))
    raw[start:end] = bytes(end - start)
    path.write_bytes(raw)
    kept: list[bytes] = []
    at = HEAD_BYTES
    for body in bodies:
        frame = framed(body)
        if raw[at : at + len(frame)] == frame:
            kept.append(body)
        at += len(frame)
    found, _ = salvaged(path)
    assert found == kept


def test_a_file_of_zeros_has_no_records(tmp_path: Path) -> None:
    path = written(tmp_path, [b"[1]"])
    path.write_bytes(path.read_bytes()[:HEAD_BYTES] + bytes(4096))
    assert salvaged(path) == ([], 4096)


def test_it_is_readable_by_its_owner_only(journal: Journal) -> None:
    journal.append(b"[1]")
    assert stat.S_IMODE(journal.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(journal.segments[0].path.stat().st_mode) == 0o600


def test_it_is_truncated_when_all_is_flushed_and_used_again(journal: Journal) -> None:
    positions = [journal.append(b"[%d]" % n) for n in range(5)]
    path = journal.segments[0].path
    assert journal.flushed(positions[2]) == []
    assert [body for body, _ in journal.read(positions[2], journal.end)] == [b"[3]", b"[4]"]
    journal.flushed(positions[4])
    assert path.stat().st_size == HEAD_BYTES
    journal.append(b"[9]")
    assert everything(journal) == [b"[9]"]
    journal.close()
    assert salvaged(path) == ([b"[9]"], 0)


def test_only_what_follows_the_checkpoint_is_given_back(journal: Journal) -> None:
    positions = [journal.append(b"[%d]" % n) for n in range(5)]
    journal.flushed(positions[1])
    path = journal.segments[0].path
    journal.close()
    assert salvaged(path)[0] == [b"[2]", b"[3]", b"[4]"]


def test_a_file_that_is_being_drained_does_not_grow_for_ever(tmp_path: Path, clock: PinnedClock) -> None:
    mine = Journal(tmp_path, 64 << 10, clock)
    positions = [mine.append(b"[" + b"x" * 1000) for _ in range(60)]
    assert len(mine.segments) == 4
    assert len(everything(mine)) == 60
    spent = mine.flushed(positions[40])
    assert [segment.number for segment in spent] == [1, 2]
    assert len(mine.segments) == 2
    for segment in spent:
        segment.remove()
    mine.close()


def test_at_its_bound_it_refuses_and_says_so(tmp_path: Path, clock: PinnedClock) -> None:
    mine = Journal(tmp_path, 64 << 10, clock)
    for _ in range(64):
        mine.append(b"[" + b"x" * 1000)
    with pytest.raises(JournalFull, match="THOTH_JOURNAL_MAX_BYTES"):
        mine.append(b"[" + b"x" * 1000)
    assert mine.size <= 64 << 10
    assert len(everything(mine)) == 64
    mine.close()


def test_what_dead_processes_left_counts_towards_the_bound(tmp_path: Path, clock: PinnedClock) -> None:
    """A host that is restarted again and again while the database is away must not fill the disk."""
    first = Journal(tmp_path, 64 << 10, clock)
    for _ in range(60):
        first.append(b"[" + b"x" * 1000)
    first.close()
    second = Journal(tmp_path, 64 << 10, clock)
    for _ in range(4):
        second.append(b"[" + b"x" * 1000)
    with pytest.raises(JournalFull):
        second.append(b"[" + b"x" * 1000)
    second.close()


def test_a_living_writers_file_is_left_alone_and_a_dead_ones_adopted_by_one(journal: Journal) -> None:
    """faults: two processes."""
    journal.append(b"[1]")
    assert list(dead(journal.directory)) == []
    journal.close()
    mine = list(dead(journal.directory))
    assert len(mine) == 1
    assert list(dead(journal.directory)) == []
    mine[0].remove()
    assert list(journal.directory.iterdir()) == []


def test_dead_journals_come_oldest_first(tmp_path: Path, clock: PinnedClock) -> None:
    paths = []
    for second in (5, 1, 3):
        clock._at = clock.now().replace(second=second)
        mine = Journal(tmp_path, 1 << 20, clock)
        mine.append(b"[1]")
        paths.append(mine.segments[0].path)
        mine.close()
    found = [segment.path for segment in dead(tmp_path)]
    assert found == [paths[1], paths[2], paths[0]]


def test_files_that_are_no_journals_of_ours_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "x.journal").write_bytes(b"something else entirely, kept for a reason")
    assert list(dead(tmp_path)) == []
    assert (tmp_path / "x.journal").exists()


def test_a_partial_write_leaves_nothing_behind(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """faults: disk full. write() takes half a record; the record is refused and the file ends where it ended before."""
    journal.append(b"[1]")
    path = journal.segments[0].path
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:-2]))
    with pytest.raises(OSError, match="part of a record"):
        journal.append(b"[22222]")
    monkeypatch.undo()
    journal.append(b"[3]")
    journal.close()
    assert salvaged(path) == ([b"[1]", b"[3]"], 0)
