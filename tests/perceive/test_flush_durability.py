"""What the journal has let go of must be on the server's disk, also where the server commits lazily by default."""

from __future__ import annotations

from pathlib import Path

import psycopg

from thoth_substrate.boot import open_substrate
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import load

USER = "thoth.world.user_message.cli"


async def test_a_batch_is_committed_to_disk_where_the_server_s_default_is_not(
    tmp_path: Path, dsn: str, sql: psycopg.Connection
) -> None:
    """faults: PostgreSQL is stopped at once under load: a server with synchronous_commit off forgets its last commits."""
    sql.execute("do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$")
    sql.execute("create table public.seen (synchronous_commit text)")
    sql.execute("grant insert on public.seen to public")
    sql.execute(
        "create function public.see() returns trigger language plpgsql as"
        " $$ begin insert into public.seen values (current_setting('synchronous_commit')); return null; end $$"
    )
    sql.execute("create trigger see after insert on thoth.substrate_pending for each statement execute function public.see()")
    settings = load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_EMBED_PROVIDER="none")
    with open_substrate(settings) as substrate:
        substrate.perceive_sync(Event(USER, "kept"))
        assert await substrate.durable(60)
    assert sql.execute("select distinct synchronous_commit from public.seen").fetchall() == [("on",)]
