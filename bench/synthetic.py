"""A large memory, made up: text whose words are spread as real words are, vectors near real ones, written in bulk.

What a user would need months for is there in seconds, row for row as the product would have written it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from bench.place import Place
from thoth_substrate.embed.models import ensure_model, sentences
from thoth_substrate.errors import EmbeddingError
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.model.passages import flags, has_window
from thoth_substrate.model.ports import Embedder, EmbeddingModel, Vector
from thoth_substrate.model.terms import STOP_WORDS, counted, terms
from thoth_substrate.perceive.streams import register
from thoth_substrate.recall.calibration import Calibrator, questions

SQL = Path(__file__).parent / "sql"
VOCABULARY = 30_000
CONTENT_WORDS = 18  # of a turn, on average, and as many small ones between them
TURNS = 30  # of a session
SPAN = timedelta(days=730)
LAST = datetime(2026, 1, 1, tzinfo=UTC)
NOISE, NOISES = 0.012, 997  # of each number of a vector; a fixed set of them
ACTORS = (("Ines", "thoth.world.user_message.cli"), ("Assistant", "thoth.self_action.assistant_response"))
BULK = ("slices", "sessions", "passages", "postings", "terms", "text_stats", "vectors", "vector_stats")


@dataclass(frozen=True, slots=True)
class Query:
    """A question about one turn, with the vector that an embedder would give it."""

    text: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Filled:
    """A tenant with its made-up memory, and questions about it."""

    tenant: str
    slices: int
    queries: tuple[Query, ...]


class Known:
    """An embedder that knows its answers: what is measured is everything else. `delay_s` makes it hang."""

    def __init__(self, model: EmbeddingModel, queries: Sequence[Query], delay_s: float = 0.0) -> None:
        self._model, self._vectors, self._delay_s = model, {query.text: query.vector for query in queries}, delay_s

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbeddingError("This embedder knows questions only.")

    async def query(self, text: str) -> Vector:
        if self._delay_s:
            import asyncio

            await asyncio.sleep(self._delay_s)
        return self._vectors.get(text, next(iter(self._vectors.values())))


class Filler:
    """Fills tenants of one place. `embedder` makes a few hundred real vectors, from which all others are mixed."""

    def __init__(self, where: Place, embedder: Embedder, seed: int = 7) -> None:
        self._where, self._embedder = where, embedder
        self._random = np.random.default_rng(seed)
        self._words = _vocabulary(self._random)
        weights = 1.0 / (np.arange(len(self._words)) + 30.0)
        self._weights = np.cumsum(weights / weights.sum())
        self._ids = SliceIds()

    async def fill(self, tenant: str, slices: int, asked: int = 200) -> Filled:
        """Write a tenant's memory of so many slices, calibrated, with its statistics fresh."""
        database = await self._where.database()
        try:
            await register(database)
            await ensure_model(database, self._embedder)
            real = [*sentences(), *questions()]
            base = await self._embedder.passages(real)
            with psycopg.connect(self._where.dsn, autocommit=True) as connection:
                drawn = self._write(connection, tenant, slices, base)
                chosen = sorted(self._random.choice(slices, size=min(asked, slices), replace=False).tolist())
                queries = self._queries(connection, tenant, [drawn[n] for n in chosen], chosen)
                connection.execute("drop table staged, base, noise")
                connection.execute("vacuum analyze")
            await Calibrator(self._embedder).tenant(database, tenant, self._embedder.model.name)
        finally:
            await database.close()
        return Filled(tenant, slices, queries)

    def _write(
        self, connection: psycopg.Connection, tenant: str, slices: int, base: Sequence[Vector]
    ) -> list[tuple[str, datetime]]:
        model = self._embedder.model.name
        self._vectors_to_mix(connection, base)
        connection.execute(_sql("fill_staging"))
        drawn: list[tuple[str, datetime]] = []
        with connection.cursor() as cursor, cursor.copy("copy staged from stdin") as copy:
            for row in self._turns(slices, len(base)):
                copy.write_row(row)
                drawn.append((row[7], row[6]))
        connection.execute("analyze staged")
        months = connection.execute("select min(slice_id::text)::uuid, max(slice_id::text)::uuid from staged").fetchone()
        assert months is not None
        connection.execute(
            "select thoth.substrate_make_month('substrate_slices', m::date) from generate_series(date_trunc('month',"
            " thoth.substrate_id_time(%s)), thoth.substrate_id_time(%s), interval '1 month') m", months,
        )  # fmt: skip
        indexes = connection.execute(_sql("vector_indexes")).fetchall()
        for name, _ in indexes:
            connection.execute(f"drop index {name}".encode())
        connection.execute("set maintenance_work_mem = '1GB'; set synchronous_commit = off; set work_mem = '256MB'")
        for step in BULK:
            connection.execute(_sql(f"fill_{step}"), {"tenant": tenant, "model": model, "bases": len(base)})
            if step in ("sessions", "passages", "postings"):
                connection.execute(f"analyze thoth.substrate_{step}".encode())
        for _, definition in indexes:
            connection.execute(definition.encode())
        return drawn

    def _vectors_to_mix(self, connection: psycopg.Connection, base: Sequence[Vector]) -> None:
        noise = self._random.normal(0.0, NOISE, (NOISES, len(base[0])))
        for table, vectors in (("base", base), ("noise", noise)):
            connection.execute(f"create unlogged table {table} (n integer primary key, embedding halfvec(384))".encode())
            with connection.cursor() as cursor, cursor.copy(f"copy {table} from stdin".encode()) as copy:
                for n, vector in enumerate(vectors):
                    copy.write_row((n, json.dumps(np.asarray(vector).round(5).tolist())))
            connection.execute(f"analyze {table}".encode())

    def _turns(self, slices: int, bases: int) -> Iterator[tuple[Any, ...]]:
        lengths = np.clip(self._random.gamma(2.5, CONTENT_WORDS / 2.5, slices).astype(int), 3, 90)
        mixes = self._random.integers(0, bases, (slices, 2))
        small = itertools.cycle(sorted(STOP_WORDS - {word for word in STOP_WORDS if "'" in word}))
        for n in range(slices):
            at = LAST - SPAN + SPAN * (n / slices)
            actor, stream = ACTORS[n % len(ACTORS)]
            words = self._draw(int(lengths[n]))
            text = " ".join(word for pair in zip(words, small, strict=False) for word in pair).capitalize() + "."
            found = counted(f"{actor}: {text}")
            yield (
                n, self._ids.next(at), stream, f"session-{n // TURNS}", n % TURNS + 1, actor, at, text, found.terms, found.counts,
                found.length, int(flags(text)), int(mixes[n, 0]), int(mixes[n, 1]), has_window(text) and n % TURNS > 0,
            )  # fmt: skip

    def _draw(self, count: int) -> list[str]:
        return [self._words[i] for i in np.searchsorted(self._weights, self._random.random(count))]

    def _queries(
        self, connection: psycopg.Connection, tenant: str, about: Sequence[tuple[str, datetime]], asked: Sequence[int]
    ) -> tuple[Query, ...]:
        rows = connection.execute(_sql("asked_vectors"), {"tenant": tenant, "asked": list(asked)}).fetchall()
        vectors = {row[0]: np.asarray(row[1], dtype=np.float32) for row in rows}
        made = []
        for place, (n, (text, at)) in enumerate(zip(asked, about, strict=True)):
            noisy = vectors[n] + self._random.normal(0.0, NOISE, len(vectors[n]))
            words = text.lower().strip(".").split()[::2][: 3 + place % 4]
            made.append(Query(_question(place, words, at), np.asarray(noisy / np.linalg.norm(noisy), dtype=np.float32)))
        return tuple(made)


