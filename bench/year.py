"""What does a busy year cost, and what is left of it? A year on a pinned clock, with the crew, in some minutes.

    python -m bench.year [--dsn DSN] [--days 365] [--no-plot]        or        make bench-year

Each day's sessions (30 to 100 slices of made-up talk, with facts planted in them) are perceived through the façade; after
each the Sentinel and the Parser tick, and at night everybody else of the core and the crew. The model is the scripted
server of the tests, over HTTP: the Parser's whole path is the product's. Vectors are made of words, in the process. Every
ten days rows and bytes are counted, and what was planted and has been released since is asked for, without reinforcing
anything: only the two questions of each night do that. A VACUUM once a week stands for the autovacuum of that week; floors
are calibrated every four weeks instead of daily, to save time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from bench import report
from bench.lives import Fact, Lives, Session
from bench.place import PATIENT_MS, Place, place
from bench.synthetic import SQL
from tests.llm.scripted import ScriptedModel
from thoth_substrate.boot import prepare
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import EmbeddingModel, Vector
from thoth_substrate.model.slice import Event
from thoth_substrate.model.terms import terms
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.substrate import Substrate
from thoth_workers.crew import crew
from thoth_workers.crewing import Crewing
from thoth_workers.supervisor import Supervisor

TENANT = "default"
BEGINS = datetime(2025, 1, 1, tzinfo=UTC)
NIGHT = timedelta(hours=22)
SAMPLED_EVERY, VACUUMED_EVERY, CALIBRATED_EVERY = 10, 7, 28
ASKED_A_DAY = 2
ASKED, ASKED_AT_LAST = 40, 1000  # of what has been released, in a sample, and at the end
DIMENSIONS = 384  # as many as the bundled model's vectors have
MOST_TICKS = 500  # of one worker in one go: more is a loop that does not end
CALIBRATED = "floors_calibrated"  # what the Curator does when there is nothing to release
ONCE = frozenset({"conductor", "critic", "partitions"})  # always find something to do
GROUPS = {
    "slices": ("slices", "streams", "sessions", "external_ids", "tenants", "chain", "months"),
    "salience": ("salience", "salience_events"),
    "passages": ("passages",),
    "postings": ("postings", "terms", "text_stats"),
    "vectors": ("passage_vectors", "vector_stats"),
    "handshake": ("verdicts", "digests", "dead_letters"),
    "ledger": ("agent_cost", "budgets"),
    "recall log": ("recall_log",),
    "knowledge": (
        "entities", "entity_aliases", "entity_merges", "relationships", "citations", "supports", "statements",
        "statement_postings", "associations", "communities", "patterns", "observations", "outcomes", "calibration",
    ),
}  # fmt: skip


@dataclass(slots=True)
class Planted:
    """A fact, and the slices in which it was told."""

    fact: Fact
    first_day: int
    slices: list[UUID] = field(default_factory=list)


@dataclass(slots=True)
class Point:
    """How the memory is on a day. `asked` of what was released; `late_days`: how long ago those were told, on average."""

    day: int
    perceived: int
    planted: int
    slices: dict[str, int]
    rows: dict[str, int]
    bytes: dict[str, int]
    months: dict[str, int]
    released_facts: int
    asked: int
    answered: int
    late_days: float
    took_ms: dict[str, float]
    missed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float | None:
        return round(self.answered / self.asked, 3) if self.asked else None


class Year:
    """A memory that lives through the days given to it. `onlooker` asks it without leaving a trace in what fades when."""

    def __init__(
        self, where: Place, clock: PinnedClock, substrate: Substrate, onlooker: Substrate, core: Supervisor, agents: Supervisor
    ) -> None:
        self._where, self._clock, self._substrate, self._onlooker = where, clock, substrate, onlooker
        self._core, self._crew = core, agents
        self._lives, self._random = Lives(), random.Random(7)
        self.planted: dict[str, Planted] = {}
        self.points: list[Point] = []
        self.perceived = 0
        self.standing: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.calibrating = False  # whether the Curator may, tonight

    async def live(self, days: int) -> None:
        """So many days, one after another."""
        for day in range(days):
            self.calibrating = day % CALIBRATED_EVERY == VACUUMED_EVERY
            midnight = BEGINS + timedelta(days=day)
            for session in self._lives.day(midnight):
                await self._talk(session, day)
            self._to(midnight + NIGHT)
            await self._night()
            with self._timed("questions"):
                for planted in self._random.sample(list(self.planted.values()), min(ASKED_A_DAY, len(self.planted))):
                    await self._substrate.recall(planted.fact.question)
            if day % VACUUMED_EVERY == VACUUMED_EVERY - 1:
                with self._timed("vacuum"), psycopg.connect(self._where.dsn, autocommit=True) as connection:
                    connection.execute("vacuum analyze")
            if (day + 1) % SAMPLED_EVERY == 0 or day == days - 1:
                with self._timed("samples"):
                    self.points.append(await self._sample(day + 1, ASKED_AT_LAST if day == days - 1 else ASKED))
                print(said(self.points[-1]), flush=True)

    async def _talk(self, session: Session, day: int) -> None:
        """Perceive a session's turns, half a minute apart; then let it be triaged, indexed and parsed."""
        for number, turn in enumerate(session.turns):
            self._to(session.begins + number * timedelta(seconds=30))
            ack = await self._substrate.perceive(Event(turn.stream, turn.text, session=session.name, actor=turn.actor))
            assert ack.slice_id is not None, ack.dropped
            self.perceived += 1
            if turn.fact:
                self._plant(turn.fact, ack.slice_id, day)
        with self._timed("perceive"):
            assert await self._substrate.durable(60), self._substrate.health()
        await self._tick(self._core, "sentinel")
        self._clock.advance(timedelta(minutes=1))
        await self._tick(self._crew, "parser")

    def _plant(self, fact: Fact, slice_id: UUID, day: int) -> None:
        known = self.planted.get(fact.question)
        if known is None or known.fact.answer != fact.answer:
            known = self.planted[fact.question] = Planted(fact, day)
        known.slices.append(slice_id)

    async def _night(self) -> None:
        for name in ("conductor", *(name for name in crew() if name != "conductor")):
            await self._tick(self._crew, name)
        for name in ("embedder", "curator", "partitions"):
            await self._tick(self._core, name)

    async def _tick(self, host: Supervisor, name: str) -> None:
        """Ticks of a worker until it finds nothing more to do."""
        with self._timed(name):
            for _ in range(1 if name in ONCE else MOST_TICKS):
                turn = await host.run_once(name)
                if turn.failure:
                    raise RuntimeError(f"{name} failed on {self._clock.now():%Y-%m-%d}: {turn.failure}")
                if turn.standing:
                    self.standing[name] += 1
                if turn.report is None or not turn.report.did or CALIBRATED in turn.report.detail:
                    return

    async def _sample(self, day: int, most: int) -> Point:
        """Count everything, and ask for what was planted and has no slice left with its words."""
        released = self._released()
        chosen = released if len(released) <= most else self._random.sample(released, most)
        times, missed = [], []
        for planted in chosen:
            projection = await self._onlooker.recall(planted.fact.question)
            times.append(projection.took_ms)
            if planted.fact.answer.lower() not in projection.block.lower():
                missed.append(planted.fact.question)
        late = sum(day - planted.first_day for planted in chosen) / max(len(chosen), 1)
        slices, rows, sizes, months = counted(self._where.dsn)
        took = asdict(report.Times.of(times)) if times else {}
        return Point(
            day, self.perceived, len(self.planted), slices, rows, sizes, months, len(released), len(chosen),
            len(chosen) - len(missed), round(late, 1), took, missed,
        )  # fmt: skip

    def _released(self) -> list[Planted]:
        ids = [slice_id for planted in self.planted.values() for slice_id in planted.slices]
        with psycopg.connect(self._where.dsn) as connection:
            found = connection.execute((SQL / "year_alive.sql").read_bytes(), {"tenant": TENANT, "ids": ids}).fetchall()
        alive = {row[0] for row in found}
        return [planted for planted in self.planted.values() if not alive & set(planted.slices)]

    def _to(self, at: datetime) -> None:
        self._clock.advance(max(at - self._clock.now(), timedelta(0)))

    @contextlib.contextmanager
    def _timed(self, what: str) -> Any:
        began = time.perf_counter()
        yield
        self.seconds[what] += time.perf_counter() - began  # type: ignore[assignment]


