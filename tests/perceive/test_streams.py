"""The streams every Thoth has."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.perceive.support import column, flushed, flushing, said, until
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import UnknownStream
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.streams import DIARY, Stream
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.perceive.streams import STREAMS, actor_of, register, registered


async def test_the_fifteen_are_registered_and_registering_again_changes_nothing(db: Database, sql: psycopg.Connection) -> None:
    await register(db)
    sql.execute("update thoth.substrate_streams set profile = 'log', lifecycle = 'retired' where stream like '%signal'")
    await register(db)
    names = column(sql, "select stream from thoth.substrate_streams")
    world = ("note", "file", "email", "calendar")
    ours = (*(f"thoth.world.{name}" for name in world), "thoth.self_state.summary")
    assert len([name for name in names if name not in ours]) == 15
    assert column(sql, "select profile from thoth.substrate_streams where stream like '%signal'") == ["log"]
    assert {row.stream for row in await registered(db) if row.retired} == {"thoth.world.user_message.signal"}


def test_tools_are_structured_and_the_diary_keeps_its_own_profile() -> None:
    by_name = {stream.name: stream for stream in STREAMS}
    assert by_name["thoth.self_action.tool_result"].profile == "default-structured"
    assert by_name["thoth.self_action.assistant_response"].profile == "default-text"
    assert by_name[DIARY].profile == "diary"
    assert {actor_of(name) for name in by_name} == {"user", "assistant", "tool", "system"}


async def test_a_stream_that_somebody_else_registered_is_learnt(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    with pytest.raises(UnknownStream, match="thoth substrate streams"):
        perceiver.perceive(said("x", stream="acme.world.sensor"))
    await register(db, [Stream("acme.world.sensor", "exteroceptive", "signal", "a sensor", "default-signal")])
    async with flushing(perceiver, db):
        await until(lambda: "acme.world.sensor" in perceiver._flusher.streams)
    perceiver.perceive(said("21 degrees", stream="acme.world.sensor"))
    await flushed(perceiver, db)
    assert column(sql, "select profile from thoth.substrate_salience") == ["default-signal"]


async def test_a_retired_stream_takes_no_new_slices(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    await register(db)
    sql.execute("update thoth.substrate_streams set lifecycle = 'retired' where stream = 'thoth.world.note'")
    async with flushing(perceiver, db):
        await until(lambda: "thoth.world.note" not in perceiver._flusher.streams)
    with pytest.raises(UnknownStream):
        perceiver.perceive(said("x", stream="thoth.world.note"))


async def test_a_diary_slice_is_born_passed_and_exempt_and_queues_nowhere(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock, perceiver: Perceiver
) -> None:
    """faults: the diary audited by the diary."""
    perceiver.perceive(said({"decided": "nothing"}, stream=DIARY))
    await flushed(perceiver, db)
    assert sql.execute("select triage_state, consolidation_state, actor from thoth.substrate_slices").fetchall() == [
        ("passed", "exempt", "system")
    ]
    assert column(sql, "select 1 from thoth.substrate_pending") == []