def _question(place: int, words: Sequence[str], at: datetime) -> str:
    """Six of ten ask what, two when, one names a month, one a speaker."""
    about = " and ".join(words)
    if place % 10 in (6, 7):
        return f"When did we talk about {about}?"
    if place % 10 == 8:
        return f"What was said about {about} in {at:%B %Y}?"
    return f"What did Ines say of {about}?" if place % 10 == 9 else f"What do you know about {about}?"


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Words that each make one term: real ones first, since they are frequent, then words of syllables."""
    demo = files("thoth_substrate.demo").joinpath("data/demo.jsonl").read_text(encoding="utf-8")
    real = dict.fromkeys(word for word in " ".join([demo, *questions()]).lower().split() if word.isascii() and word.isalpha())
    onsets, vowels = "b c d f g h k l m n p r s t v w br cr st tr pl".split(), "a e i o u ai ou".split()
    syllables = ["".join(pair) for pair in itertools.product(onsets, vowels)]
    words = list(real)
    known = set(words)
    while len(words) < VOCABULARY:
        word = "".join(random.choice(syllables, size=int(random.integers(2, 5))))
        if word not in known:
            known.add(word)
            words.append(word)
    return [word for word in words if len(terms(word)) == 1]


def _sql(name: str) -> bytes:
    return (SQL / f"{name}.sql").read_bytes()
