"""The crew in processes of its own, killed and stopped at the worst moment: nothing is lost, nothing is done twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
import tenacity

from tests.cli.conftest import PROGRAM, environment
from tests.llm.scripted import Delay, Reply, Request, ScriptedModel, crew
from tests.support import Said
from tests.workers.crew_support import context, facts, number, queue, states, tick, told
from tests.workers.support import decisions
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_workers.crew.parser import AGENT, LEASE

LINE = Said("I live in Lisbon.", actor="Ana")


@pytest.fixture
def clock() -> PinnedClock:
    """The processes run by the machine's clock, so this one does too, until it is moved."""
    return PinnedClock(datetime.now(UTC))


class Gate:
    """A good model that answers nothing until it is opened, and says when it was asked."""

    def __init__(self) -> None:
        self.asked, self.open = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> Reply:
        self.asked.set()
        return Delay(crew(request), until=self.open)


@contextmanager
def worker(dsn: str, home: Path, model: ScriptedModel | None, *words: str) -> Iterator[subprocess.Popen[str]]:
    """`thoth substrate worker run …` as a process, killed at the end if it still runs."""
    asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"} if model else {}
    env = {"PATH": os.defpath, **environment(dsn, home), **asked, "THOTH_PARSER_QUIET_MS": "0", "THOTH_PARSER_BATCH_ROWS": "4"}
    command = [str(PROGRAM), "substrate", "worker", "run", *words]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def up(dsn: str, home: Path, model: ScriptedModel) -> Iterator[subprocess.Popen[str]]:
    """`thoth up` as a process, killed at the end if it still runs."""
    asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted", "PATH": os.defpath}
    with subprocess.Popen(
        [PROGRAM, "up"], env={**environment(dsn, home), **asked}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def eventually(true: Callable[[], bool], seconds: float = 60) -> None:
    """Look again and again until it is so."""
    stop, pause = tenacity.stop_after_delay(seconds), tenacity.wait_fixed(0.1)
    tenacity.Retrying(retry=tenacity.retry_if_result(lambda result: not result), stop=stop, wait=pause)(true)


async def test_a_sigkill_in_the_middle_of_a_tick_loses_nothing_and_doubles_nothing(
    db: Database, sql: psycopg.Connection, dsn: str, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: SIGKILL anywhere."""
    [slice_id] = await told(db, sql, [LINE])
    gate = Gate()
    with ScriptedModel(gate) as model:
        with worker(dsn, tmp_path, model, "--only", "parser") as process:
            assert gate.asked.wait(60)
            process.kill()
            process.wait(30)
        gate.open.set()
        assert (states(sql), facts(sql), decisions(sql)) == ({slice_id: "unconsolidated"}, [], [])
        assert queue(sql)[0][3] is not None
        assert number(sql, "select count(*) from thoth.substrate_agent_cost where outcome = 'reserved'") == 1
        assert (await tick(AGENT, context(db, model))).did == 0
        clock.advance(timedelta(seconds=60) + LEASE)
        assert (await tick(AGENT, context(db, model))).did == 1
    assert (states(sql), facts(sql)) == ({slice_id: "consolidated"}, [("Ana", "lives_in", "Lisbon")])
    assert number(sql, "select count(*) from thoth.substrate_citations where quote like 'I live%%'") >= 1
    outcomes = sql.execute("select outcome, count(*) from thoth.substrate_agent_cost group by 1 order by 1").fetchall()
    assert outcomes == [("abandoned", 1), ("ok", 1)]
    assert len(decisions(sql)) == 1


async def test_sigterm_lets_the_tick_finish(db: Database, sql: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    """faults: SIGTERM in the middle of a tick."""
    [slice_id] = await told(db, sql, [LINE])
    gate = Gate()
    with ScriptedModel(gate) as model, worker(dsn, tmp_path, model, "--only", "parser") as process:
        assert gate.asked.wait(60)
        process.send_signal(signal.SIGTERM)
        gate.open.set()
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert said.splitlines()[-1] == "The crew has stopped."
    assert states(sql) == {slice_id: "consolidated"}
    assert [entry["agent"] for entry in decisions(sql)] == ["parser"]


async def test_killed_at_random_while_others_work_no_slice_is_lost_or_promoted_twice(
    db: Database, sql: psycopg.Connection, dsn: str, tmp_path: Path, clock: PinnedClock
) -> None:
    """faults: SIGKILL anywhere; two workers started by accident."""
    ids = await told(db, sql, [Said(f"Person{n} lives in Town{n}.", session=f"s{n // 4}") for n in range(60)])
    draw = random.Random(4)
    with ScriptedModel(lambda request: Delay(crew(request), seconds=draw.random() * 0.2)) as model:
        with ExitStack() as running:
            lasting = running.enter_context(worker(dsn, tmp_path, model, "--only", "parser"))
            for _ in range(3):
                victim = running.enter_context(worker(dsn, tmp_path, model, "--only", "parser"))
                before = len(model.chats)
                eventually(lambda before=before: len(model.chats) > before or not queue(sql))  # type: ignore[misc]
                victim.kill()
            eventually(lambda: all(row[3] is not None for row in queue(sql)))
            lasting.terminate()
            lasting.communicate(timeout=120)
        clock.advance(datetime.now(UTC) - clock.now() + timedelta(minutes=1) + LEASE)
        while (await tick(AGENT, context(db, model))).did:
            pass
    assert states(sql) == dict.fromkeys(ids, "consolidated")
    assert len(facts(sql)) == 60
    doubled = (
        "select count(*) from (select from thoth.substrate_relationships group by subject_id, predicate having count(*) > 1) d"
    )
    assert number(sql, doubled) == 0
    promoted = [entry["decision"]["applied"]["consolidated"] for entry in decisions(sql)]
    assert sum(promoted) == 60
    assert number(sql, "select count(*) from thoth.substrate_agent_cost where outcome = 'reserved'") == 0
    held = "select coalesce(sum(reserved), 0) from thoth.substrate_budgets"
    assert number(sql, held) == 0


def test_without_a_model_it_says_so_and_does_nothing(sql: psycopg.Connection, dsn: str, tmp_path: Path) -> None:
    with worker(dsn, tmp_path, None, "--only", "parser,summarizer") as process:
        eventually(lambda: number(sql, "select count(*) from thoth.substrate_agents where heartbeat_at is not null") == 2)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "Crew: parser, summarizer." in said
    assert sum("No language model is configured" in line for line in said.splitlines()) == 1
    assert decisions(sql) == []
    assert number(sql, "select count(*) from thoth.substrate_agent_cost") == 0


def test_an_agent_that_does_not_exist_is_misuse(dsn: str, tmp_path: Path) -> None:
    with worker(dsn, tmp_path, None, "--only", "parser,nobody") as process:
        _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "There is no agent nobody" in said


def test_up_runs_the_crew_beside_itself_restarts_it_and_takes_it_along(
    sql: psycopg.Connection, dsn: str, tmp_path: Path
) -> None:  # fmt: skip
    """faults: SIGKILL anywhere."""

    def holder() -> int | None:
        row = sql.execute("select lease_holder from thoth.substrate_agents where agent = 'summarizer'").fetchone()
        return int(row[0].split(":")[1]) if row and row[0] else None

    with ScriptedModel() as model, up(dsn, tmp_path, model) as parent:
        assert parent.stderr is not None
        said = next(line for line in parent.stderr if "The crew runs" in line)
        assert "asks scripted" in said
        drain = threading.Thread(target=parent.stderr.read, daemon=True)
        drain.start()
        eventually(lambda: holder() is not None)
        first = holder()
        assert first not in (None, parent.pid)
        os.kill(first or 0, signal.SIGKILL)
        eventually(lambda: not _alive(first or 0))
        sql.execute("update thoth.substrate_agents set lease_holder = null, lease_until = '-infinity'")  # as after its minute
        eventually(lambda: holder() not in (None, first))
        second = holder() or 0
        parent.kill()
        parent.wait(30)
        eventually(lambda: not _alive(second))
        drain.join(30)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