class Made:
    """An embedder whose vectors are made of a text's words, as the scripted server's are: texts that share words are near."""

    model = EmbeddingModel("made:year", DIMENSIONS)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        return [await self.query(text) for text in texts]

    async def query(self, text: str) -> Vector:
        total = np.sum([of_term(term) for term in terms(text) or [text]], axis=0)
        return np.asarray(total / np.linalg.norm(total), np.float32)


@cache
def of_term(term: str) -> Vector:
    """A fixed vector by chance."""
    seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(DIMENSIONS, np.float32)


def counted(dsn: str) -> tuple[dict[str, int], dict[str, int], dict[str, int], dict[str, int]]:
    """Slices by what is left of them; rows and bytes by group; partitions by month."""
    rows, sizes, months = Counter[str](), Counter[str](), {}
    groups = {f"substrate_{table}": group for group, tables in GROUPS.items() for table in tables}
    with psycopg.connect(dsn, row_factory=dict_row) as connection:
        slices = connection.execute((SQL / "year_slices.sql").read_bytes()).fetchone() or {}
        for table in connection.execute((SQL / "year_tables.sql").read_bytes()).fetchall():
            group = groups.get(table["name"], "other")
            found = connection.execute(sql.SQL("select count(*) as n from thoth.{}").format(sql.Identifier(table["name"])))
            rows[group] += (found.fetchone() or {"n": 0})["n"]
            sizes[group] += table["bytes"]
            if table["name"] in ("substrate_slices", "substrate_recall_log", "substrate_salience_events"):
                months[table["name"].removeprefix("substrate_")] = table["parts"]
    return dict(slices), dict(rows), dict(sizes), months


