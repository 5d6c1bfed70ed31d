"""Servers for the tests: the one that was given, one in Docker, or an embedded one in a home of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg

from thoth_substrate.db import place as places
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.model.dsn import normal_dsn

IMAGE = "pgvector/pgvector:pg17"
ROOM_BYTES = 4 << 30


@contextlib.contextmanager
def any_server() -> Iterator[str]:
    """A DSN of a server whose user may create databases: `THOTH_TEST_DSN`, else Docker, else embedded.

    `THOTH_TEST_DSN=embedded` asks for the embedded one whatever else there is.
    """
    given = os.environ.get("THOTH_TEST_DSN", "")
    if given and given != "embedded":
        yield normal_dsn(given)
    elif not given and docker_answers():
        with docker_server() as dsn:
            yield dsn
    else:
        with temporary_home() as home, EmbeddedServer(home) as server:
            # Nothing of the tests outlives the machine's next crash, and a database is made for nearly each of them.
            with psycopg.connect(server.dsn, autocommit=True) as connection:
                connection.execute("alter system set fsync = off")
                connection.execute("select pg_reload_conf()")
            yield server.dsn


def docker_answers() -> bool:
    """Whether a Docker daemon answers, asked only where there can be one."""
    if "DOCKER_HOST" not in os.environ and not Path("/var/run/docker.sock").exists():
        return False
    import docker

    try:
        return bool(docker.from_env(timeout=3).ping())
    except docker.errors.DockerException:
        return False


@contextlib.contextmanager
def docker_server() -> Iterator[str]:
    from testcontainers.postgres import PostgresContainer

    with PostgresContainer(IMAGE, driver=None) as container:
        yield normal_dsn(container.get_connection_url())


@contextlib.contextmanager
def empty_database(server: str) -> Iterator[str]:
    """A DSN of a database in which nothing has been migrated."""
    name = f"thoth_empty_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'create database "{name}"'.encode())
        try:
            yield at(server, name)
        finally:
            connection.execute(f'drop database "{name}" with (force)'.encode())


def at(server: str, database: str) -> str:
    """The same server, another database."""
    base, _, options = server.partition("?")
    return f"{base.rsplit('/', 1)[0]}/{database}" + (f"?{options}" if options else "")


@contextlib.contextmanager
def temporary_home(like: Path | None = None) -> Iterator[Path]:
    """A THOTH_HOME that the server's user can reach also when we are root (pytest's own folders it cannot).

    `like` is the folder of a server that has been made and stopped: its programs are shared and its data copied, which
    saves the seconds of unpacking and initdb.
    """
    home = Path(tempfile.mkdtemp(prefix="thoth-test-", dir=fast_folder()))
    home.chmod(0o711)
    try:
        if like:
            copy(like, home)
        yield home
    finally:
        remove(home)


def fast_folder() -> Path | None:
    """A folder in memory, if there is one with room: making a database is a thousand small files, ten times faster there."""
    shm = Path("/dev/shm")
    if not (shm.is_dir() and os.access(shm, os.W_OK | os.X_OK)) or shutil.disk_usage(shm).free < ROOM_BYTES:
        return None
    mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    return None if any(m[1] == str(shm) and "noexec" in m[3].split(",") for m in mounts) else shm


def copy(like: Path, home: Path) -> None:
    """Give `home` a server like the one that lies in `like`."""
    root = places.find(home).root
    engine = next(like.glob("engine-*"))
    (root / engine.name).symlink_to(engine)
    subprocess.run(["cp", "-Rp", like / "data", like / "password", root], check=True)


def remove(home: Path) -> None:
    """Remove a home, and the folder elsewhere that its server may have been given."""
    shutil.rmtree((home / "pg").resolve(), ignore_errors=True)
    shutil.rmtree(home, ignore_errors=True)
