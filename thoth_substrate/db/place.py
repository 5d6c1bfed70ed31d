"""Where the embedded PostgreSQL lives, and as whom it runs: `$THOTH_HOME/pg`, as this user, or as another when root.

PostgreSQL refuses to run as root. Started as root, its files then belong to a user of their own, and lie under
`/var/lib/thoth` (with a link from `$THOTH_HOME/pg`) when that user cannot reach the home, as below `/root`.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tenacity

from thoth_substrate.errors import EmbeddedServerError

OWN_USER = "thoth-pg"
STAND_INS = ("postgres", "_postgres", "nobody")
FALLBACK = Path("/var/lib/thoth")
LOCK_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one embedded server and the user whose files are in it. `note` tells what an operator would not expect."""

    root: Path
    uid: int
    gid: int
    note: str = ""

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "server.log"

    @property
    def password(self) -> Path:
        return self.root / "password"

    @property
    def port(self) -> Path:
        return self.root / "port"

    @property
    def is_foreign(self) -> bool:
        """Whether the server runs as another user than this process."""
        return self.uid != os.geteuid()

    def run(self, command: Iterable[str | Path], *, env: Mapping[str, str], timeout_s: float, stdin: str = "") -> tuple[int, str]:
        """Run a program as the server's user, in a session of its own; answers its exit code and what it said.

        The environment is `env` and nothing else, so that no PG* variable of the caller reaches the server. Output goes
        through a file: a daemon that a program leaves behind would hold a pipe open for ever.
        """
        words = [str(word) for word in command]
        other = self.is_foreign
        try:
            with tempfile.TemporaryFile(dir=self.root) as output:
                done = subprocess.run(  # noqa: S603 - our own programs, without a shell
                    words, input=stdin.encode(), stdout=output, stderr=subprocess.STDOUT, timeout=timeout_s, cwd=self.root,
                    env={"PATH": os.defpath, "HOME": str(self.root), "LC_ALL": "C", "TZ": "UTC", **env},
                    user=self.uid if other else None, group=self.gid if other else None, extra_groups=[] if other else None,
                    start_new_session=True, umask=0o077, check=False,
                )  # fmt: skip
                output.seek(0)
                return done.returncode, output.read().decode(errors="replace").strip()
        except subprocess.TimeoutExpired:
            return -1, f"{words[0]} did not finish within {timeout_s:.0f} s"
        except OSError as error:
            raise EmbeddedServerError(
                f"{words[0]} could not be run as user {_name(self.uid)} ({error}): the embedded PostgreSQL needs a folder"
                " from which that user may run programs; set THOTH_HOME to one, or DATABASE_URL to a server."
            ) from error

    def write(self, path: Path, text: str) -> None:
        """Put a small file in place at once, readable by the server's user only."""
        draft = path.with_name(f"{path.name}.new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        self.own(draft)
        draft.rename(path)

    def own(self, path: Path) -> None:
        """Give a file or folder that this process made to the server's user."""
        if self.is_foreign:
            os.chown(path, self.uid, self.gid)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """One process at a time looks at, starts or stops the server. Raises EmbeddedServerError after LOCK_PATIENCE_S."""
        descriptor = self._open("lock")
        try:
            tenacity.Retrying(
                retry=tenacity.retry_if_exception_type(BlockingIOError),
                wait=tenacity.wait_fixed(0.05),
                stop=tenacity.stop_after_delay(LOCK_PATIENCE_S),
                reraise=True,
            )(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise EmbeddedServerError(
                f"Another process has held {self.root / 'lock'} for {LOCK_PATIENCE_S / 60:.0f} minutes while starting or"
                f" stopping the embedded PostgreSQL: end it, or see {self.log}."
            ) from error
        finally:
            os.close(descriptor)

    def join(self) -> int:
        """Count this process among the server's users until the answered descriptor is closed, even by a SIGKILL."""
        descriptor = self._open("users")
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # only ever held exclusively under `exclusive()`
        return descriptor

    def is_unused(self) -> bool:
        """Whether no process uses the server. Ask only under `exclusive()`."""
        descriptor = self._open("users")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            os.close(descriptor)

    def _open(self, name: str) -> int:
        path = self.root / name
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self.own(path)
        return descriptor


def find(home: Path) -> Place:
    """The place of `home`'s server, its folder made if need be. Raises EmbeddedServerError when it cannot be written."""
    try:
        return _find_as_root(home.absolute()) if os.geteuid() == 0 else _find(home.absolute())
    except OSError as error:
        raise EmbeddedServerError(
            f"The embedded PostgreSQL cannot keep its data under {home} ({error.strerror}: {error.filename}): set THOTH_HOME"
            " to a folder that can be written, or DATABASE_URL to a server."
        ) from error


def _find(home: Path) -> Place:
    root = home / "pg"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = root.stat().st_uid
    if owner != os.geteuid():
        raise EmbeddedServerError(
            f"The memory under {root} belongs to user {_name(owner)}, as it was first started by root or somebody else:"
            " start Thoth as that user or as root, or set THOTH_HOME to a folder of your own."
        )
    place = Place(root, owner, os.getegid())
    os.close(place._open("lock"))  # a read-only folder is told of here, with its name
    return place


def _find_as_root(home: Path) -> Place:
    root = home / "pg"
    if root.exists() and (state := root.stat()).st_uid != 0:
        uid, gid = state.st_uid, state.st_gid
    else:
        user = _user()
        uid, gid = user.pw_uid, user.pw_gid
        if not root.exists():
            home.mkdir(mode=0o711, parents=True, exist_ok=True)
            _make_root(root, user)
        os.chown(root, uid, gid)
    where = root.resolve()
    note = f"PostgreSQL refuses to run as root, so it runs as {_name(uid)} and keeps its data in {where}."
    place = Place(where, uid, gid, note)
    os.close(place._open("lock"))
    return place


def _make_root(root: Path, user: pwd.struct_passwd) -> None:
    """Make the folder, elsewhere when `user` cannot reach it. The name elsewhere follows from the home's path, so that
    a lost link leads back to the same memory."""
    if _reaches(user, root.parent):
        root.mkdir(mode=0o700)
        return
    FALLBACK.mkdir(mode=0o755, parents=True, exist_ok=True)
    target = FALLBACK / f"pg-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"
    target.mkdir(mode=0o700, exist_ok=True)
    root.unlink(missing_ok=True)  # a link to a folder that is gone
    root.symlink_to(target)


def _reaches(user: pwd.struct_passwd, folder: Path) -> bool:
    for step in (folder, *folder.parents):
        state = step.resolve().stat()
        bit = 0o100 if state.st_uid == user.pw_uid else 0o010 if state.st_gid == user.pw_gid else 0o001
        if not state.st_mode & bit:
            return False
    return True


def _user() -> pwd.struct_passwd:
    """The user that PostgreSQL runs as when Thoth is started by root: its own, made when missing, else a stand-in."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(OWN_USER)
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd:
        wanted = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"]
        subprocess.run([useradd, *wanted, OWN_USER], capture_output=True, check=False)  # noqa: S603 - a fixed command
    for name in (OWN_USER, *STAND_INS):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedServerError(
        f"PostgreSQL refuses to run as root, and the user {OWN_USER} could not be made for it: run useradd --system"
        f" {OWN_USER}, or start Thoth as an ordinary user, or set DATABASE_URL to a server."
    )


def _name(uid: int) -> str:
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return str(uid)
