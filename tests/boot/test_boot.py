"""From settings to a server, a schema, pools and a façade: loud for the CLI, quiet inside a host."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests import servers
from thoth_substrate import boot
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.db.migrate import head, migrate, state
from thoth_substrate.errors import DatabaseUnavailable, SchemaOutdated, ThothError
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.streams import STREAMS
from thoth_substrate.settings import Settings, load

NOWHERE = "postgresql://nobody:hunter2@127.0.0.1:1/nothing"
SAID = Event("thoth.world.user_message.cli", "The spare key is under the third flowerpot.")


@pytest.fixture
def empty(server_dsn: str) -> Iterator[str]:
    with servers.empty_database(server_dsn) as dsn:
        yield dsn


def test_a_given_server_is_used_and_its_version_told(dsn: str, tmp_path: Path) -> None:
    with boot.find_server(_settings(tmp_path, dsn)) as server:
        assert (server.dsn, server.embedded, server.version.split(".")[0] in ("17", "18")) == (dsn, False, True)
    assert list(tmp_path.iterdir()) == [], "a given server needs nothing of the home"


def test_without_a_dsn_the_embedded_server_runs_for_as_long_as_it_is_needed(home: Path) -> None:
    with boot.find_server(_settings(home)) as server:
        assert (server.embedded, server.version.split(".")[0], server.log and server.log.name) == (True, "18", "server.log")
        psycopg.connect(server.dsn).close()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(server.dsn)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_stops_the_server_it_started(home: Path, how: signal.Signals) -> None:
    script = f"""if True:
        import signal, sys
        from thoth_substrate import boot, settings
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it is ignored beneath nohup
        with boot.find_server(settings.load(THOTH_HOME={str(home)!r})) as server:
            print("running", flush=True)
            sys.stdin.read()
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "THOTH_PG_DSN")}
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "running\n"
        command.send_signal(how)
        assert command.wait(60) == 128 + how
    assert not (home / "pg" / "data" / "postmaster.pid").exists()


def test_a_server_that_is_away_at_boot_is_one_sentence_and_exit_3(tmp_path: Path) -> None:
    """faults: it is away at boot."""
    with (
        pytest.raises(DatabaseUnavailable, match="No PostgreSQL can be used") as caught,
        boot.find_server(_settings(tmp_path, NOWHERE)),
    ):
        pass
    assert (caught.value.exit_code, "hunter2" in str(caught.value)) == (3, False)


async def test_preparing_makes_schema_months_and_streams_and_may_be_repeated(
    empty: str, tmp_path: Path, clock: PinnedClock
) -> None:
    settings = _settings(tmp_path, empty)
    await asyncio.gather(*(boot.prepare(settings, empty, clock) for _ in range(2)))
    await boot.prepare(settings, empty, clock)
    assert state(empty).current == head()
    with psycopg.connect(empty) as connection:
        names = {row[0] for row in connection.execute("select stream from thoth.substrate_streams")}
        assert names == {stream.name for stream in STREAMS}
        for month in ("y2026m05", "y2026m06", "y2026m07", "y2026m08"):
            assert connection.execute("select to_regclass(%s)", (f"thoth.substrate_slices_{month}",)).fetchone() != (None,)


async def test_without_auto_migrate_an_old_schema_stops_the_boot(empty: str, tmp_path: Path) -> None:
    with pytest.raises(SchemaOutdated, match="run `thoth substrate migrate`") as caught:
        await boot.prepare(_settings(tmp_path, empty, THOTH_AUTO_MIGRATE="0"), empty)
    assert caught.value.exit_code == 3
    assert state(empty).current is None


async def test_voice_and_hands_are_pools_of_their_own(dsn: str, tmp_path: Path) -> None:
    settings = _settings(tmp_path, dsn)
    for pool, timeout in (("voice", "5s"), ("hands", "0")):
        database = await boot.open_database(settings, dsn, pool="voice" if pool == "voice" else "hands")
        async with database.worker() as tx:
            shown = await tx._connection.fetchrow(
                "select current_setting('application_name'), current_setting('statement_timeout')"
            )
        assert tuple(shown or ()) == (f"thoth {pool}", timeout)
        await database.close()


async def test_a_hosts_facade_prepares_an_empty_database_and_perceives(empty: str, tmp_path: Path) -> None:
    async with boot.open_substrate(_settings(tmp_path, empty)) as substrate:
        assert (await substrate.perceive(SAID)).slice_id
        assert await substrate.durable(60)
        assert substrate.health()["dormant"] is False
    assert _slices(empty) == 1


def test_a_hosts_facade_brings_its_own_server_when_none_is_given(home: Path) -> None:
    with boot.open_substrate(_settings(home)) as substrate:
        substrate.perceive_sync(SAID)
        assert asyncio.run(substrate.durable(60))


def test_a_hosts_facade_sleeps_while_the_database_is_away_and_wakes_by_itself(home: Path) -> None:
    """faults: it is away at boot."""
    with EmbeddedServer(home) as server:
        migrate(server.dsn)
    with boot.open_substrate(_settings(home, server.dsn)) as substrate:
        health = substrate.health()
        assert health["dormant"] is True
        assert substrate.recall_sync("Where is the spare key?", forced=True).block == ""
        assert substrate.perceive_sync(SAID).slice_id
        with EmbeddedServer(home):
            assert asyncio.run(substrate.durable(60)), "what was perceived meanwhile is written when it is back"
            assert substrate.health()["dormant"] is False
            assert _slices(server.dsn) == 1
            substrate.close_sync()


@pytest.mark.parametrize("loud", [True, False])
def test_a_schema_of_a_newer_thoth_is_loud_for_a_command_and_quiet_in_a_host(dsn: str, tmp_path: Path, loud: bool) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("update thoth.substrate_schema_version set version_num = '9999'")
    settings = _settings(tmp_path, dsn)
    if loud:
        with pytest.raises(ThothError, match="at revision 9999, which this Thoth does not know"):
            boot.open_substrate(settings, loud=True)
        return
    with boot.open_substrate(settings) as substrate:
        assert substrate.health()["dormant"] is True
        assert substrate.perceive_sync(SAID).slice_id, "the journal keeps it"


def _settings(home: Path, dsn: str | None = None, **more: Any) -> Settings:
    given = {"THOTH_PG_DSN": dsn} if dsn else {}
    return load(THOTH_HOME=str(home), THOTH_EMBED_PROVIDER="none", **given, **more)


def _slices(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select count(*) from thoth.substrate_slices").fetchone()
    assert row is not None
    return int(row[0])
