"""Entities of a batch: looked up, resolved, made or seen again, within the transaction of a promotion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from thoth_substrate.consolidate.merge import merge
from thoth_substrate.consolidate.resolve import (
    ALIKE,
    Directory,
    Known,
    Mention,
    Weight,
    are_one,
    decide,
    is_evidence,
    mention,
)
from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.db.vectors import halfvecs
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.model.names import norm, script


@dataclass(frozen=True, slots=True)
class NamedEntity:
    entity_id: int
    norm: str
    own: bool
    kind: str
    name: str
    summary: str
    norms: list[str]


@dataclass(frozen=True, slots=True)
class AlikeEntity:
    place: int
    entity_id: int
    norm: str
    kind: str
    name: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Evidence:
    entity_id: int
    in_session: bool
    neighbours: int


@dataclass(frozen=True, slots=True)
class RowId:
    row_id: int


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which entity each name of a batch is, how many are new, and which were found to be one."""

    by_mention: dict[int, Known]
    made: int
    merged: tuple[int, ...]

    def of(self, one: Mention) -> Known:
        """The entity of a mention."""
        return self.by_mention[id(one)]


_NAMED = query(__package__, "entities_named", NamedEntity)
_ALIKE = query(__package__, "entities_alike", AlikeEntity)
_EVIDENCE = query(__package__, "entity_evidence", Evidence)
_ROW_IDS = query(__package__, "row_ids", RowId)
_MADE: Query[None] = query(__package__, "entities_made")
_SEEN: Query[None] = query(__package__, "entities_seen")
_ALIASES: Query[None] = query(__package__, "aliases_made")


class Mentions:
    """The entities that a batch names, each once: proposals under one name and fitting kinds are one."""

    def __init__(self) -> None:
        self.all: list[Mention] = []
        self._by_norm: dict[str, list[Mention]] = {}

    def propose(self, one: Mention) -> Mention:
        """Note a proposed entity; answers the mention that stands for it."""
        same = next((m for m in self._by_norm.get(one.norm, ()) if are_one(m.kind, one.kind)), None)
        if same is None:
            self.all.append(one)
            same = one
        else:
            same.names = {**same.names, **one.names}
            same.kind = same.kind or one.kind
            same.summary = one.summary or same.summary
            same.confidence = max(same.confidence, one.confidence)
            same.quotes += one.quotes
            same.embedding = one.embedding or same.embedding
        for name in same.names:
            found = self._by_norm.setdefault(name, [])
            if same not in found:
                found.append(same)
        return same

    def named(self, name: str) -> Mention | None:
        """The mention that a fact's subject or object is; a name that was not proposed becomes one. None: no name at all."""
        wanted = norm(name)
        found = self._by_norm.get(wanted, [])
        if found:
            return next((m for m in found if m.norm == wanted), found[0])
        one = mention(name)
        return self.propose(one) if one is not None else None


async def row_ids(tx: Tx, count: int) -> list[int]:
    """So many new numbers for rows of any layer."""
    return [row.row_id for row in await tx.fetch(_ROW_IDS, count)] if count else []


async def resolve(tx: Tx, tenant_id: str, mentions: Sequence[Mention], maker: Maker, embedding_model: str) -> Resolved:
    """Find or make the entity of each mention, learn its names, and merge what a mention shows to be one.

    Each mention must have a quote: entities are dated by their events. The caller holds the tenant's lock.
    """
    directory = Directory(_known(await tx.fetch(_NAMED, tenant_id, sorted({name for m in mentions for name in m.names}))))
    alike = await _alike(tx, tenant_id, [m for m in mentions if not directory.namesakes(m)], embedding_model)
    found: dict[int, Known] = {}
    unclear = [m for m in mentions if len(directory.namesakes(m)) > 1]
    for one in mentions:
        if one not in unclear:
            _settle(one, decide(directory.namesakes(one), {}) or alike.get(id(one)), directory, found)
    weights = await _weights(tx, tenant_id, unclear, directory, found)
    for one in unclear:
        _settle(one, decide(directory.namesakes(one), weights.get(id(one), {})), directory, found)
    made = await _number(tx, found.values())
    await _write(tx, tenant_id, mentions, found, maker, embedding_model)
    merged = await _merge(tx, tenant_id, mentions, directory, found, maker)
    return Resolved(found, made, merged)


def _settle(one: Mention, known: Known | None, directory: Directory, found: dict[int, Known]) -> None:
    if known is None:
        known = Known(-1 - len(found), one.kind, one.name, set(one.names), {one.norm}, made=True)
    directory.learn(known, one)
    found[id(one)] = known


def _known(rows: Iterable[NamedEntity]) -> list[Known]:
    """One for each entity, whatever the number of its names that were met."""
    known: dict[int, Known] = {}
    for row in rows:
        one = known.setdefault(row.entity_id, Known(row.entity_id, row.kind, row.name, set(row.norms), set()))
        if row.own:
            one.own.add(row.norm)
    return list(known.values())


