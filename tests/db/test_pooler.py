"""Behind pgbouncer in transaction mode, where each transaction may meet another server connection."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import tenacity

from thoth_substrate.db.migrate import migrate, require_current
from thoth_substrate.db.pool import Database, PoolOptions
from thoth_substrate.errors import DatabaseUnsuitable
from thoth_substrate.model.clock import PinnedClock

PGBOUNCER = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")
SERVER_CONNECTIONS = 2


@pytest.fixture
def pooled(dsn: str) -> Iterator[str]:
    """The test's database through a pooler that has two connections to share."""
    server = psycopg.conninfo.conninfo_to_dict(dsn)
    target = " ".join(f"{key}={server[key]}" for key in ("host", "port", "dbname", "user", "password") if server.get(key))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="thoth-pooler-"))
    folder.chmod(0o755)
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(
        f"[databases]\npooled = {target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
        f"unix_socket_dir =\npool_mode = transaction\ndefault_pool_size = {SERVER_CONNECTIONS}\nserver_tls_sslmode = disable\n"
    )
    nobody = 65534 if os.geteuid() == 0 else None  # it refuses to run as root
    process = subprocess.Popen([str(PGBOUNCER), "-q", str(configuration)], user=nobody, stderr=subprocess.DEVNULL)
    address = f"postgresql://anybody@127.0.0.1:{port}/pooled?sslmode=disable"
    try:
        _wait_for(address)
        yield address
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


async def test_tenants_and_roles_hold_behind_a_transaction_pooler(pooled: str, clock: PinnedClock) -> None:
    """faults: a pooler in transaction mode stands between."""
    database = await Database.open(pooled, PoolOptions(size=8, statement_cache=0), clock)

    async def one_turn(tenant: str) -> list[str]:
        async with database.tenant(tenant) as tx:
            await tx._connection.execute(
                "insert into thoth.substrate_tenants (tenant_id) values ($1) on conflict do nothing", tenant
            )
            assert await tx._connection.fetchval("select thoth.substrate_now()") == clock.now()
            seen = await tx._connection.fetch("select tenant_id from thoth.substrate_tenants")
            return [row["tenant_id"] for row in seen]

    tenants = [f"t{number % 20}" for number in range(200)]
    assert await asyncio.gather(*map(one_turn, tenants)) == [[tenant] for tenant in tenants]
    async with database.worker() as tx:
        assert await tx._connection.fetchval("select count(*) from thoth.substrate_tenants") == 20
    await database.close()


async def test_json_and_vectors_are_read_and_written_behind_a_pooler(pooled: str) -> None:
    database = await Database.open(pooled, PoolOptions(size=4, statement_cache=0))
    async with database.tenant("t") as tx:
        row = await tx._connection.fetchrow(
            "select '{\"a\": [1]}'::jsonb, '[1,2]'::halfvec <-> '[1,3]'::halfvec, '[1,2]'::halfvec"
        )
    assert row is not None
    assert (row[0], row[1], row[2].to_list()) == ({"a": [1]}, 1.0, [1.0, 2.0])
    await database.close()


async def test_a_pooler_that_loses_prepared_statements_is_explained(pooled: str) -> None:
    if not _is_old():
        pytest.skip("this pgbouncer keeps prepared statements")
    database = await Database.open(pooled, PoolOptions(size=6))

    async def one_turn(number: int) -> None:
        async with database.tenant("t") as tx:
            await tx._connection.fetchval("select $1::int", number)

    turns = [one_turn(number) for number in range(300)]
    with pytest.raises(DatabaseUnsuitable, match="set THOTH_PG_STATEMENT_CACHE=0"):
        await asyncio.gather(*turns)
    await database.close(patience_s=0.1)


def test_migrating_through_a_pooler_is_safe_too(pooled: str) -> None:
    assert migrate(pooled, "base")[1] is None
    assert migrate(pooled)[0] is None
    require_current(pooled)


def _is_old() -> bool:
    said = subprocess.run([str(PGBOUNCER), "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.split()[1].split(".")[:2]) < (1, 21)


@tenacity.retry(retry=tenacity.retry_if_exception_type(psycopg.OperationalError), stop=tenacity.stop_after_delay(20),
                wait=tenacity.wait_fixed(0.05))  # fmt: skip
def _wait_for(address: str) -> None:
    psycopg.connect(address, connect_timeout=5).close()
