"""A host process for the tests that kill it: `python -m tests.workers.host DSN GRACE_S`. It says `began` within a tick."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import timedelta

from tests.workers.support import supervisor, worker
from thoth_substrate.db.pool import Database
from thoth_workers.worker import Context, Report


async def tick(context: Context) -> Report:
    """Half of some work, in a transaction that never ends by itself."""
    async with context.database.tenant("half") as tx:
        await tx._connection.execute("insert into thoth.substrate_tenants (tenant_id) values ('half')")
        sys.stdout.write("began\n")
        sys.stdout.flush()
        await asyncio.Event().wait()
    return Report(1)


async def main(dsn: str, grace_s: str) -> None:
    """Run until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    database = await Database.open(dsn)
    await supervisor(database, worker(tick), grace=timedelta(seconds=float(grace_s))).run(stop)
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
