"""The journals of processes that are gone, read back a batch at a time; and what can never be written, set aside."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import orjson

from thoth_substrate.model.clock import Clock
from thoth_substrate.perceive.journal import Segment, dead

REJECTED_SUFFIX = ".rejected"


class Replay:
    """Walks dead journals, oldest first. A batch is handed out again until it is said to be done."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._found: Iterator[Segment] | None = None
        self._segment: Segment | None = None
        self._records: deque[tuple[bytes, int]] = deque()
        self._in_hand: list[tuple[bytes, int]] = []
        self.lost_bytes = 0

    def look(self) -> None:
        """Look for dead journals anew, unless that is under way."""
        if self._found is None:
            self._found = dead(self._directory)

    @property
    def pending(self) -> bool:
        """Whether there may be something to read."""
        return self._found is not None

    def batch(self, limit_rows: int, limit_bytes: int) -> list[bytes]:
        """The next records; empty when all dead journals are done with. Blocks for a file's reading (tens of ms)."""
        while not self._in_hand and not self._records and self._found is not None:
            self._next_segment()
        size = 0
        while self._records and len(self._in_hand) < limit_rows and (not size or size + len(self._records[0][0]) <= limit_bytes):
            self._in_hand.append(self._records.popleft())
            size += len(self._in_hand[-1][0])
        return [body for body, _ in self._in_hand]

    def done(self) -> None:
        """The batch is in the database: move the checkpoint, and remove the file when that was the last of it."""
        assert self._segment is not None
        with contextlib.suppress(OSError):  # then it is read back once more, and is known by its ids
            if self._records:
                self._segment.move_checkpoint(self._in_hand[-1][1])
            else:
                self._segment.remove()
        self._in_hand = []
        if not self._records:
            self._segment.close()
            self._segment = None

    def close(self) -> None:
        """Let go of the file in hand, for another to adopt."""
        if self._segment is not None:
            self._segment.close()
        self._segment, self._found, self._in_hand = None, None, []
        self._records.clear()

    def _next_segment(self) -> None:
        assert self._found is not None
        segment = next(self._found, None)
        if segment is None:
            self._found = None
            return
        records, lost = segment.salvage()
        self.lost_bytes += lost
        if records:
            self._segment, self._records = segment, deque(records)
        else:
            with contextlib.suppress(OSError):
                segment.remove()
            segment.close()


def set_aside(directory: Path, clock: Clock, body: bytes, reason: str) -> Path:
    """Keep a record that can never be written, with the reason, one JSON line in this process's `.rejected` file.

    Raises OSError when the disk does not take it.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = directory / f"{os.getpid()}{REJECTED_SUFFIX}"
    try:
        record = orjson.loads(body)
    except orjson.JSONDecodeError:
        record = body.decode("latin-1")
    line = orjson.dumps({"rejected_at": clock.now(), "reason": reason, "record": record}, option=orjson.OPT_APPEND_NEWLINE)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)
    return path
