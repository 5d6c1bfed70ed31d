"""The embedded PostgreSQL: started when the first process needs it, shared by those that follow, stopped by the last.

It listens on 127.0.0.1 only, on a free port of its own, with a random password in a file that its user alone may read.
Who uses it is counted by file locks, which the kernel takes back from a process that is killed. What a crash leaves
(a pid file, a pid that now belongs to somebody else, a taken port) is recognised and put right.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import secrets
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import psycopg
import tenacity
from psycopg import sql

from thoth_substrate.db import engine as engines
from thoth_substrate.db import place as places
from thoth_substrate.db.engine import Engine
from thoth_substrate.db.place import Place
from thoth_substrate.errors import EmbeddedServerError

OWNER = "thoth"
START_PATIENCE_S = 60
STOP_PATIENCE_S = 30
PORTS_TO_TRY = 5
LONGEST_LOG_BYTES = 10 << 20
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What `postmaster.pid` says of a server that is running in the data folder."""

    pid: int
    port: int


class EmbeddedServer:
    """One process's hold on the embedded server of a home. Enter or `acquire`, use `dsn`, leave or `release`.

    Released at the exit of the interpreter too. Threads may share one; a forked child that inherits it keeps the server
    alive until it exits itself.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._place: Place | None = None
        self._hold: int | None = None
        self.dsn = ""
        self.version = ""

    @property
    def place(self) -> Place:
        """Where its files are. Known once acquired."""
        assert self._place is not None
        return self._place

    def __enter__(self) -> EmbeddedServer:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def acquire(self) -> None:
        """Find the server running, or start it (about a second; some seconds the first time).

        Calling it again restarts a server that has died, on the same port unless that has been taken meanwhile. Raises
        EmbeddedServerError, which names the log, and holds nothing then.
        """
        self._place = place = places.find(self._home)
        with place.exclusive():
            held = self._hold
            self._hold = held if held is not None else place.join()
            try:
                self._bring_up(place, engines.ensure(place))
            except BaseException:
                if held is None:
                    self._let_go()
                raise
        atexit.register(self.release)

    def release(self) -> None:
        """Let go; the last process to do so stops the server. Harmless when nothing is held."""
        if self._hold is None:
            return
        atexit.unregister(self.release)
        if not self.place.root.exists():  # somebody has removed the home
            os.close(self._hold)
            self._hold = None
            return
        with self.place.exclusive():
            self._let_go()

    def is_alive(self) -> bool:
        """Whether its process is there. Says nothing about whether it answers."""
        return _postmaster(self.place) is not None

    def _bring_up(self, place: Place, engine: Engine) -> None:
        running = _postmaster(place)
        if running is not None:
            try:
                return self._connect(place, running)
            except EmbeddedServerError:
                if _postmaster(place) is not None:
                    raise
                # It was about to die when we looked: start it anew.
        _make_data(place, engine)
        self._connect(place, _start(place, engine))
        return None

    def _connect(self, place: Place, running: Postmaster) -> None:
        self.dsn = f"postgresql://{OWNER}:{_password(place)}@127.0.0.1:{running.port}/{OWNER}?sslmode=disable"
        self.version = _wait_until_it_answers(place, self.dsn)

    def _let_go(self) -> None:
        assert self._hold is not None
        os.close(self._hold)
        self._hold = None
        if self.place.is_unused():
            _stop(self.place)


def _make_data(place: Place, engine: Engine) -> None:
    """Make the data folder, whole or not at all, and see that the password is known."""
    known = place.password.is_file()
    if not known:
        place.write(place.password, secrets.token_urlsafe(24))
    if (place.data / "PG_VERSION").is_file():
        if not known:
            _set_password(place, engine)
        return
    draft = place.root / "data.new"
    shutil.rmtree(draft, ignore_errors=True)
    code, talk = place.run(
        [engine.program("initdb"), "--pgdata", draft, "--username", OWNER, "--pwfile", place.password, "--auth", "scram-sha-256",
         "--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", *_tuning()],
        env=engine.env, timeout_s=120,
    )  # fmt: skip
    if code != 0:
        raise EmbeddedServerError(f"The embedded PostgreSQL could not make its data in {draft}: {engines.explained(talk)}.")
    shutil.rmtree(place.data, ignore_errors=True)
    draft.rename(place.data)


def _tuning() -> list[str]:
    """First settings of a new cluster, for short queries on a machine shared with others. `postgresql.conf` has them after."""
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    settings = {
        "fsync": "on",
        "max_connections": "100",
        "shared_buffers": f"{min(max(memory_mb // 16, 64), 512)}MB",
        "effective_cache_size": f"{max(memory_mb // 4, 256)}MB",
        "maintenance_work_mem": "128MB",
        "work_mem": "16MB",
        "max_wal_size": "2GB",
        "checkpoint_timeout": "15min",
        "random_page_cost": "1.1",
        "jit": "off",
        # Parallel workers share memory through /dev/shm, of which a container has 64 MB; two cores gain nothing by them.
        "max_parallel_workers_per_gather": "0",
        "max_parallel_maintenance_workers": "0",
        "unix_socket_directories": "",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def _set_password(place: Place, engine: Engine) -> None:
    """Give the owner the password of the file, in single-user mode: the file that had the old one is lost."""
    literal = sql.Literal(_password(place)).as_string()
    code, talk = place.run(
        [engine.program("postgres"), "--single", "-D", place.data, "postgres"],
        env=engine.env, timeout_s=START_PATIENCE_S, stdin=f"alter role {OWNER} password {literal}\n",
    )  # fmt: skip
    if code != 0 or "ERROR" in talk or "FATAL" in talk:
        place.password.unlink()
        raise EmbeddedServerError(
            f"The lost password of the embedded PostgreSQL could not be set anew: {engines.explained(talk)}."
        )
    _log.warning("The password file %s was missing; a new password was set.", place.password)


def _start(place: Place, engine: Engine) -> Postmaster:
    """Start the server on the port it had, or on a free one when that is taken. Nothing is running; we hold the lock."""
    _remove_stale_pid_file(place)
    _turn_log(place)
    talk = ""
    for _ in range(PORTS_TO_TRY):
        port = _choose_port(place)
        before = place.log.stat().st_size
        options = f"-p {port} -c listen_addresses=127.0.0.1"
        _, talk = _pg_ctl(place, engine, "start", START_PATIENCE_S, "--log", str(place.log), "--options", options)
        running = _postmaster(place)
        if running is not None:  # also when it is still recovering from a crash: whoever connects waits
            place.write(place.port, str(running.port))
            engines.forget_others(place, engine)
            return running
        said = _log_since(place, before)
        if "pre-existing shared memory block" in said:
            _wait_for_orphans(place)
        elif "could not bind" in said or "Address already in use" in said:
            place.port.unlink(missing_ok=True)
        else:
            talk = said or talk
            break
    raise EmbeddedServerError(f"The embedded PostgreSQL did not start: {engines.explained(talk)}. Its log is {place.log}.")


def _wait_for_orphans(place: Place) -> None:
    """Give the children of a killed server the moment they need to notice; they hold its shared memory until then."""
    with contextlib.suppress(tenacity.RetryError):
        tenacity.Retrying(retry=tenacity.retry_if_result(bool), wait=tenacity.wait_fixed(0.2), stop=tenacity.stop_after_delay(5))(
            lambda: _postmaster(place) is None
        )


def _stop(place: Place) -> None:
    if _postmaster(place) is None:
        return
    engine = engines.ensure(place)
    for mode, patience_s in (("fast", STOP_PATIENCE_S), ("immediate", 10)):
        code, talk = _pg_ctl(place, engine, "stop", patience_s, "--mode", mode)
        if code == 0 or _postmaster(place) is None:
            return
        _log.warning("The embedded PostgreSQL did not stop within %s s (%s).", patience_s, engines.explained(talk))
    raise EmbeddedServerError(f"The embedded PostgreSQL could not be stopped. Its log is {place.log}.")


def _pg_ctl(place: Place, engine: Engine, verb: str, patience_s: int, *words: str) -> tuple[int, str]:
    command: list[str | Path] = [
        engine.program("pg_ctl"),
        verb,
        "--pgdata",
        place.data,
        "--wait",
        "--timeout",
        str(patience_s),
        *words,
    ]
    return place.run(command, env=engine.env, timeout_s=patience_s + 30)


def _wait_until_it_answers(place: Place, dsn: str) -> str:
    """The version, once it answers. Makes the database when the server has just been made."""
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_is_still_starting),
        wait=tenacity.wait_fixed(0.1),
        stop=tenacity.stop_after_delay(START_PATIENCE_S),
        reraise=True,
    )
    try:
        return str(attempts(_ask_version, dsn))
    except psycopg.OperationalError as error:
        said = " ".join(str(error).split())
        if _is_still_starting(error):
            what = f"is still recovering from a crash after {START_PATIENCE_S} s; try again in a while"
        elif "password authentication failed" in said:
            what = f"does not take the password in {place.password}: stop every Thoth process, delete that file and start again"
        else:
            what = f"runs and does not answer ({said})"
        raise EmbeddedServerError(f"The embedded PostgreSQL {what}. Its log is {place.log}.") from error


def _is_still_starting(error: BaseException) -> bool:
    """Whether the server says "wait". The driver gives no code for a failed connection; the server's words are English."""
    return isinstance(error, psycopg.OperationalError) and "FATAL:  the database system is" in str(error)


