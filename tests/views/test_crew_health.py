"""The crew's part of health: what is gathered, and what it means."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.recall.known import Told, a_fact, a_pattern, an_entity
from tests.views.crew_seed import a_call, a_measurement, a_purge, given_up, spending, waiting
from thoth_substrate.db.pool import Database
from thoth_substrate.model.coherence import Coherence, Part
from thoth_substrate.settings import Settings, load
from thoth_substrate.views.agents import AgentLine, agents
from thoth_substrate.views.budgets import Budget
from thoth_substrate.views.check import Check, Verdict, well
from thoth_substrate.views.crew_checks import checks
from thoth_substrate.views.crew_health import AgentCost, CrewFacts, Endpoint, Indexing, Waiting, gather
from thoth_substrate.views.layers import Counts
from thoth_substrate.views.unfinished import Unfinished, unfinished

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PARSER = AgentLine("parser", "FULL", None, "host:1", NOW, NOW, NOW, 5, None, None, None)
CALM = CrewFacts(
    NOW, "small", Waiting(0, None, 0, 0, {}), [PARSER], budgets=[Budget("*", "tokens_hour", 1000, 0, 0, NOW, NOW + HOUR)]
)


def _check(name: str, **given: Any) -> Check:
    return next(check for check in checks(replace(CALM, **given)) if check.name == name)


def test_a_purge_that_was_cut_off_is_named_with_what_finishes_it() -> None:
    found = _check("purges", purges=Unfinished(2, NOW - 3 * HOUR))
    assert (found.verdict, found.do) == (Verdict.WARN, "thoth substrate purge resume")
    assert "2 purges begun and not finished, the oldest 3 h ago" in found.says


async def test_unfinished_purges_of_the_tenant_are_counted(db: Database, seeded: psycopg.Connection) -> None:
    for tenant, state in (("default", "begun"), ("default", "done"), ("other", "begun")):
        a_purge(seeded, db.clock.now(), tenant=tenant, state=state)
    assert await unfinished(db, "default") == Unfinished(1, db.clock.now())
    assert (await gather(db, _settings(), await agents(db))).purges == Unfinished(1, db.clock.now())


def test_when_all_is_well_nothing_asks_for_anything() -> None:
    found = checks(CALM)
    assert {check.verdict for check in found} == {Verdict.OK}
    assert not any(check.do for check in found)


def test_without_a_model_it_is_said_what_does_not_happen_and_what_to_set() -> None:
    found = _check("model", model=None, waiting=Waiting(12_000, NOW - timedelta(days=9), 0, 300, {}))
    assert found.verdict is Verdict.INFO
    assert "nothing is consolidated, nothing is released" in found.says
    assert "12,000 slices kept whole, 300 of them since yesterday" in found.says
    assert "OPENAI_BASE_URL" in found.do
    assert "THOTH_AUX_MODEL" in found.do
    waits = _check("consolidation", model=None, waiting=Waiting(12_000, NOW - timedelta(days=9), 0, 300, {}))
    assert (waits.verdict, "release-unconsolidated-after" in waits.do) == (Verdict.INFO, True)


@pytest.mark.parametrize(
    ("line", "waited", "verdict", "do"),
    [
        (PARSER, timedelta(minutes=1), Verdict.OK, ""),
        (PARSER, timedelta(days=2), Verdict.WARN, "thoth substrate conductor"),
        (replace(PARSER, heartbeat_at=NOW - HOUR), timedelta(minutes=1), Verdict.WARN, "thoth substrate worker run"),
        (replace(PARSER, heartbeat_at=None), timedelta(minutes=1), Verdict.WARN, "thoth substrate worker run"),
    ],
    ids=["fresh", "late", "away", "never"],
)
def test_a_backlog_is_well_while_it_is_fresh_and_somebody_takes_it(
    line: AgentLine, waited: timedelta, verdict: Verdict, do: str
) -> None:
    found = _check("consolidation", agents=[line], waiting=Waiting(30, NOW - waited, 2, 30, {}))
    assert (found.verdict, found.do) == (verdict, do)
    assert "30 slices" in found.says
    assert "2 tried in vain" in found.says


def test_coherence_is_shown_with_its_parts_and_the_weakest_is_named() -> None:
    parts = {"integrity": Part(0.9, 1200), "contradiction": Part(0.2, 40), "grounding": Part(1.0, 0)}
    found = _check("coherence", coherence=Coherence(0.55, parts, NOW - HOUR))
    assert found.verdict is Verdict.WARN
    assert "integrity 0.90 of 1,200" in found.says
    assert "grounding" not in found.says
    assert "weakest is contradiction" in found.says
    assert _check("coherence", coherence=Coherence(0.8, parts, NOW)).verdict is Verdict.OK


def test_levels_say_who_is_off_and_who_is_held() -> None:
    off = replace(PARSER, agent="dreamer", level="OFF")
    assert (_check("levels", agents=[PARSER, off]).verdict, _check("levels", agents=[PARSER]).verdict) == (
        Verdict.INFO,
        Verdict.OK,
    )
    held = _check("levels", agents=[replace(PARSER, level="LOW", overridden_until=NOW + HOUR), off])
    assert (held.says.startswith("OFF dreamer; LOW parser*"), held.do) == (True, "thoth substrate conductor clear parser")


def test_an_endpoint_that_is_left_alone_says_until_when() -> None:
    down = Endpoint("http://a", "open", 5, NOW + timedelta(minutes=3), NOW - HOUR, "HTTP 500", NOW)
    found = _check("endpoints", endpoints=[down, replace(down, endpoint="http://b", state="closed")])
    assert found.verdict is Verdict.WARN
    assert "http://a failed 5 times in a row (HTTP 500) and is asked again in 3 min" in found.says
    assert "http://b" not in found.says


def test_cost_is_said_by_the_hour_and_the_day_and_by_agent() -> None:
    found = _check(
        "cost", costs=[AgentCost("parser", 1, 100, 0.001, 20, 3, 5000, 1.5), AgentCost("dreamer", 0, 0, 0, 2, 0, 50, 0)]
    )
    assert "100 tokens (0.0010 USD) in the last hour, 5,050 (1.50 USD) in the last day" in found.says
    assert "parser 5,000 tokens 1.50 USD" in found.says
    assert "3 of 22 calls failed" in found.says


def test_a_budget_says_what_is_left_and_when_it_renews() -> None:
    tight = _check("budget", budgets=[Budget("*", "tokens_hour", 1000, 700, 200, NOW, NOW + timedelta(minutes=30))])
    assert (tight.verdict, "100 of 1,000 tokens an hour left for all agents, renewed in 30 min" in tight.says) == (
        Verdict.WARN,
        True,
    )
    assert _check("budget", budgets=[]).verdict is Verdict.INFO
    assert _check("budget", budgets=[], model=None).verdict is Verdict.OK


def test_dead_letters_are_counted_by_agent_and_can_be_revived() -> None:
    found = _check("dead letters", waiting=Waiting(0, None, 0, 0, {"parser": 3}))
    assert (found.verdict, found.do, "3 slices by parser" in found.says) == (Verdict.WARN, "thoth substrate parser retry", True)


def _settings(**given: Any) -> Settings:
    return load(THOTH_HOME="/nonexistent", **given)


async def test_an_empty_memory_without_a_model_is_gathered_and_well(db: Database) -> None:
    found = await gather(db, _settings(), [])
    assert (found.model, found.waiting.slices, found.counts, found.coherence.score) == (None, 0, Counts(), None)
    assert well(checks(found))


async def test_the_crews_facts_are_of_every_tenant_but_its_knowledge_of_one(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    waiting(seeded, now - timedelta(days=2), 3)
    waiting(seeded, now - timedelta(minutes=1), 2, tenant="other", attempts=1)
    given_up(seeded, now, tenant="other")
    a_call(seeded, now - timedelta(minutes=5))
    a_call(seeded, now - timedelta(hours=5), tenant="other", outcome="failed")
    a_call(seeded, now - timedelta(days=5))
    a_measurement(seeded, now - HOUR, 0.3, {})
    a_measurement(seeded, now, 0.9, {"integrity": (0.9, 12)})
    spending(seeded, now.replace(minute=0), 500)
    spending(seeded, now.replace(minute=0) - HOUR, 900)
    seeded.execute(
        "insert into thoth.substrate_endpoints (endpoint, state, retry_at)"
        " values ('http://a', 'open', %s), ('http://b', 'open', %s)",
        [now, now - timedelta(days=1)],
    )
    a_pattern(seeded, "Maya likes tea.", [a_fact(seeded, Told("Maya drinks tea.", an_entity(seeded, "Maya")))])
    an_entity(seeded, "Noor", tenant="other")
    chosen = _settings(THOTH_BUDGET_TOKENS_HOUR=1000, THOTH_AUX_MODEL="small", OPENAI_BASE_URL="http://a")
    found = await gather(db, chosen, await agents(db))
    assert found.waiting == Waiting(5, now - timedelta(days=2), 2, 2, {"parser": 1})
    assert found.costs == [AgentCost("parser", 1, 110, 0.01, 2, 1, 220, 0.02)]
    assert [(one.left, one.used, one.renews_at) for one in found.budgets] == [(400, 600, now.replace(minute=0) + HOUR)]
    assert [(one.endpoint, one.state) for one in found.endpoints] == [("http://a", "open"), ("http://b", "closed")]
    assert found.coherence.parts == {"integrity": Part(0.9, 12)}
    assert (found.counts.entities, found.counts.facts, found.counts.patterns, found.counts.measurements) == (1, 1, 1, 2)
    assert found.model == "small"


def test_an_indexer_that_fails_says_how_often_and_why_and_when_it_tries_again() -> None:
    calm = Indexing(tenants=3, ran_at=NOW - timedelta(hours=1))
    said = _check("index", indexing=calm)
    assert said.verdict is Verdict.OK
    assert said.says == "What is going on was read of 3 tenants, last 1 h ago."
    ill = Indexing(3, 1, 4, 2, NOW + timedelta(minutes=40), None, "there is no JSON in the reply")
    found = _check("index", indexing=ill)
    assert (found.verdict, found.do) == (Verdict.WARN, "thoth substrate indexer")
    assert "4 times in a row (there is no JSON in the reply); its cursor stays; it is tried again in 40 min" in found.says
    assert "2 messages passed over" in found.says
