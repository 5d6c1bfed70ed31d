"""Statements: by which words a row of layers 1 to 3 is found. Its own, and the names of what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.db.vectors import halfvecs
from thoth_substrate.model.terms import Counted, counted, terms

Layer = Literal["relationship", "pattern", "observation"]
RESTATED_ROWS = 500  # newest facts of an entity that are found by a name it has just been given


@dataclass(frozen=True, slots=True)
class Sentence:
    row_id: int
    statement: str
    subject_names: list[str]
    object_names: list[str]


@dataclass(frozen=True, slots=True)
class FactId:
    relationship_id: int


_DUE = query(__package__, "statements_due", Sentence)
_FACTS = query(__package__, "facts_of_entities", FactId)
_MADE: Query[None] = query(__package__, "statements_made")
_GONE: Query[None] = query(__package__, "statements_gone")
_UNPOSTED: Query[None] = query(__package__, "postings_gone")


def searchable(statement: str, names: Iterable[str]) -> Counted:
    """The terms of a sentence, sorted, with those of the names that it does not hold itself. Pure."""
    own = counted(statement)
    counts = dict(zip(own.terms, own.counts, strict=True))
    for term in dict.fromkeys(term for name in names for term in terms(name)):
        counts.setdefault(term, 1)
    ordered = sorted(counts)
    return Counted(ordered, [counts[term] for term in ordered], sum(counts.values()))


async def state(
    tx: Tx, tenant_id: str, rows: Mapping[int, Counted], layer: Layer, vectors: Mapping[int, Sequence[float]] | None = None,
    embedding_model: str = "",
) -> None:  # fmt: skip
    """Make rows findable by their terms, and by their vectors where there are any. Safe to repeat."""
    if not rows:
        return
    ends, end = [], 0
    for one in rows.values():
        end += len(one.terms)
        ends.append(end)
    all_terms = [term for one in rows.values() for term in one.terms]
    all_counts = [count for one in rows.values() for count in one.counts]
    columns = as_rows([(row_id, layer, one.length) for row_id, one in rows.items()])
    given = vectors or {}
    embeddings = [halfvecs([np.asarray(given[i], dtype=np.float32)])[0] if i in given else None for i in rows]
    await tx.execute(_MADE, tenant_id, *columns, embeddings, embedding_model, ends, all_terms, all_counts)


async def state_facts(
    tx: Tx,
    tenant_id: str,
    row_ids: Sequence[int],
    vectors: Mapping[int, Sequence[float]] | None = None,
    embedding_model: str = "",
) -> None:
    """Make living facts findable by their statements and by every name of their entities."""
    if row_ids:
        rows = await tx.fetch(_DUE, tenant_id, row_ids)
        found = {row.row_id: searchable(row.statement, [*row.subject_names, *row.object_names]) for row in rows}
        await state(tx, tenant_id, found, "relationship", vectors, embedding_model)


async def unstate(tx: Tx, tenant_id: str, row_ids: Sequence[int]) -> None:
    """Take rows out of what can be found."""
    if row_ids:
        await tx.execute(_GONE, tenant_id, row_ids)


async def restate(tx: Tx, tenant_id: str, entity_ids: Sequence[int]) -> None:
    """State the newest facts of entities anew, because their names have changed."""
    facts = [row.relationship_id for row in await tx.fetch(_FACTS, tenant_id, list(entity_ids), RESTATED_ROWS)]
    if facts:
        await tx.execute(_UNPOSTED, tenant_id, facts)
        await state_facts(tx, tenant_id, facts)
