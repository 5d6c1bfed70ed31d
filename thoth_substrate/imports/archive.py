"""Several files as one source: a zip, or a folder. Members are read whole, and none larger than a bound."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Protocol

LONGEST_MEMBER_BYTES = 256 << 20


class Archive(Protocol):
    """Named files. `read` answers None for one that is damaged, locked or too large."""

    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes | None: ...


class ZipArchive:
    """The files of a zip."""

    def __init__(self, zipped: zipfile.ZipFile) -> None:
        self._zipped = zipped
        self._names = [member.filename for member in zipped.infolist() if not member.is_dir()]

    def names(self) -> list[str]:
        return self._names

    def read(self, name: str) -> bytes | None:
        if self._zipped.getinfo(name).file_size > LONGEST_MEMBER_BYTES:
            return None
        try:
            return self._zipped.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError):  # RuntimeError: a password
            return None


class FolderArchive:
    """The files of a folder and those below it; links are left out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = sorted(
            path.relative_to(folder).as_posix() for path in folder.glob("**/*") if path.is_file() and not path.is_symlink()
        )

    def names(self) -> list[str]:
        return self._names

    def read(self, name: str) -> bytes | None:
        path = self._folder / name
        try:
            return path.read_bytes() if path.stat().st_size <= LONGEST_MEMBER_BYTES else None
        except OSError:
            return None
