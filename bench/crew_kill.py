"""What becomes of slices, facts and the account while workers of the crew are killed at random?

    python -m bench.crew_kill [--dsn DSN] [--minutes 5] [--rate 12] [--seed N]

Three processes `thoth substrate worker run` promote what is perceived meanwhile; again and again two of them, chosen by
chance, get a SIGKILL at some moment, and others are started. At the end all three are killed. Then the clock is moved on
until every claim, lease and reservation of the dead has ended, one more host does what is left, and everything is counted.
The model is the scripted server of the tests, which takes its time. `wrongs` must be empty.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from bench import report
from bench.place import Place, place
from bench.synthetic import SQL
from tests.llm.scripted import Delay, Reply, Request, ScriptedModel, crew
from thoth_substrate.boot import prepare
from thoth_substrate.ledger.sweep import abandoned_after, sweep
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import Settings, child_environment
from thoth_workers.crew import crew as agents
from thoth_workers.crewing import Crewing
from thoth_workers.supervisor import Supervisor

USER = "thoth.world.user_message.cli"
PROCESSES, KILLED = 3, 2
SESSION_TURNS = 5
SLOWEST_S = 0.3  # that the model takes
LEFT_AFTER = timedelta(minutes=10)  # by then every claim and lease of the dead has ended
MOST_WAIT_S = 180.0
MOST_TICKS = 2000
AT_WORK = 3  # calls that a new set of processes makes before some are killed


@dataclass(slots=True)
class Outcome:
    """What was done, and what came of it. `calls` by outcome are the ledger's; `requests` the server's."""

    perceived: int = 0
    killed: int = 0
    rounds: int = 0
    requests: int = 0
    states: dict[str, int] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    facts: int = 0
    wrongs: list[str] = field(default_factory=list)


class Storm:
    """The load, the processes, and who kills them. `given` are settings by variable, for this process and the others."""

    def __init__(self, where: Place, model: ScriptedModel, seed: int, **given: str) -> None:
        self._model, self._random = model, random.Random(seed)
        asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"}
        self._given = {
            **asked, "THOTH_EMBED_PROVIDER": "none", "THOTH_PARSER_QUIET_MS": "300", "THOTH_BUDGET_TOKENS_HOUR": "1000000000",
            "THOTH_BUDGET_TOKENS_HOUR_PARSER": "900000000", "THOTH_BUDGET_USD_DAY": "1000000", **given,
        }  # fmt: skip
        self.settings: Settings = where.settings(**self._given)
        self._where = where
        self._living: list[subprocess.Popen[bytes]] = []
        self._stop = asyncio.Event()
        self.outcome = Outcome()

    async def blow(self, seconds: float, rounds: int, rate: float) -> Outcome:
        """Kill for so long, and so many times at least; then let one host do what is left, and look."""
        await prepare(self.settings, self._where.dsn)
        hands = await self._where.database()
        core = asyncio.create_task(Supervisor(self.settings, hands, None, hands.clock).run(self._stop))
        load = asyncio.create_task(self._perceive(rate))
        try:
            until = time.monotonic() + seconds
            while self.outcome.rounds < rounds or time.monotonic() < until:
                await self._round()
            self.outcome.killed += self._kill(PROCESSES)
            self._stop.set()
            await asyncio.gather(load, core)
        finally:
            self._stop.set()
            self._kill(PROCESSES)
            await asyncio.gather(load, core, return_exceptions=True)
            await hands.close()
        await self._aftermath()
        self._look()
        return self.outcome

    async def _round(self) -> None:
        """Start who is missing, wait until they work, and kill two at some moment after that."""
        self._start()
        seen, waited = len(self._model.chats), time.monotonic() + MOST_WAIT_S
        while len(self._model.chats) < seen + AT_WORK:
            if time.monotonic() > waited:
                raise RuntimeError(f"The crew does nothing: {[process.poll() for process in self._living]}")
            await asyncio.sleep(0.02)
        await asyncio.sleep(self._random.uniform(0.0, 1.5))
        self.outcome.killed += self._kill(KILLED)
        self.outcome.rounds += 1

    def _start(self) -> None:
        command = [str(Path(sys.executable).with_name("thoth")), "substrate", "worker", "run"]
        environment = {**child_environment(self.settings, self._where.dsn), **self._given}
        while len(self._living) < PROCESSES:
            out = subprocess.DEVNULL
            self._living.append(subprocess.Popen(command, env=environment, stdin=out, stdout=out, stderr=out))

    def _kill(self, count: int) -> int:
        chosen = self._random.sample(self._living, min(count, len(self._living)))
        for process in chosen:
            process.kill()
        for process in chosen:
            process.wait(MOST_WAIT_S)
            self._living.remove(process)
        return len(chosen)

    async def _perceive(self, rate: float) -> None:
        """Sessions of some turns, one after another; each turn tells a fact of its own, and names somebody all have met."""
        async with self._where.substrate(self.settings, None) as substrate:
            for number in itertools.count():
                text = f"Person{number} works at Company{number}. Person{number} met Maya Okafor."
                await substrate.perceive(Event(USER, text, session=f"s{number // SESSION_TURNS}", actor="Ines"))
                self.outcome.perceived += 1
                if self._stop.is_set():
                    break
                await asyncio.sleep(1 / rate)
            assert await substrate.durable(MOST_WAIT_S), substrate.health()

    async def _aftermath(self) -> None:
        """When all that the dead held has ended, one host takes every worker's part and finishes."""
        clock = PinnedClock(datetime.now(UTC) + LEFT_AFTER)
        hands = await self._where.database(clock)
        crewing = Crewing(self.settings, hands, None)
        try:
            await sweep(hands, abandoned_after(self.settings))
            hosts = {"sentinel": Supervisor(self.settings, hands, None, clock)}
            hosts |= dict.fromkeys(agents(), crewing.supervisor)
            for name, host in hosts.items():
                clock.advance(timedelta(seconds=1))
                for _ in range(MOST_TICKS if name in ("sentinel", "parser", "associator") else 1):
                    turn = await host.run_once(name)
                    if turn.failure or "held by" in (turn.standing or ""):
                        self.outcome.wrongs.append(f"{name} cannot run when the dead should have let go: {turn}")
                    if turn.report is None or not turn.report.did:
                        break
            self._now = clock.now()
        finally:
            await crewing.close()
            await hands.close()

    def _look(self) -> None:
        """Count what there is, and everything that must not be."""
        found = self.outcome
        with psycopg.connect(self._where.dsn) as connection:
            states = "select consolidation_state, count(*) from thoth.substrate_slices where session_id <> 'diary' group by 1"
            calls = "select outcome, count(*) from thoth.substrate_agent_cost where kind = 'chat' group by 1"
            facts = "select count(*) from thoth.substrate_relationships where predicate = 'works_at' and retracted_at is null"
            found.states = dict(connection.execute(states).fetchall())
            found.calls = dict(connection.execute(calls).fetchall())
            found.facts = (connection.execute(facts).fetchone() or (0,))[0]
            wrongs = connection.execute((SQL / "crew_wrongs.sql").read_bytes(), {"now": self._now}).fetchall()
        found.wrongs += [f"{wrong}: {which}" for wrong, which in wrongs]
        found.requests = len(self._model.chats)
        made, left = sum(found.calls.values()), found.calls.get("abandoned", 0)
        if sum(found.states.values()) != found.perceived:
            found.wrongs.append(f"{found.perceived} were perceived and {found.states} are there")
        if found.facts != found.states.get("consolidated", 0):
            found.wrongs.append(f"{found.states} slices, each with a fact, came to {found.facts} facts")
        if not made - left <= found.requests <= made:  # a call may die with its process before it is sent
            found.wrongs.append(f"{found.requests} requests came, and the ledger has {found.calls}")


