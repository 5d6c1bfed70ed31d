"""The Conductor on a real database: it looks, writes the whole state, remembers, and tells the diary sparsely."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from tests.plans import plan, scanned
from tests.support import streams
from tests.views.seed import many_slices
from tests.workers.support import decisions, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views.told import TOLD
from thoth_substrate.views.vitals import VITALS
from thoth_workers.agent import run_unit
from thoth_workers.crew import conductor
from thoth_workers.crew.conductor import AGENT, read_back
from thoth_workers.policy import Member
from thoth_workers.replay import replay
from thoth_workers.worker import Context

TENANT = "default"
TICK = conductor.EVERY
PARSER, DREAMER = "parser", "dreamer"
EVERYONE = conductor.everyone
CREW = (Member(PARSER, "intake", Intensity.MEDIUM, uses_model=True), Member(DREAMER, "enrichment", uses_model=True))


class _Model:
    """A model is configured; nobody asks it here."""

    configured = True


@pytest.fixture(autouse=True)
def small_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever else is in the crew by now: these two and the core."""
    core = conductor.members((AGENT,))
    monkeypatch.setattr(conductor, "everyone", lambda: tuple(sorted((*core, *CREW), key=lambda one: one.name)))


@pytest.fixture
def ground(sql: psycopg.Connection, db: Database) -> psycopg.Connection:
    streams(sql)
    return sql


def _context(db: Database, **given: Any) -> Context:
    return Context(settings(**given), db, db.clock, Intensity.FULL, chat=_Model())  # type: ignore[arg-type]


async def _tick(db: Database, clock: PinnedClock, after: timedelta = TICK, **given: Any) -> bool:
    """One tick, a while after the one before; answers whether it told anything."""
    clock.advance(after)
    return (await run_unit(AGENT, _context(db, **given), TENANT)).did is not None


def _levels(sql: psycopg.Connection) -> dict[str, str]:
    return dict(sql.execute("select agent, level from thoth.substrate_agents").fetchall())


def _queue(sql: psycopg.Connection, clock: PinnedClock, number: int, tenant: str = TENANT) -> None:
    sql.execute("insert into thoth.substrate_tenants values (%s, %s) on conflict do nothing", [tenant, clock.now()])
    sql.execute(
        "insert into thoth.substrate_unconsolidated (tenant_id, slice_id, queued_at)"
        " select %s, gen_random_uuid(), %s from generate_series(1, %s)",
        [tenant, clock.now(), number],
    )


def test_the_whole_crew_is_steered_and_who_takes_in_can_be_raised() -> None:
    everyone = {one.name: one for one in EVERYONE()}
    assert {"parser", "summarizer", "conductor", "sentinel", "embedder", "curator", "force_reject", "partitions"} <= set(everyone)
    assert (everyone["parser"].role, everyone["parser"].baseline) == ("intake", Intensity.MEDIUM)
    assert {one.name for one in everyone.values() if one.least is Intensity.FULL} == {"sentinel", "force_reject", "partitions"}