async def _alike(tx: Tx, tenant_id: str, unknown: Sequence[Mention], model: str) -> dict[int, Known]:
    """Entities whose name and summary mean the same, for names that nobody goes by: one clear likeness each, or none."""
    asked = [one for one in unknown if one.embedding is not None]
    if not asked or not model:
        return {}
    vectors = halfvecs(np.asarray(one.embedding, dtype=np.float32) for one in asked)
    rows = await tx.fetch(_ALIKE, tenant_id, list(range(len(asked))), vectors, [one.kind for one in asked], model, ALIKE)
    found: dict[int, Known] = {}
    for place, one in enumerate(asked):
        near = [row for row in rows if row.place == place]
        if len(near) == 1 and _could_be_named(one.norm, near[0].norm):
            row = near[0]
            found[id(one)] = Known(row.entity_id, row.kind, row.name, {row.norm}, {row.norm})
    return found


def _could_be_named(one: str, other: str) -> bool:
    """Names in two scripts, or that share a word: alike in meaning alone, two colleagues would be one."""
    return script(one) != script(other) or bool(set(one.split()) & set(other.split()))


async def _weights(
    tx: Tx, tenant_id: str, unclear: Sequence[Mention], directory: Directory, found: dict[int, Known]
) -> dict[int, dict[int, Weight]]:
    """What speaks for each namesake of each unclear mention."""
    weights: dict[int, dict[int, Weight]] = {}
    near = sorted({known.entity_id for known in found.values() if known.entity_id > 0})
    for one in unclear:
        ids = [known.entity_id for known in directory.namesakes(one) if known.entity_id > 0]
        rows = await tx.fetch(_EVIDENCE, tenant_id, ids, sorted(one.sessions), near)
        weights[id(one)] = {row.entity_id: Weight(row.in_session, row.neighbours) for row in rows}
    return weights


async def _number(tx: Tx, known: Iterable[Known]) -> int:
    new = list({id(one): one for one in known if one.entity_id < 0}.values())
    for one, number in zip(new, await row_ids(tx, len(new)), strict=True):
        one.entity_id = number
    return len(new)


async def _write(
    tx: Tx, tenant_id: str, mentions: Sequence[Mention], found: dict[int, Known], maker: Maker, embedding_model: str
) -> None:
    """New rows for new entities, what was learned for the others, and every name of both."""
    by_entity: dict[int, list[Mention]] = {}
    for one in mentions:
        by_entity.setdefault(found[id(one)].entity_id, []).append(one)
    known = {one.entity_id: one for one in found.values()}
    new = [_new_row(known[number], ones) for number, ones in by_entity.items() if known[number].made]
    again = [_seen_row(known[number], ones) for number, ones in sorted(by_entity.items()) if not known[number].made]
    if new:
        *plain, vectors = as_rows(new)
        await tx.execute(
            _MADE, tenant_id, *plain, _vectors(vectors), embedding_model, maker.agent, maker.model, maker.decision_id
        )
    if again:
        *plain, vectors = as_rows(again)
        await tx.execute(_SEEN, tenant_id, *plain, _vectors(vectors), embedding_model)
    names = {(number, name): spelled for number, ones in by_entity.items() for m in ones for name, spelled in m.names.items()}
    if names:
        numbers, norms = as_rows(list(names))
        await tx.execute(_ALIASES, tenant_id, numbers, norms, list(names.values()), maker.decision_id)


def _new_row(known: Known, ones: Sequence[Mention]) -> tuple[object, ...]:
    first, last = _seen(ones)
    summary = next((one.summary for one in reversed(ones) if one.summary), "")
    embedding = next((one.embedding for one in ones if one.embedding is not None), None)
    return (known.entity_id, known.kind or "thing", ones[0].name, ones[0].norm, summary, first, last,
            max(one.confidence for one in ones), embedding)  # fmt: skip


def _seen_row(known: Known, ones: Sequence[Mention]) -> tuple[object, ...]:
    first, last = _seen(ones)
    summary = next((one.summary for one in reversed(ones) if one.summary), "")
    embedding = next((one.embedding for one in ones if one.embedding is not None), None)
    return known.entity_id, known.kind, summary, first, last, embedding


def _seen(ones: Sequence[Mention]) -> tuple[datetime, datetime]:
    times = [found.event_time for one in ones for found in one.quotes]
    return min(times), max(times)


def _vectors(column: Sequence[Sequence[float] | None]) -> list[object]:
    return [None if one is None else halfvecs([np.asarray(one, dtype=np.float32)])[0] for one in column]


async def _merge(
    tx: Tx, tenant_id: str, mentions: Sequence[Mention], directory: Directory, found: dict[int, Known], maker: Maker
) -> tuple[int, ...]:
    """Merge entities that a mention shows to be one: it bears the name of the one, and gives the other's as its alias."""
    merged: list[int] = []
    for one in mentions:
        known = found[id(one)]
        for other in directory.same_by_alias(known, one):
            if not is_evidence(one, other):
                continue
            kept, gone = sorted((known, other), key=lambda k: k.entity_id)
            if await merge(tx, tenant_id, kept.entity_id, gone.entity_id, "one is named as another name of the other", maker):
                merged.append(gone.entity_id)
                kept.norms |= gone.norms
                kept.own |= gone.own
                gone.entity_id = kept.entity_id
    return tuple(merged)
