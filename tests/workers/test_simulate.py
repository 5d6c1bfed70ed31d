"""A day recorded by the real Conductor on a real database, run again under this and other policies."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tests.support import streams
from tests.workers.support import settings
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_workers.agent import run_unit
from thoth_workers.crew import conductor
from thoth_workers.policy import Member, Memory, Plan, Policy, Standing, Vitals, decide
from thoth_workers.rates import Rates
from thoth_workers.simulate import Day, again, compare, simulate
from thoth_workers.worker import Context

TENANT = "default"
DAY = datetime(2026, 5, 15, tzinfo=UTC)
STEP = timedelta(minutes=5)
CREW = (
    Member("parser", "intake", Intensity.MEDIUM, uses_model=True),
    Member("reflector", "enrichment", uses_model=True),
    Member("associator", "enrichment"),
    Member("critic", "critic", Intensity.MEDIUM),
)
DRAINED = {"OFF": 0, "LOW": 40, "MEDIUM": 200, "FULL": 400}  # slices a step, by the Parser's level


class _Model:
    configured = True


@pytest.fixture
async def recorded(db: Database, sql: psycopg.Connection, clock: PinnedClock, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A day in steps of five minutes: 10,000 slices fall in at two o'clock, and go as fast as the Parser's level lets them."""
    core = conductor.members((conductor.AGENT,))
    monkeypatch.setattr(conductor, "everyone", lambda: tuple(sorted((*core, *CREW), key=lambda one: one.name)))
    streams(sql)
    sql.execute("insert into thoth.substrate_tenants values ('default', %s)", [DAY])
    sql.execute("select thoth.substrate_make_months('2026-05-01', 1)")
    chance = random.Random(5)
    clock.advance(DAY - clock.now())
    context = Context(settings(THOTH_CONDUCTOR_DWELL_MS=600_000), db, clock, Intensity.FULL, chat=_Model())  # type: ignore[arg-type]
    for step in range(int(timedelta(days=1) / STEP)):
        clock.advance(STEP if step else timedelta(minutes=1))
        level = sql.execute("select level from thoth.substrate_agents where agent = 'parser'").fetchone()
        came = 10_000 if step == 24 else chance.randrange(120)
        _move(sql, clock, came, DRAINED[level[0] if level else "MEDIUM"])
        await run_unit(conductor.AGENT, context, TENANT)
    return db


def _move(sql: psycopg.Connection, clock: PinnedClock, came: int, went: int) -> None:
    sql.execute(
        "delete from thoth.substrate_unconsolidated where slice_id in"
        " (select slice_id from thoth.substrate_unconsolidated order by queued_at limit %s)", [went],
    )  # fmt: skip
    sql.execute(
        "insert into thoth.substrate_unconsolidated (tenant_id, slice_id, queued_at)"
        " select 'default', gen_random_uuid(), %s from generate_series(1, %s)", [clock.now(), came],
    )  # fmt: skip


async def test_a_backlog_of_ten_thousand_is_drained_with_enrichment_paused_and_nobody_flaps(recorded: Database) -> None:
    """Show 10 of the crew."""
    end = DAY + timedelta(days=1)
    same = await simulate(recorded, TENANT, DAY, end, ())
    assert (same.samples, same.unreadable, same.differences, same.flapped) == (288, 0, [], False)
    assert same.backlog is not None
    assert same.backlog.peak >= 10_000
    assert same.backlog.drained_at is not None
    span = (same.backlog.drained_at - same.backlog.peak_at).total_seconds() / 3600
    assert 1 < span < 8
    assert same.backlog.paused_h == pytest.approx(span, abs=0.2)
    steered = {one.agent: one for one in same.agents}
    assert all(one.most_in_a_dwell_recorded <= 1 for one in same.agents)
    assert all(one.changes_recorded == one.changes_simulated for one in same.agents)
    assert span <= steered["parser"].hours_recorded["FULL"] <= span + 0.6  # until the age is down as well
    assert steered["reflector"].changes_recorded == 2
    assert steered["sentinel"].hours_recorded == {"FULL": pytest.approx(23.92, abs=0.1)}


async def test_another_policy_differs_in_what_it_was_told_to(recorded: Database) -> None:
    end = DAY + timedelta(days=1)
    bold = await simulate(recorded, TENANT, DAY, end, ("backlog_high_slices=20000", "backlog_low_slices=19999", "age_high_s=1e9"))
    assert set(bold.thresholds) == {"backlog_high_slices", "backlog_low_slices", "age_high_s"}
    assert {one.agent for one in bold.differences} == {"parser", "reflector", "associator"}
    first = next(one for one in bold.differences if one.agent == "reflector")
    assert (first.recorded, first.simulated, first.why) == ("OFF", "FULL", "baseline")
    assert {one.agent: one.changes_simulated for one in bold.agents}["reflector"] == 0
    with pytest.raises(BadInput, match="nothing in that time"):
        await simulate(recorded, TENANT, DAY - timedelta(days=9), DAY - timedelta(days=8), ())
    with pytest.raises(BadInput, match="backlog_tall"):
        await simulate(recorded, TENANT, DAY, end, ("backlog_tall=1",))


async def test_what_was_purged_from_the_diary_is_counted_and_left_out(recorded: Database, sql: psycopg.Connection) -> None:
    sql.execute(
        "update thoth.substrate_slices set payload = null where session_id = 'diary' and slice_id in"
        " (select slice_id from thoth.substrate_slices where session_id = 'diary' order by event_time offset 10 limit 3)"
    )
    found = await simulate(recorded, TENANT, DAY, DAY + timedelta(days=1), ())
    assert (found.samples, found.unreadable) == (285, 3)


def _day(backlogs: list[int], dwell_s: float) -> Day:
    """Entries a minute apart, decided by the default policy with this dwell."""
    policy, memory, found = Policy(dwell_s=dwell_s), Memory(), []
    standing = {one.name: Standing(one.baseline) for one in CREW}
    for minute, backlog in enumerate(backlogs):
        at = DAY + timedelta(minutes=minute)
        gathered = conductor.Gathered(
            policy, CREW, dict(standing), memory, Vitals(at, model=True, backlog=backlog), Rates(at, backlog), "", at, ()
        )
        plan: Plan = decide(policy, CREW, standing, memory, gathered.vitals)
        found.append((gathered, plan))
        memory, standing = plan.memory, {name: Standing(one.level) for name, one in plan.levels.items()}
    return found


def test_flapping_is_seen_where_a_policy_allows_it() -> None:
    day = _day(list(itertools.islice(itertools.cycle([1000, 0]), 60)), dwell_s=0)
    wild = compare(day, again(day, ("backlog_low_slices=100",)), DAY, DAY + timedelta(hours=1))
    assert {one.agent: one.changes_recorded for one in wild.agents}["reflector"] > 50
    calm = compare(day, again(day, ("dwell_s=600",)), DAY, DAY + timedelta(hours=1))
    assert (calm.flapped, {one.agent: one.changes_simulated for one in calm.agents}["reflector"]) == (False, 5)


def test_what_the_operator_held_is_his_in_the_simulation_too() -> None:
    day = [
        (replace(gathered, standing={**gathered.standing, "reflector": Standing(Intensity.LOW, held=True)}), plan)
        for gathered, plan in _day([0, 1000, 1000], dwell_s=0)
    ]
    assert [plan.levels["reflector"].level for _, plan in again(day, ())] == [Intensity.LOW] * 3