async def test_a_first_look_writes_everyone_at_the_baseline(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    assert await _tick(db, clock)
    levels = _levels(ground)
    assert levels == {
        "parser": "MEDIUM", "dreamer": "FULL", "sentinel": "FULL", "embedder": "FULL", "curator": "FULL",
        "force_reject": "FULL", "partitions": "FULL", "conductor": "FULL",
    }  # fmt: skip


async def test_a_backlog_of_two_tenants_raises_the_parser_and_pauses_the_dreamer_until_it_is_drained(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 600)
    _queue(ground, clock, 600, "other")
    assert await _tick(db, clock)
    assert (_levels(ground)["parser"], _levels(ground)["dreamer"]) == ("FULL", "OFF")
    ground.execute("delete from thoth.substrate_unconsolidated")
    assert await _tick(db, clock)
    assert _levels(ground)["dreamer"] == "OFF"  # the dwell
    assert await _tick(db, clock, conductor.TOLD_EVERY)
    assert (_levels(ground)["parser"], _levels(ground)["dreamer"]) == ("MEDIUM", "FULL")


async def test_every_decision_holds_the_whole_state_and_is_decided_the_same_again(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 1000)
    await _tick(db, clock)
    told = decisions(ground)
    assert len(told) == 2
    for entry in told:
        gathered, plan = read_back(entry["decision"])
        assert set(plan.levels) == {one.name for one in gathered.members} == set(entry["decision"]["applied"]["levels"])
        assert conductor.decide_levels(gathered, ()) == plan
    rows = ground.execute("select slice_id from thoth.substrate_slices where session_id = 'diary'").fetchall()
    assert [(await replay(db, TENANT, row[0])).same for row in rows] == [True, True]
    assert set(told[1]["decision"]["applied"]["changed"]) == {PARSER, DREAMER}
    assert gathered.vitals.backlog == 1000


async def test_an_unchanged_state_is_told_every_five_minutes_and_not_more_often(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    told = [await _tick(db, clock) for _ in range(1 + 2 * int(conductor.TOLD_EVERY / TICK))]
    assert sum(told) == 3
    assert len(decisions(ground)) == 3


async def test_what_the_operator_holds_is_not_written_and_lapses_with_his_word(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    await _tick(db, clock)
    ground.execute(
        "update thoth.substrate_agents set override_level = 'LOW', override_until = %s where agent in ('dreamer', 'sentinel')",
        [clock.now() + timedelta(minutes=10)],
    )
    _queue(ground, clock, 1000)
    await _tick(db, clock)
    assert _levels(ground)["dreamer"] == "FULL"  # beneath his word, as it was
    entry = decisions(ground)[-1]["decision"]
    assert read_back(entry)[1].levels["dreamer"].held
    await _tick(db, clock, timedelta(minutes=10))
    assert _levels(ground)["dreamer"] == "OFF"


async def test_a_word_given_between_look_and_deed_wins(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 1000)
    clock.advance(TICK)
    context = _context(db)
    gathered = await conductor.gather(context, TENANT)
    assert gathered is not None
    ground.execute(
        "update thoth.substrate_agents set override_level = 'FULL', override_until = 'infinity' where agent = 'dreamer'"
    )
    async with db.tenant(TENANT) as tx:
        plan = conductor.decide_levels(gathered, ())
        applied = await conductor.apply(tx, TENANT, gathered, plan, None)  # type: ignore[arg-type]
    assert set(applied["changed"]) == {"parser"}


async def test_of_two_that_decide_at_once_the_later_changes_nothing(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: two workers started by accident"""
    await _tick(db, clock)
    _queue(ground, clock, 1000)
    clock.advance(TICK)
    gathered = await conductor.gather(_context(db), TENANT)
    assert gathered is not None
    assert (await run_unit(AGENT, _context(db), TENANT)).did is not None
    ground.execute("update thoth.substrate_agents set level = 'MEDIUM' where agent = 'dreamer'")
    async with db.tenant(TENANT) as tx:
        applied = await conductor.apply(tx, TENANT, gathered, conductor.decide_levels(gathered, ()), None)  # type: ignore[arg-type]
    assert applied == {"lost": True}
    assert _levels(ground)["dreamer"] == "MEDIUM"


async def test_what_it_remembers_outlives_the_process_and_a_strange_memory_is_begun_anew(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 150)
    await _tick(db, clock)
    ground.execute(
        "delete from thoth.substrate_unconsolidated where ctid in (select ctid from thoth.substrate_unconsolidated limit 50)"
    )
    await _tick(db, clock)
    gathered = await conductor.gather(replace(_context(db)), TENANT)
    assert gathered is None  # nothing new at the same instant
    row = ground.execute("select cursor from thoth.substrate_agents where agent = 'conductor'").fetchone()
    assert row is not None
    rates = row[0]["rates"]
    assert rates["backlog"] == 100
    assert rates["drained_per_hour"] > 0
    ground.execute('update thoth.substrate_agents set cursor = \'{"at": "x", "else": 1}\' where agent = \'conductor\'')
    assert await _tick(db, clock)
    assert not await _tick(db, clock)


async def test_vitals_are_measured_of_every_tenant(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    await _tick(db, clock)
    for tenant, score in (("default", 0.9), ("other", 0.4)):
        _queue(ground, clock, 5, tenant)
        ground.execute(
            "insert into thoth.substrate_observations (tenant_id, kind, score, agent, observed_at) values"
            " (%s, 'coherence', 0.1, 'critic', %s), (%s, 'coherence', %s, 'critic', %s)",
            [tenant, clock.now() - timedelta(days=1), tenant, score, clock.now()],
        )
    ground.execute(
        "insert into thoth.substrate_endpoints (endpoint, state, retry_at)"
        " values ('http://a', 'open', %s), ('http://b', 'open', %s), ('http://a/embeddings', 'open', %s)",
        [clock.now() + timedelta(minutes=1), clock.now() - timedelta(days=1), clock.now() + timedelta(minutes=1)],
    )
    ground.execute(
        "insert into thoth.substrate_budgets (scope, unit, starts_at, spent, reserved) values ('*', 'tokens_hour', %s, 500, 400)",
        [clock.now().replace(minute=0, second=0, microsecond=0)],
    )
    ground.execute("insert into thoth.substrate_dead_letters (tenant_id, agent, slice_id, attempts, failure) values"
                   " ('other', 'parser', %s, 5, 'no reply')", [uuid4()])  # fmt: skip
    for took in (100, 270, 270):
        ground.execute(
            "insert into thoth.substrate_recall_log (tenant_id, recall_id, asked_at, query_hash, query_excerpt, config_hash,"
            " deadline_ms, took_ms, tokens, legs, candidates, shown) values"
            " ('other', gen_random_uuid(), %s, '', '', '', 300, %s, 0, '[]', '[]', '[]')",
            [clock.now(), took],
        )
    await _tick(db, clock, THOTH_BUDGET_TOKENS_HOUR=1000)
    vitals = read_back(decisions(ground)[-1]["decision"])[0].vitals
    assert (vitals.backlog, vitals.backlog_age_s) == (10, 15.0)
    assert vitals.coherence == pytest.approx(0.4)
    assert (vitals.endpoints_down, vitals.recalls, vitals.dead_letters) == (1, 3, 1)
    assert vitals.recall_share == pytest.approx(0.9)
    assert [(burn.scope, burn.share) for burn in vitals.burns] == [("*", 0.9)]
    assert set(read_back(decisions(ground)[-1]["decision"])[1].alarms) == {"endpoint", "budget", "coherence"}


async def test_what_agents_cost_and_were_good_for_is_recorded(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 1)
    cited, now = uuid4(), clock.now() + timedelta(minutes=1)
    ground.execute(
        "insert into thoth.substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_text, object_norm,"
        " statement, valid_from, stated_confidence, confidence, agent) values"
        " ('default', 7, 1, 'likes', 'tea', 'tea', 'Maya likes tea.', %s, 1, 1, 'parser')", [now])  # fmt: skip
    ground.execute(
        "insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, event_time,"
        " content_hash) values ('default', 7, %s, 0, 0, 'tea', %s, '')",
        [cited, now],
    )
    shown = '[{"row_id": 7}, {"handle": "x"}]'
    ground.execute(
        "insert into thoth.substrate_recall_log (tenant_id, recall_id, asked_at, query_hash, query_excerpt, config_hash,"
        " deadline_ms, took_ms, tokens, legs, candidates, shown) values"
        " ('default', gen_random_uuid(), %s, '', '', '', 300, 10, 0, '[]', '[]', %s)",
        [now, shown],
    )
    ground.execute("insert into thoth.substrate_salience_events values ('default', %s, %s, 'used', 1, '1 day')",
                   [cited, now + timedelta(seconds=5)])  # fmt: skip
    ground.execute(
        "insert into thoth.substrate_agent_cost (tenant_id, call_id, called_at, agent, kind, endpoint, model, reserved_tokens,"
        " reserved_usd, prompt_tokens, completion_tokens, usd, outcome) values"
        " ('default', gen_random_uuid(), %s, 'parser', 'chat', 'http://a', 'm', 1, 0, 100, 20, 0.5, 'ok')", [now])  # fmt: skip
    _queue(ground, clock, 1000)
    assert await _tick(db, clock, timedelta(minutes=3))
    assert read_back(decisions(ground)[-1]["decision"])[0].value is None  # a change in between does not begin anew
    assert await _tick(db, clock, timedelta(minutes=2))
    value = next(found for one in decisions(ground)[2:] if (found := read_back(one["decision"])[0].value) is not None)
    assert [(one.agent, one.calls, one.tokens, one.usd, one.surfaced, one.used) for one in value] == [
        ("parser", 1, 120, 0.5, 1, 1)
    ]


async def test_without_a_model_only_the_baseline_is_kept(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    _queue(ground, clock, 1000)
    clock.advance(TICK)
    await run_unit(AGENT, replace(_context(db), chat=None), TENANT)
    assert _levels(ground)["dreamer"] == "FULL"


async def test_a_worker_of_another_host_gets_back_what_it_had(
    db: Database, ground: psycopg.Connection, clock: PinnedClock
) -> None:
    ground.execute("insert into thoth.substrate_agents (agent, level) values ('stranger', 'OFF')")
    await _tick(db, clock)
    assert _levels(ground)["stranger"] == "FULL"


async def test_the_operators_thresholds_are_in_force(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    await _tick(db, clock)
    _queue(ground, clock, 20)
    await _tick(db, clock, THOTH_CONDUCTOR_POLICY="backlog_high_slices=10, backlog_low_slices=1")
    assert _levels(ground)["dreamer"] == "OFF"


async def test_vitals_and_days_are_read_by_index(db: Database, ground: psycopg.Connection, clock: PinnedClock) -> None:
    ground.execute("select thoth.substrate_make_months('2026-05-01', 0)")
    ground.execute(
        "insert into thoth.substrate_recall_log (tenant_id, recall_id, asked_at, query_hash, query_excerpt, config_hash,"
        " deadline_ms, took_ms, tokens, legs, candidates, shown) select 't' || n % 3, gen_random_uuid(),"
        " timestamptz '2026-05-01' + n * interval '1 minute', '', '', '', 300, 10, 0, '[]', '[]', '[]'"
        " from generate_series(1, 20000) n"
    )
    ground.execute("insert into thoth.substrate_tenants select 't' || n, '2026-05-01' from generate_series(0, 2) n")
    ground.execute("analyze")
    found = plan(ground, VITALS, "'2026-05-15'", role="thoth_worker", tenant="", point_lookups=False)
    assert scanned(found, ["substrate_recall_log_y2026m05"]) == []
    many_slices(ground, clock.now())
    day = ("'default'", "'conductor'", "'2026-05-15'", "'2026-05-16'", "1000")
    assert scanned(plan(ground, TOLD, *day, point_lookups=False), ["substrate_slices_y2026m05"]) == []
