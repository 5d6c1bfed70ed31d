"""A budget of tokens an hour holds for any number of workers and all agents at once."""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from tests.journeys.crew import by_hour, eventually, facts, health, hosts, tell, wrongs
from tests.llm.scripted import Message, Reply, Request, Script, ScriptedModel, crew
from tests.workers.crew_support import crew_settings, number, states
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.settings import child_environment

CAP, WORKERS, HOURS, MINUTES = 10_000, 4, 2, 3
GREEDY = 9_000  # tokens that the endpoint charges for an answer, whatever was allowed


def greedy(request: Request) -> Reply:
    """The crew's answer, at a price that could not be foreseen."""
    usage = {"prompt_tokens": 1000, "completion_tokens": GREEDY}
    return Message({"content": json.dumps(crew(request))}, usage=usage)


@pytest.mark.parametrize(("script", "most"), [(crew, CAP), (greedy, CAP + WORKERS * (GREEDY + 1000))], ids=["honest", "greedy"])
async def test_no_hour_costs_more_than_its_budget_and_one_call_a_worker(
    dsn: str, sql: psycopg.Connection, clock: PinnedClock, script: Script, most: int
) -> None:
    """Four hosts with all agents and more to do than the budget allows. An answer within its bound never exceeds the budget."""
    with ScriptedModel(script) as model:
        settings = crew_settings(model, THOTH_BUDGET_TOKENS_HOUR=CAP, THOTH_PARSER_BATCH_ROWS=10)
        async with hosts(dsn, clock, settings, WORKERS) as crews:
            await tell(crews[0].db, sql, facts(itertools.count(), 200))
            for _ in range(HOURS):
                for _ in range(MINUTES):  # the last of them in vain
                    await asyncio.gather(*(host.tick() for host in crews))
                    clock.advance(timedelta(minutes=1))
                said = await health(crews[0].db, settings)
                assert "of 10,000 tokens an hour left for all agents, renewed in 5" in said["budget"][1]
                clock.advance(timedelta(minutes=60 - MINUTES))
            # What a greedy answer leaves may be too little for the Parser: whoever asks first has the hour.
            assert "unconsolidated" in states(sql).values(), "there was more to do than the budget allows"
        spent = by_hour(sql)
        assert len(spent) == HOURS
        assert max(spent.values()) <= most
        assert min(spent.values()) > CAP / 2
        assert wrongs(sql, clock.now()) == []


async def test_the_budget_holds_for_processes_as_well(
    dsn: str, sql: psycopg.Connection, db: Database, clock: PinnedClock, tmp_path: Path
) -> None:
    """Four processes of the crew, by the machine's clock, until what is left is too little for any call."""
    clock.advance(datetime.now(UTC) - clock.now() - timedelta(minutes=1))
    await tell(db, sql, facts(itertools.count(), 100))
    with ScriptedModel() as model:
        given = {
            "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted", "THOTH_EMBED_PROVIDER": "none",
            "THOTH_BUDGET_TOKENS_HOUR": str(CAP), "THOTH_PARSER_BATCH_ROWS": "5", "THOTH_HOME": str(tmp_path),
        }  # fmt: skip
        environment = {**child_environment(crew_settings(model), dsn), **given}
        command = [str(Path(sys.executable).with_name("thoth")), "substrate", "worker", "run"]
        out = subprocess.DEVNULL
        processes = [subprocess.Popen(command, env=environment, stdin=out, stdout=out, stderr=out) for _ in range(WORKERS)]
        try:
            await eventually(
                lambda: number(sql, "select count(*) from thoth.substrate_budgets where spent > 5500 and reserved = 0") > 0
            )
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(30)
    assert max(by_hour(sql).values()) <= CAP
    assert number(sql, "select count(*) from thoth.substrate_slices where consolidation_state = 'consolidated'") > 0
    assert wrongs(sql, datetime.now(UTC)) == []
