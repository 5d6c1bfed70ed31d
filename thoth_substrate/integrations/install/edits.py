"""An edit of a file of somebody else: its text before and after, the difference between them, and how it gets onto the disk."""

from __future__ import annotations

import difflib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from thoth_substrate.errors import BadInput

BACKUP = ".before-thoth"


@dataclass(frozen=True, slots=True)
class Edit:
    """A file as it is and as it shall be; None where there is no file. `ours`: it is a file that only we write."""

    path: Path
    before: str | None
    after: str | None
    ours: bool = False

    @property
    def changes(self) -> bool:
        return self.before != self.after

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was before the first edit of ours."""
        return self.path.with_name(self.path.name + BACKUP)


def read(path: Path) -> str | None:
    """A file's text, its line ends as they are; None when there is none. Raises BadInput when it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}); nothing was written.") from error


def difference(edit: Edit) -> str:
    """What an edit changes, as a unified diff."""
    old = "/dev/null" if edit.before is None else str(edit.path)
    new = "/dev/null" if edit.after is None else str(edit.path)
    lines = difflib.unified_diff(_lines(edit.before), _lines(edit.after), old, new, lineterm="")
    return "\n".join(line.rstrip("\r\n") for line in lines)


def write(edit: Edit, *, removing: bool) -> None:
    """Bring an edit onto the disk, whole or not at all. A file of the host's is kept beside itself until we are removed.

    Raises BadInput when the file has changed since it was read, or cannot be written.
    """
    if read(edit.path) != edit.before:
        raise BadInput(f"{edit.path} was changed by somebody else meanwhile; it was left as it is. Try again.")
    try:
        if edit.after is None:
            edit.path.unlink(missing_ok=True)
            _tidy(edit.path.parent)
        else:
            edit.path.parent.mkdir(parents=True, exist_ok=True)
            if edit.before is not None and not (removing or edit.ours or edit.backup.exists()):
                _replace(edit.backup, edit.before, like=edit.path)
            _replace(edit.path, edit.after, like=edit.path)
        if removing:
            edit.backup.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"{edit.path} cannot be written: {error.strerror or error}. What came before it is written.") from error


def _replace(path: Path, text: str, like: Path) -> None:
    """Write beside the file and rename: a host that reads meanwhile sees the one or the other. A link is followed."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        Path(name).chmod(like.stat().st_mode & 0o777 if like.exists() else 0o644)
        Path(name).replace(target)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _tidy(folder: Path) -> None:
    """Remove the folders that our file has left empty, at most those that we could have made."""
    for empty in (folder, folder.parent):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()
        else:
            return


def _lines(text: str | None) -> list[str]:
    return (text or "").splitlines(keepends=True)