def slow(seed: int) -> Any:
    """The crew's script, taking its time, so that kills fall into calls as well."""
    chance = random.Random(seed)

    def script(request: Request) -> Reply:
        return Delay(crew(request), chance.uniform(0.0, SLOWEST_S))

    return script


async def storm(where: Place, *, seconds: float, rounds: int, rate: float, seed: int) -> Outcome:
    """Run one, from nothing."""
    with ScriptedModel(slow(seed)) as model:
        return await Storm(where, model, seed).blow(seconds, rounds, rate)


def line(outcome: Outcome, minutes: float) -> str:
    """One line for a person."""
    calls = ", ".join(f"{count:,} {name}" for name, count in Counter(outcome.calls).most_common())
    return (
        f"{outcome.killed} processes of the crew killed in {minutes:g} minutes: {outcome.perceived:,} slices perceived,"
        f" {outcome.states}, {outcome.facts:,} facts; calls: {calls}; wrong: {len(outcome.wrongs)}"
    )


def main() -> None:
    """Run from the command line; exits 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--rate", type=float, default=12.0, help="slices a second")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--name", default="crew_kill")
    given = parser.parse_args()
    with place(given.dsn) as where:
        outcome = asyncio.run(storm(where, seconds=given.minutes * 60, rounds=2, rate=given.rate, seed=given.seed))
        figures = {name: getattr(outcome, name) for name in Outcome.__dataclass_fields__}
        result = {"benchmark": "crew_kill", "machine": report.machine(where.version), "seed": given.seed, **figures}
    report.write(given.name, result, line(outcome, given.minutes))
    for wrong in outcome.wrongs[:20]:
        print(wrong)
    sys.exit(bool(outcome.wrongs))


if __name__ == "__main__":
    main()
