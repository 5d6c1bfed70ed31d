"""The journal: what was perceived and is not yet in the database, on the local disk.

A journal is a row of files (segments), one row a process, under a lock that tells others that its writer lives. A record is
appended with one write() and no fsync: it survives the death of the process, not of the machine. Format of a segment:

    magic (8 bytes) | checkpoint (8 bytes, offset up to which all is flushed) | records
    record: length of body (4 bytes) | CRC-32 of body (4 bytes) | body; little endian

Not thread-safe by itself: the buffer that owns a journal holds its lock around every call, reads excepted.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import logging
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, cast

from thoth_substrate.errors import JournalFull
from thoth_substrate.model.clock import Clock

MAGIC = b"thothj1\n"
HEAD_BYTES = 16
FRAME_BYTES = 8
SEGMENT_BYTES = 16 << 20
READ_BYTES = 1 << 20
SUFFIX = ".journal"
_FRAME = struct.Struct("<II")
_CHECKPOINT = struct.Struct("<Q")
_log = logging.getLogger(__name__)
_serial = itertools.count()


class Position(NamedTuple):
    """The end of a record: in which segment of its journal, and at which offset (bytes)."""

    segment: int
    offset: int


BEGINNING = Position(0, HEAD_BYTES)


def framed(body: bytes) -> bytes:
    """A record as it stands in a segment."""
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


class Segment:
    """One open file. Whoever holds an instance holds its lock."""

    def __init__(self, path: Path, descriptor: int, number: int = 0) -> None:
        self.path, self.number = path, number
        self._fd = descriptor
        self.size = max(os.fstat(descriptor).st_size, HEAD_BYTES)
        self.checkpoint = HEAD_BYTES

    @classmethod
    def create(cls, directory: Path, clock: Clock, number: int) -> Segment:
        """A new, empty, locked file of this process. Raises OSError where the disk does not let it."""
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            stem = f"{int(clock.now().timestamp() * 1000):013d}-{os.getpid()}-{next(_serial)}"
            path = directory / f"{stem}{SUFFIX}"
            try:
                fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                continue
            # Between its birth and its lock another process may have taken it for a dead one's and removed it.
            segment = cls(path, fd, number)
            if _locked(fd) and os.fstat(fd).st_nlink:
                segment.begin()
                return segment
            segment.close()

    @classmethod
    def adopt(cls, path: Path) -> Segment | None:
        """The file of a process that is gone, locked for us; None while its writer lives, or when it is no journal of ours.

        Raises OSError for a file that is not ours to write.
        """
        try:
            fd = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return None
        head = os.pread(fd, HEAD_BYTES, 0)
        if not _locked(fd) or not os.fstat(fd).st_nlink or not MAGIC.startswith(head[: len(MAGIC)]):
            os.close(fd)
            return None
        segment = cls(path, fd)
        if len(head) == HEAD_BYTES:
            segment.checkpoint = max(_CHECKPOINT.unpack_from(head, len(MAGIC))[0], HEAD_BYTES)
        return segment

    def begin(self) -> None:
        """Write the head of a new file. Raises OSError, and then the file is gone."""
        try:
            written = os.write(self._fd, MAGIC + _CHECKPOINT.pack(HEAD_BYTES))
        except OSError:
            self.remove()
            raise
        if written != HEAD_BYTES:
            self.remove()
            raise OSError(errno.ENOSPC, "the disk took only a part of a journal's head", str(self.path))

    def append(self, frame: bytes) -> int:
        """Write one framed record at the end; answers its end offset. Raises OSError, and then nothing of it remains."""
        try:
            written = os.write(self._fd, frame)
        except OSError:
            self._cut(self.size)
            raise
        if written != len(frame):
            self._cut(self.size)
            raise OSError(errno.ENOSPC, "the disk took only a part of a record", str(self.path))
        self.size += written
        return self.size

    def read(self, start: int, end: int) -> list[tuple[bytes, int]]:
        """Records between two offsets with their ends, about READ_BYTES of them and at least one if one is whole."""
        data = os.pread(self._fd, min(READ_BYTES, end - start), start)
        if len(data) >= FRAME_BYTES:
            needed = FRAME_BYTES + _FRAME.unpack_from(data)[0]
            if len(data) < needed <= end - start:
                data = os.pread(self._fd, needed, start)
        return _whole(data, start)

    def salvage(self) -> tuple[list[tuple[bytes, int]], int]:
        """Every record after the checkpoint that can still be read, and how many bytes cannot: a torn tail, or damage."""
        data = os.pread(self._fd, max(self.size - self.checkpoint, 0), self.checkpoint)
        records: list[tuple[bytes, int]] = []
        at = lost = 0
        while at < len(data):
            found = _whole(data[at:] if at else data, self.checkpoint + at)
            records += found
            at = found[-1][1] - self.checkpoint if found else at
            following = _next_whole(data, at)
            lost += following - at
            at = following
        return records, lost

    def move_checkpoint(self, offset: int) -> None:
        """Note that everything before `offset` is in the database."""
        self.checkpoint = offset
        os.pwrite(self._fd, _CHECKPOINT.pack(offset), len(MAGIC))

    def clear(self) -> None:
        """Drop all records: everything is in the database."""
        self._cut(HEAD_BYTES)
        self.size = HEAD_BYTES
        self.move_checkpoint(HEAD_BYTES)

    def remove(self) -> None:
        """Delete the file and let go of the lock."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        self.close()

    def close(self) -> None:
        """Let go of the file and its lock. What it holds waits for whoever adopts it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _cut(self, size: int) -> None:
        os.ftruncate(self._fd, size)
        os.lseek(self._fd, size, os.SEEK_SET)


@dataclass(slots=True)
class Journal:
    """This process's segments, oldest first; records go to the last. Opens its first file when first written to."""

    directory: Path
    max_bytes: int
    clock: Clock
    others_bytes: int = 0
    segments: list[Segment] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def size(self) -> int:
        """Bytes on disk in this process's files."""
        return sum(segment.size for segment in self.segments)

    def append(self, body: bytes) -> Position:
        """Write a record. Raises JournalFull at the bound, OSError when the disk refuses; then nothing was written."""
        frame = framed(body)
        if self.size + self.others_bytes + len(frame) > self.max_bytes:
            raise JournalFull(
                f"The journal in {self.directory} has reached {self.max_bytes:,} bytes because the database has been away"
                " for long, and the newest slices are refused: bring the database back (`thoth substrate doctor`),"
                " or raise THOTH_JOURNAL_MAX_BYTES."
            )
        if not self.segments or self._is_long(self.segments[-1], len(frame)):
            self.segments.append(Segment.create(self.directory, self.clock, next(self._numbers)))
            self.others_bytes = bytes_in(self.directory) - self.size
        last = self.segments[-1]
        return Position(last.number, last.append(frame))

    def read(self, after: Position, until: Position) -> list[tuple[bytes, Position]]:
        """Some of the records between two positions, in order; nothing when there are no more."""
        for segment in list(self.segments):
            if after.segment <= segment.number <= until.segment:
                start = after.offset if segment.number == after.segment else HEAD_BYTES
                end = until.offset if segment.number == until.segment else segment.size
                found = segment.read(start, end) if start < end else []
                if found:
                    return [(body, Position(segment.number, at)) for body, at in found]
        return []

    @property
    def end(self) -> Position:
        """Where the next record will begin."""
        return Position(self.segments[-1].number, self.segments[-1].size) if self.segments else Position(0, HEAD_BYTES)

    def flushed(self, upto: Position) -> list[Segment]:
        """Note that all records up to there are in the database; answers spent segments, to be removed by the caller."""
        spent = [segment for segment in self.segments[:-1] if segment.number < upto.segment]
        self.segments = [segment for segment in self.segments if segment not in spent]
        first = self.segments[0] if self.segments else None
        if first is None or first.number != upto.segment:
            return spent
        if upto == self.end:
            first.clear()
            # Its offsets begin anew, so it gets a new number: an old position must never be taken for a new one.
            first.number = next(self._numbers)
        else:
            first.move_checkpoint(upto.offset)
        return spent

    def close(self) -> None:
        """Let go of all files; those without records are removed."""
        for segment in self.segments:
            if segment.size == HEAD_BYTES:
                segment.remove()
            else:
                segment.close()
        self.segments = []

    def _is_long(self, segment: Segment, more: int) -> bool:
        longest = min(SEGMENT_BYTES, self.max_bytes // 4)
        return segment.size > HEAD_BYTES and segment.size + more > longest


def dead(directory: Path) -> Iterator[Segment]:
    """Segments whose writers are gone, oldest first, each locked for us while it is in hand."""
    for path in sorted(directory.glob(f"*{SUFFIX}")):
        try:
            segment = Segment.adopt(path)
        except OSError as error:
            _log.warning("The journal %s cannot be read back: %s.", path, error)
            continue
        if segment is not None:
            yield segment


def bytes_in(directory: Path) -> int:
    """Bytes of all journals there, of this process and of others."""
    total = 0
    for path in directory.glob(f"*{SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _whole(data: bytes, start: int) -> list[tuple[bytes, int]]:
    """The records at the beginning of `data`, up to the first that is cut short or damaged, with their end offsets."""
    records: list[tuple[bytes, int]] = []
    at = 0
    while (end := _end_of_record(data, at)) is not None:
        records.append((data[at + FRAME_BYTES : end], start + end))
        at = end
    return records


def _end_of_record(data: bytes, at: int) -> int | None:
    if len(data) - at < FRAME_BYTES:
        return None
    length, checksum = cast("tuple[int, int]", _FRAME.unpack_from(data, at))
    end = at + FRAME_BYTES + length
    # No record is empty, and a file that lost its pages with the power reads as zeros, whose checksum is zero.
    if not length or end > len(data) or zlib.crc32(memoryview(data)[at + FRAME_BYTES : end]) != checksum:
        return None
    return end


def _next_whole(data: bytes, at: int) -> int:
    """Where the next readable record begins, at or after `at`; the end of `data` when none does. Bodies are JSON arrays."""
    while _end_of_record(data, at) is None:
        opening = data.find(b"[", at + FRAME_BYTES + 1)
        if opening < 0:
            return len(data)
        at = opening - FRAME_BYTES
    return at
