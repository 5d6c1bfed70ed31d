"""Calibrate a tenant's floor: ask it the bundled questions, and see what asking in vain looks like there.

Called by the Curator when a tenant has grown enough since the last time. Reads through the same statements as recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np
import orjson

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.ports import Embedder, Vector
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.floor import Floor, Signs, calibrate
from thoth_substrate.recall.knowledge import recollect
from thoth_substrate.recall.search import Limits, Meant, by_meaning, candidates, know
from thoth_substrate.recall.signs import signs_of

FEWEST_PASSAGES = 30
GROWTH = 1.25  # calibrated again when there is a quarter more than at the last time
SAMPLE_PASSAGES = 256
MOST_TENANTS = 4


@dataclass(frozen=True, slots=True)
class Uncalibrated:
    tenant_id: str
    model: str


@dataclass(frozen=True, slots=True)
class Sampled:
    passage_id: int


_UNCALIBRATED = query(__package__, "uncalibrated", Uncalibrated)
_SAMPLE = query(__package__, "sample", Sampled)
_STORE: Query[None] = query(__package__, "store_floor")


class Calibrator:
    """Asks the bundled questions; their vectors are made once a process."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: list[Vector] | None = None

    async def run(self, db: Database) -> int:
        """Calibrate a few tenants that need it; answers how many. Raises EmbeddingError, DatabaseError."""
        async with db.worker() as tx:
            waiting = await tx.fetch(_UNCALIBRATED, FEWEST_PASSAGES, GROWTH, MOST_TENANTS)
        for row in waiting:
            await self.tenant(db, row.tenant_id, row.model)
        return len(waiting)

    async def tenant(self, db: Database, tenant_id: str, model: str) -> Floor:
        """Calibrate one tenant for the vectors of `model` ('' for none) and store its floor."""
        vectors = await self._question_vectors() if self._embedder and self._embedder.model.name == model else None
        reading = Reading(db, tenant_id)
        generic = np.mean(np.stack(vectors), axis=0).tolist() if vectors else None
        signs = [
            await _ask(reading, question, vectors[i] if vectors else None, generic) for i, question in enumerate(questions())
        ]
        floor = calibrate(signs)
        async with db.tenant(tenant_id) as tx:
            sample = [row.passage_id for row in await tx.fetch(_SAMPLE, tenant_id, SAMPLE_PASSAGES)]
            stored = orjson.dumps({**asdict(floor), "generic": generic, "sample": sample}).decode()
            await tx.execute(_STORE, tenant_id, model, stored)
        return floor

    async def _question_vectors(self) -> list[Vector]:
        assert self._embedder is not None
        if self._vectors is None:
            self._vectors = [await self._embedder.query(question) for question in questions()]
        return self._vectors


async def _ask(reading: Reading, text: str, vector: Vector | None, generic: Sequence[float] | None) -> Signs:
    lookup = await know(reading, text, reading.db.clock.now(), Limits())
    lookup = replace(lookup, vector=vector, generic=generic)
    words = await candidates(reading, lookup)
    meant = await by_meaning(reading, lookup, words.passage_ids) if vector is not None else Meant()
    found = Candidates.joined(words, meant.around)
    knowledge = await recollect(reading, lookup, found, reading.db.clock.now()) if lookup.state.knows else None
    return signs_of(lookup, meant.near, found, knowledge)


@cache
def questions() -> tuple[str, ...]:
    """The bundled questions: plausible ones of many kinds of life and work, written for this purpose."""
    text = files(__package__).joinpath("questions.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip())
