"""Vectors at hand: of tenants that are small enough and ask now, this process keeps the vectors that it compares one by one.

Comparing ten thousand takes the database 10 to 20 ms and this process 2: the rows are already what they must be. What is kept
is never trusted by itself. Every recall reads the version of the tenant's vectors, a row that each change of them touches;
what has changed is fetched, while the question is being embedded, and passages are still read under the tenant's policies.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.errors import DatabaseError
from thoth_substrate.model.ports import Vector
from thoth_substrate.recall.aftermath import Work
from thoth_substrate.recall.candidate import Places
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.near import Likeness
from thoth_substrate.recall.search import TenantState

log = logging.getLogger("thoth.recall")
FEW = 500  # vectors fetched at once, within a recall; more are fetched after its answer
RESTING_S = 60.0  # only what nobody asked for so long makes room for another
GROWTH = 1.25
Matrix = NDArray[np.float32]
_Name = tuple[str, str]  # a tenant and a model


@dataclass(frozen=True, slots=True)
class VectorKeys:
    """A key is twice the id of its passage, and one more for the window."""

    version: str | None
    keys: list[int]


@dataclass(frozen=True, slots=True)
class Packed:
    keys: list[int]
    packed: bytes


_KEYS = query(__package__, "vector_keys", VectorKeys)
_PACKED = query(__package__, "vectors_packed", Packed)


@dataclass(slots=True)
class Held:
    """A tenant's vectors: a row of `matrix` for each of `keys`, and room for more."""

    version: str = ""
    keys: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    matrix: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    asked_at: float = 0.0
    changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _passages: Places = field(default_factory=lambda: np.zeros(0, np.int64))
    _of_row: Places = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def size_bytes(self) -> int:
        return self.matrix.nbytes

    def change(self, gone: NDArray[np.bool_], keys: Places, vectors: Matrix) -> None:
        """Let rows go and take others in."""
        if gone.any():
            self.matrix[: np.count_nonzero(~gone)] = self.matrix[: len(self.keys)][~gone]
            self.keys = self.keys[~gone]
        count = len(self.keys) + len(keys)
        if len(keys):
            self.matrix = _with_room(self.matrix, count, vectors.shape[1])
            self.matrix[len(self.keys) : count] = vectors
        self.keys = np.concatenate([self.keys, keys])
        self._passages, self._of_row = np.unique(self.keys >> 1, return_inverse=True)

    def compare(self, question: Vector) -> Likeness:
        """How like the question every passage is. The question is as precise as the database takes it."""
        if not len(self.keys):
            return Likeness(self.keys, np.zeros(0))
        rounded = question.astype(np.float16).astype(np.float32)
        # One thread: a library's own would wait for each other by spinning, on a machine that has other work.
        similarities = np.einsum("ij,j->i", self.matrix[: len(self.keys)], rounded)
        best = np.full(len(self._passages), -np.inf)
        np.maximum.at(best, self._of_row, similarities)
        return Likeness(self._passages, best)


class AtHand:
    """The vectors of a process, tenant by tenant, within a bound. Belongs to one event loop."""

    def __init__(self, most_bytes: int, later: Callable[[Work], bool]) -> None:
        self._most_bytes, self._later = most_bytes, later
        self._held: OrderedDict[_Name, Held] = OrderedDict()
        self._loading: set[_Name] = set()

    async def of(self, reading: Reading, state: TenantState) -> Held | None:
        """The tenant's vectors as they are now, or None when they are not at hand: then they are, some time later.

        Raises DatabaseError.
        """
        name, size = (reading.tenant_id, state.model or ""), _size_bytes(state)
        if name in self._loading or not 0 < size <= self._most_bytes:
            return None
        if not self._has_room(name, size):
            self._held.pop(name, None)
            return None
        held = self._held.get(name)
        if held is not None:
            self._held.move_to_end(name)
            held.asked_at = asyncio.get_running_loop().time()
            async with held.changing:
                if held.version == state.vectors_version or await self._renew(reading, name, held, FEW):
                    return held
        if name not in self._loading and self._later(partial(self._load, reading.db, name)):
            self._loading.add(name)
        return None

    async def _load(self, db: Database, name: _Name) -> None:
        """Bring a tenant's vectors up to date, however many have changed."""
        try:
            held = self._held.get(name) or Held(asked_at=asyncio.get_running_loop().time())
            async with held.changing:
                await self._renew(Reading(db, name[0]), name, held)
            if self._has_room(name, held.size_bytes):
                self._held[name] = held
        except DatabaseError as error:
            log.debug("Vectors could not be brought at hand: %s", error)
        finally:
            self._loading.discard(name)

    async def _renew(self, reading: Reading, name: _Name, held: Held, most: int | None = None) -> bool:
        """Fetch what has changed, unless that is more than `most`; answers whether it did."""
        tenant, model = name
        async with reading.tx() as tx:
            now = await tx.fetch_one(_KEYS, tenant, model)
            assert now is not None
            there = np.asarray(now.keys, np.int64)
            new = np.setdiff1d(there, held.keys, assume_unique=True)
            if most is not None and len(new) > most:
                return False
            made = await tx.fetch_one(_PACKED, tenant, model, np.unique(new >> 1).tolist())
            assert made is not None
        keys, vectors = _unpacked(made)
        fresh = ~np.isin(keys, held.keys)  # of a passage that got its window, the turn came again
        held.change(~np.isin(held.keys, there), keys[fresh], vectors[fresh])
        held.version = now.version or ""
        return True

    def _has_room(self, name: _Name, size: int) -> bool:
        """Whether there is room for so much, once those that rest have gone."""
        now = asyncio.get_running_loop().time()
        for other in [other for other in self._held if other != name]:
            if self._others(name) + size <= self._most_bytes:
                break
            if now - self._held[other].asked_at >= RESTING_S:
                del self._held[other]
        return self._others(name) + size <= self._most_bytes

    def _others(self, name: _Name) -> int:
        return sum(held.size_bytes for other, held in self._held.items() if other != name)


def _size_bytes(state: TenantState) -> int:
    """What a tenant's vectors take, with room to grow."""
    return int(state.vectors * len(state.centre or ()) * 4 * GROWTH)


def _with_room(matrix: Matrix, rows: int, dimensions: int) -> Matrix:
    """The same with room for so many rows, and then some."""
    if rows <= len(matrix):
        return matrix
    larger = np.zeros((int(rows * GROWTH), dimensions), np.float32)
    if len(matrix):
        larger[: len(matrix)] = matrix
    return larger


def _unpacked(made: Packed) -> tuple[Places, Matrix]:
    """Keys and float32 rows. Each was sent as two numbers of 16 bits, the first its length, and that many halves."""
    if not made.keys:
        return np.zeros(0, np.int64), np.zeros((0, 0), np.float32)
    keys = np.asarray(made.keys, np.int64)
    halves = np.frombuffer(made.packed, np.dtype(">f2")).reshape(len(keys), -1)[:, 2:]
    return keys, halves.astype(np.float32)
