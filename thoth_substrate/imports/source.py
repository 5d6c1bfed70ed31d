"""An opened file, as readers take it: plain, gzip, a zipped export, a folder of one, or standard input. Never held whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Protocol, Self, cast

from thoth_substrate.errors import UnreadableFile
from thoth_substrate.imports.archive import Archive, FolderArchive, ZipArchive

HEAD_BYTES = 256 << 10
_IDENTITY_BYTES = 1 << 20
_BUFFER_BYTES = 1 << 20
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_CONVERSATIONS = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")
_CHAT = re.compile(r"(?:^|/)(?:_chat|WhatsApp[ _]Chat[^/]*|result)\.(?:txt|json)$", re.IGNORECASE)
_BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)


class _Readable(Protocol):
    def read1(self, count: int, /) -> bytes: ...


class Source:
    """A file from its beginning to its end, once.

    `head` is its first HEAD_BYTES (uncompressed) for a look; `stream` yields all of it, the head included. `taken`
    counts uncompressed bytes handed out so far, `done` bytes of the file as it lies on disk, out of `size` (0 when
    unknown). `identity` is the hash of the first MiB and the size: it stays when the file is moved; None for standard
    input. `broken` says that compressed data ended or failed too early, which `stream` shows as the end. A folder, or a zip
    of many files, is an `archive`: its stream is empty.
    """

    def __init__(self, path: str | Path) -> None:
        """Open `path`, or standard input for '-'. Raises UnreadableFile when there is nothing to read."""
        self.name = str(path)
        self.size = 0
        self.identity: bytes | None = None
        self.taken = 0
        self.broken = False
        self.archive: Archive | None = None
        self._raw: BinaryIO | None = None
        self._closing = ExitStack()
        try:
            unpacked = self._unpacked(self._opened())
            self.head = _read_fully(io.BufferedReader(_Counting(self, [unpacked])), HEAD_BYTES)
        except OSError as error:
            self.close()
            raise UnreadableFile(f"{self.name} cannot be read ({error.strerror or error}); nothing was imported.") from error
        except UnreadableFile:
            self.close()
            raise
        self.taken = 0
        self.stream = io.BufferedReader(_Counting(self, [io.BytesIO(self.head), unpacked]), _BUFFER_BYTES)

    @property
    def done(self) -> int:
        """Bytes of the file on disk that were read; for standard input and zip, uncompressed bytes handed out."""
        return min(self._raw.tell(), self.size) if self._raw else self.taken

    def lines(self, longest: int) -> Iterator[bytes | None]:
        """Every line without its end; None in the place of one that is longer than `longest` bytes."""
        while line := self.stream.readline(longest + 1):
            if len(line) > longest and not line.endswith(b"\n"):
                while (rest := self.stream.readline(longest)) and not rest.endswith(b"\n"):
                    pass
                yield None
            else:
                yield line

    def close(self) -> None:
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self) -> _Readable:
        if self.name == "-":
            return cast(_Readable, sys.stdin.buffer)
        path = Path(self.name)
        if path.is_dir():
            return self._folder(path)
        file = self._closing.enter_context(path.open("rb"))
        self.size = path.stat().st_size
        first = file.read(_IDENTITY_BYTES)
        self.identity = hashlib.sha256(first + self.size.to_bytes(8)).digest()
        file.seek(0)
        self._raw = file
        return file

    def _folder(self, path: Path) -> _Readable:
        """A folder is read as an archive; its identity is what lies in it."""
        self.archive = FolderArchive(path)
        names = self.archive.names()
        sizes = [(path / name).stat().st_size for name in names]
        self.size = 0
        self.identity = hashlib.sha256(repr(list(zip(names, sizes, strict=True))).encode("utf-8", "surrogatepass")).digest()
        return io.BufferedReader(_Joined([]), _BUFFER_BYTES)

    def _unpacked(self, file: _Readable) -> _Readable:
        start = _read_fully(file, 4)
        if start == _ZIP and self._raw is not None:
            return self._unzipped(self._raw)
        whole = io.BufferedReader(_Joined([io.BytesIO(start), file]), _BUFFER_BYTES)
        if start[:2] == _GZIP:
            return self._closing.enter_context(gzip.GzipFile(fileobj=whole))
        return whole

    def _unzipped(self, file: BinaryIO) -> _Readable:
        """The conversations inside a zip, one after the other."""
        try:
            archive = self._closing.enter_context(zipfile.ZipFile(file))
            members = _members(archive)
            if not members:
                self.archive = ZipArchive(archive)
                return io.BufferedReader(_Joined([]), _BUFFER_BYTES)
            if any(member.flag_bits & 1 for member in members):
                raise UnreadableFile(f"{self.name} is locked with a password; unpack it and import what is in it.")
            parts = [cast(_Readable, self._closing.enter_context(archive.open(member))) for member in members]
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise UnreadableFile(f"{self.name} is a damaged zip ({error}); nothing was imported.") from error
        self._raw, self.size = None, sum(member.file_size for member in members)
        return io.BufferedReader(_Joined(parts), _BUFFER_BYTES)


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The conversations of a zip, in order; else the one chat that it holds."""
    found = [member for member in archive.infolist() if _CONVERSATIONS.search(member.filename)]
    found = found or [member for member in archive.infolist() if _CHAT.search(member.filename)][:1]
    return sorted(found, key=lambda member: member.filename)


class _Joined(io.RawIOBase):
    """Several streams as one. What can be had is handed over at once: a pipe may be slow, and damage may follow."""

    def __init__(self, parts: Sequence[_Readable]) -> None:
        self._parts = list(parts)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed names the parameter otherwise
        while self._parts:
            data = self._parts[0].read1(len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
            self._parts.pop(0)
        return 0


class _Counting(_Joined):
    """Counts what the source hands out; damage in compressed data becomes the end, and is remembered."""

    def __init__(self, source: Source, parts: Sequence[_Readable]) -> None:
        super().__init__(parts)
        self._source = source

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            count = super().readinto(buffer)
        except _BROKEN:
            self._source.broken = True
            return 0
        except OSError as error:
            raise UnreadableFile(
                f"{self._source.name} could not be read to its end ({error.strerror or error}); what came before is kept."
            ) from error
        self._source.taken += count
        return count


def _read_fully(stream: _Readable, count: int) -> bytes:
    """`count` bytes, fewer only at the end: a pipe gives what it has."""
    found = bytearray()
    while len(found) < count and (data := stream.read1(count - len(found))):
        found += data
    return bytes(found)
