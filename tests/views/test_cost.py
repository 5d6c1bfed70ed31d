"""What was spent: by agent, by model, by day."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.views.crew_seed import a_call, spending
from tests.views.plans import plan, scanned
from thoth_substrate.db.pool import Database
from thoth_substrate.settings import load
from thoth_substrate.views import cost as view
from thoth_substrate.views.cost import By, cost


@pytest.mark.parametrize(
    ("by", "names"),
    [("agent", ["dreamer", "parser"]), ("model", ["large", "small", "own"]), ("day", ["2026-05-13", "2026-05-15"])],
)
async def test_costs_are_summed_up_as_they_are_asked_for(
    db: Database, seeded: psycopg.Connection, by: By, names: list[str]
) -> None:
    now = db.clock.now()
    a_call(seeded, now, "dreamer", model="large", usd=2.0)
    a_call(seeded, now - timedelta(days=2), outcome="failed", tokens=300)
    a_call(seeded, now, model="own", usd=0.0)
    a_call(seeded, now, outcome="reserved", tokens=0, usd=0.0)
    a_call(seeded, now - timedelta(days=60))
    a_call(seeded, now, tenant="other")
    spending(seeded, now.replace(hour=0), 1.5, unit="usd_day")
    settings = load(THOTH_HOME="/nonexistent", THOTH_BUDGET_USD_DAY=2, THOTH_BUDGET_TOKENS_HOUR_PARSER=50)
    found = await cost(db, settings, now - timedelta(days=7), by)
    assert [line.name for line in found.lines] == names
    whole = found.all
    assert (whole.calls, whole.failed, whole.running, whole.prompt_tokens, whole.completion_tokens) == (4, 1, 1, 500, 50)
    assert whole.usd == pytest.approx(2.01)
    assert whole.unpriced  # own
    assert [(one.scope, one.unit, one.left) for one in found.budgets] == [("*", "usd_day", 0.0), ("parser", "tokens_hour", 50.0)]


async def test_a_tenant_that_asked_nobody_has_spent_nothing(db: Database) -> None:
    found = await cost(db, load(THOTH_HOME="/nonexistent"), db.clock.now() - timedelta(days=1), "agent")
    assert (found.lines, found.all.calls, found.all.usd, found.budgets) == ([], 0, 0, [])


async def test_costs_are_read_by_the_index_of_the_ledger(db: Database, seeded: psycopg.Connection) -> None:
    seeded.execute(
        "insert into thoth.substrate_agent_cost (tenant_id, call_id, called_at, agent, kind, endpoint, model, reserved_tokens,"
        " reserved_usd) select 't' || n %% 5, gen_random_uuid(), %s - n * interval '1 minute', 'parser', 'chat', 'a', 'm', 1, 0"
        " from generate_series(1, 20000) n",
        [db.clock.now()],
    )
    seeded.execute("analyze thoth.substrate_agent_cost")
    assert not scanned(await plan(db, "t1", view.SPENT, "t1", db.clock.now() - timedelta(days=1)), "substrate_agent_cost")
