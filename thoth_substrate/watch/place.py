"""Where a watcher is: the installation by a name that lasts, and a lock on each folder, so that only one process watches it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
from pathlib import Path
from uuid import uuid4

FOLDER = "watch"
_NAME = "installation"


def installation(home: Path) -> str:
    """The name of this installation, drawn at the first call: two machines may watch folders of one name into one memory."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / _NAME
    if not path.exists():
        drawn = folder / f".{uuid4().hex}"
        drawn.write_text(f"{socket.gethostname()[:60]}-{uuid4().hex[:8]}\n", encoding="utf-8")
        with contextlib.suppress(FileExistsError):  # another process was quicker, and its name counts
            os.link(drawn, path)
        drawn.unlink()
    return path.read_text(encoding="utf-8").strip()


class RootLock:
    """Held by the one process that watches a folder for a tenant; the kernel lets go of it when that ends, however it ends."""

    def __init__(self, home: Path, tenant_id: str, root: Path) -> None:
        digest = hashlib.sha256(f"{tenant_id}\0{root}".encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self._path = home / FOLDER / f"{digest}.lock"
        self._descriptor: int | None = None

    def take(self) -> bool:
        """True when it is ours, from now on or already."""
        if self._descriptor is not None:
            return True
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
