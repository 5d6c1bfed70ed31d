"""The façade: what a host may do to it at any moment without harm to a turn."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psycopg
import pytest

from thoth_substrate.boot import open_database, open_substrate, prepare
from thoth_substrate.model.projection import EmptyReason
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

USER = "thoth.world.user_message.cli"


@pytest.fixture
def settings(tmp_path: Path, dsn: str) -> Settings:
    return load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_SUBSTRATE_RECALL=True, THOTH_EMBED_PROVIDER="none")


def count(sql: psycopg.Connection) -> int:
    row = sql.execute("select count(*) from thoth.substrate_slices where text like 'said%'").fetchone()
    assert row is not None
    return int(row[0])


def test_a_sync_host_perceives_and_recalls_without_a_loop(settings: Settings, sql: psycopg.Connection) -> None:
    """faults: a host with its own event loop; a sync host."""
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(60)
        assert substrate.perceive_sync(Event(USER, "said once")).slice_id is not None
        assert asyncio.run(substrate.durable(60))
        assert substrate.recall_sync("what was said?", deadline_ms=30_000).empty_reason is EmptyReason.NO_CANDIDATES
    assert count(sql) == 1


async def test_a_host_s_running_loop_is_no_hindrance_to_the_sync_twins(settings: Settings, dsn: str) -> None:
    """faults: a host with its own event loop."""
    await prepare(settings, dsn)
    async with Substrate(settings, lambda clock: open_database(settings, dsn, clock, pool="voice")) as substrate:
        assert substrate.perceive_sync(Event(USER, "said inside a loop")).slice_id is not None
        assert await substrate.durable(60)


def test_a_bad_event_is_answered_not_raised(settings: Settings) -> None:
    with open_substrate(settings) as substrate:
        assert "no.such.stream" in (substrate.perceive_sync(Event("no.such.stream", "x")).dropped or "")
        assert "diary" in (substrate.perceive_sync(Event("substrate.self_state", "x")).dropped or "")
        assert substrate.perceive_sync(Event(USER, "<memory-context>\nours\n</memory-context>")).dropped == "own context"


def test_after_closing_a_turn_still_goes_on(settings: Settings) -> None:
    substrate = open_substrate(settings)
    substrate.close_sync()
    assert substrate.recall_sync("what was said?").empty_reason is EmptyReason.ERROR


def test_a_forked_child_remembers_too(settings: Settings, sql: psycopg.Connection) -> None:
    """faults: a host that forks."""
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(60)
        substrate.perceive_sync(Event(USER, "said by the parent"))
        child = os.fork()
        if child == 0:
            kept = substrate.perceive_sync(Event(USER, "said by the child")).slice_id is not None
            os._exit(0 if kept and asyncio.run(substrate.durable(60)) else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert asyncio.run(substrate.durable(60))
    assert count(sql) == 2


def test_without_a_database_it_is_dormant_says_so_and_turns_go_on(tmp_path: Path) -> None:
    """faults: PostgreSQL is away at boot."""
    away = load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN="postgresql://nobody@127.0.0.1:9/none", THOTH_SUBSTRATE_RECALL=True,
                THOTH_EMBED_PROVIDER="none")  # fmt: skip
    with open_substrate(away) as substrate:
        assert substrate.perceive_sync(Event(USER, "said to nobody")).slice_id is not None
        assert substrate.recall_sync("what was said?").empty_reason is EmptyReason.ERROR
        assert substrate.health()["dormant"]


def test_a_host_s_own_transaction_is_untouched_by_what_fails_here(settings: Settings, dsn: str, sql: psycopg.Connection) -> None:
    """faults: a failed statement inside the host's own transaction must not roll the host's row back."""
    sql.execute("create table public.host_rows (note text)")
    with open_substrate(settings) as substrate, psycopg.connect(dsn) as host:
        host.execute("insert into public.host_rows values ('mine')")
        assert substrate.perceive_sync(Event("no.such.stream", "x")).dropped
        assert substrate.recall_sync("said \ud83d x\x00", tenant="nobody").empty_reason is not None
        host.commit()
    assert sql.execute("select note from public.host_rows").fetchall() == [("mine",)]