@contextlib.asynccontextmanager
async def life(where: Place, model: ScriptedModel) -> AsyncIterator[Year]:
    """A memory at the beginning of its year, with everything that works on it."""
    given = {
        "THOTH_RECALL_DEADLINE_MS": PATIENT_MS, "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none",
        "THOTH_AUX_MODEL": "scripted", "THOTH_EMBED_PROVIDER": "none", "THOTH_EMBED_BATCH_ROWS": "256",
        "THOTH_PARSER_BATCH_ROWS": "64", "THOTH_PARSER_PORTION_TOKENS": "4000",
    }  # fmt: skip
    settings = where.settings(**given)
    looking = where.settings(**{**given, "THOTH_HOME": where.home / "looking", "THOTH_RECALL_REINFORCE": "0"})
    clock = PinnedClock(BEGINS)
    await prepare(settings, where.dsn, clock)
    hands = await where.database(clock)
    embedder = Made()
    crewing = Crewing(settings, hands, embedder)
    try:
        calibrator = Calibrator(embedder)

        async def calibrate(db: Database) -> int:
            return await calibrator.run(db) if year.calibrating else 0

        core = Supervisor(settings, hands, embedder, clock, calibrate=calibrate)
        async with (
            where.substrate(settings, embedder, clock) as substrate,
            where.substrate(looking, embedder, clock) as onlooker,
        ):
            assert await substrate.wait_until_awake(), substrate.health()
            assert await onlooker.wait_until_awake(), onlooker.health()
            year = Year(where, clock, substrate, onlooker, core, crewing.supervisor)
            yield year
    finally:
        await crewing.close()
        await hands.close()


async def run(where: Place, days: int) -> dict[str, Any]:
    """The figures."""
    began = time.perf_counter()
    with ScriptedModel() as model:
        async with life(where, model) as year:
            await year.live(days)
        calls = Counter(request.agent or "embedding" for request in model.requests)
    return {
        "days": days, "perceived": year.perceived, "planted": len(year.planted), "took_s": round(time.perf_counter() - began),
        "seconds": {name: round(value, 1) for name, value in year.seconds.most_common()}, "calls": dict(calls),
        "standing": dict(year.standing), "points": [asdict(point) | {"share": point.share} for point in year.points],
    }  # fmt: skip


def said(point: Point) -> str:
    """A sample, for a person who waits."""
    megabytes = sum(point.bytes.values()) / 1e6
    return (
        f"day {point.day}: {point.slices['alive']:,} of {point.perceived:,} slices alive, {megabytes:.0f} MB,"
        f" {point.answered} of {point.asked} released facts answered"
    )


def line(figures: dict[str, Any]) -> str:
    """One line for a person."""
    last, days = figures["points"][-1], figures["days"]
    most, alive = max(point["slices"]["alive"] for point in figures["points"]), last["slices"]["alive"]
    megabytes = sum(last["bytes"].values()) / 1e6
    return (
        f"{days} days: {figures['perceived']:,} slices perceived, at most {most:,} alive, {alive:,} now, {megabytes:.0f} MB;"
        f" of {last['asked']:,} facts whose slices are gone {last['answered']:,} answer ({last['late_days']:.0f} days later on"
        f" average); took {figures['took_s']} s"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn", help="a PostgreSQL whose superuser this is; none: an embedded one")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--no-plot", action="store_true", help="without the picture (which needs matplotlib)")
    parser.add_argument("--name", default="year")
    given = parser.parse_args(arguments)
    with place(given.dsn) as where:
        figures = asyncio.run(run(where, given.days))
        result = {"benchmark": "year", "machine": report.machine(where.version), **figures}
    report.write(given.name, result, line(figures))
    if not given.no_plot:
        draw(report.RESULTS / f"{given.name}.json", report.RESULTS / f"{given.name}.png")


def draw(source: Path, target: Path) -> None:
    """The picture, where matplotlib is installed; else what to do about it."""
    try:
        from bench.year_plot import plot
    except ImportError:
        print(f"No picture: it needs matplotlib (dependency group bench); then `python -m bench.year_plot {source} {target}`.")
        return
    plot(json.loads(source.read_text(encoding="utf-8")), target)
    print(target)


if __name__ == "__main__":
    main()