def _ask_version(dsn: str) -> str:
    # Through the database that is always there; ours is made when it is not.
    with psycopg.connect(dsn, dbname="postgres", connect_timeout=10, autocommit=True) as connection:
        if connection.execute("select from pg_database where datname = %s", (OWNER,)).fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(OWNER)))
        row = connection.execute("select current_setting('server_version')").fetchone()
        assert row is not None
        return str(row[0])


def _postmaster(place: Place) -> Postmaster | None:
    """The server that runs in the data folder, or None: no pid file, an unreadable one, or a pid that is another's now."""
    try:
        lines = (place.data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        found = Postmaster(pid=int(lines[0]), port=int(lines[3]))
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return found if _is_postgres_of(place.data, found.pid) else None


def _is_postgres_of(data: Path, pid: int) -> bool:
    """Whether process `pid` is a server of this folder. A server's working directory is its data folder."""
    if Path("/proc/self/cwd").exists():
        try:
            return Path(f"/proc/{pid}/cwd").readlink() == data.resolve()
        except OSError:
            return False
    command = ["/bin/ps", "-o", "args=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command and a number
    return "postgres" in shown.stdout and str(data) in shown.stdout


def _remove_stale_pid_file(place: Place) -> None:
    """PostgreSQL itself removes the file of a dead pid; it stops at an empty one and at a pid that now is another's.

    Safe because we hold the lock, no such server runs, and children of a dead one are found by their shared memory.
    """
    (place.data / "postmaster.pid").unlink(missing_ok=True)


def _choose_port(place: Place) -> int:
    """The port of last time when it is free, else any free one: whatever was noted down stays true while it can."""
    with contextlib.suppress(OSError, ValueError), socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as PostgreSQL does: closed connections linger there
        attempt.bind(("127.0.0.1", int(place.port.read_text(encoding="ascii"))))
        return int(attempt.getsockname()[1])
    with socket.socket() as attempt:
        attempt.bind(("127.0.0.1", 0))
        return int(attempt.getsockname()[1])


def _turn_log(place: Place) -> None:
    """Begin a new log when it has grown long; the one before is kept."""
    if place.log.exists() and place.log.stat().st_size > LONGEST_LOG_BYTES:
        place.log.rename(place.log.with_suffix(".log.old"))
    if not place.log.exists():
        place.write(place.log, "")


def _log_since(place: Place, offset: int) -> str:
    with place.log.open("rb") as log:
        log.seek(offset)
        return log.read().decode(errors="replace").strip()


def _password(place: Place) -> str:
    try:
        return place.password.read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise EmbeddedServerError(
            f"The password file {place.password} is gone while the embedded PostgreSQL runs: stop every Thoth process and start"
            " again; a new password is then set."
        ) from error
