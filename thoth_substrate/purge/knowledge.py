"""The cascade through the layers: what loses its last support goes, what keeps some is said anew from what is left.

Everything here is one transaction of the caller's for a bounded share of the rows, which are locked first. Facts come before
entities, entities before what rests on both, as each is judged by what the ones before it still say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.names import norm
from thoth_substrate.purge.rows import EntityId, Tally, drop, lock, promote_anew, state, stated_with, unassociate
from thoth_substrate.purge.words import (
    Named,
    NamedAnew,
    Purged,
    Told,
    Words,
    betrays,
    named_anew,
    statement_anew,
    words,
    words_in,
)

FEWEST_SUPPORTS = {"pattern": 2, "observation": 1}


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with what it rests on now. `founded`: what it was first said with is still cited."""

    row_id: int
    subject_id: int
    subject: str
    predicate: str
    object_id: int | None
    object_text: str
    negated: bool
    statement: str
    living: bool
    slice_ids: list[UUID]
    quotes: list[str]
    actors: list[str]
    first_at: datetime | None
    founded: bool


@dataclass(frozen=True, slots=True)
class Being:
    """An entity with what is left to know it by. Not `founded`: nothing cites or names it any more."""

    entity_id: int
    name: str
    summary: str
    aliases: list[str]
    norms: list[str]
    quotes: list[str]
    actors: list[str]
    first_at: datetime | None
    last_at: datetime | None
    statements: list[str]
    founded: bool


@dataclass(frozen=True, slots=True)
class Higher:
    """A pattern or observation, with the number of its supports and what they and its own quotes say."""

    row_id: int
    layer: str
    statement: str
    detail: Any
    community_id: int | None
    supports: int
    texts: list[str]
    quotes: list[str]


@dataclass(frozen=True, slots=True)
class FactOf:
    row_id: int
    living: bool


@dataclass(frozen=True, slots=True)
class Resting:
    row_id: int


@dataclass(frozen=True, slots=True)
class Reverted:
    row_id: int


_FACTS = query(__package__, "facts", Fact)
_FACTS_OF = query(__package__, "facts_of", FactOf)
_FACTS_CHANGED: Query[None] = query(__package__, "facts_changed")
_REVERTED = query(__package__, "reverted", Reverted)
_LONE: Query[None] = query(__package__, "lone_corroborations")
_BEINGS = query(__package__, "beings", Being)
_BEINGS_CHANGED: Query[None] = query(__package__, "beings_changed")
_RENAMED: Query[None] = query(__package__, "renamed")
_ALIASES_GONE: Query[None] = query(__package__, "aliases_gone")
_RESTING = query(__package__, "resting", Resting)
_HIGHER = query(__package__, "higher", Higher)
_DATED: Query[None] = query(__package__, "patterns_dated")
_COMMUNITY = query(__package__, "community_of", EntityId)


async def cascade(tx: Tx, tenant_id: str, row_ids: Collection[int], purged: Purged, tally: Tally) -> None:
    """Judge rows whose citations went, or whose words are suspected, and everything that rests on them."""
    touched = await lock(tx, tenant_id, row_ids)
    above = {*touched.patterns, *touched.observations, *await _resting(tx, tenant_id, touched.all)}
    await lock(tx, tenant_id, above)
    facts = await _facts(tx, tenant_id, touched.facts, purged, tally)
    above |= await _resting(tx, tenant_id, facts.rows)
    entities, seen = {*touched.entities, *facts.entities}, set[int]()
    while entities:
        seen |= entities
        beings = await _beings(tx, tenant_id, entities, purged, tally)
        above |= beings.rows
        entities = beings.entities - seen
    await _higher(tx, tenant_id, above, purged, tally)


@dataclass(frozen=True, slots=True)
class _Affected:
    """Rows that changed or that rest on what changed, and entities that are to be looked at because of it."""

    rows: set[int]
    entities: set[int]


async def _facts(tx: Tx, tenant_id: str, row_ids: Collection[int], purged: Purged, tally: Tally) -> _Affected:
    """Facts without a quote go; so do those whose object nothing left names: their other sources are promoted anew."""
    facts = await tx.fetch(_FACTS, tenant_id, sorted(row_ids))
    anew = {fact.row_id: fact_anew(fact, purged) for fact in facts}
    going = [fact for fact in facts if anew[fact.row_id] is None]
    again = await drop(tx, tenant_id, [fact.row_id for fact in going], tally)
    await promote_anew(tx, tenant_id, {slice_id for fact in going for slice_id in fact.slice_ids}, tally)
    staying = [fact for fact in facts if anew[fact.row_id] is not None]
    await _say_anew(tx, tenant_id, staying, {row_id: said for row_id, said in anew.items() if said is not None}, tally)
    held_again = await _hold_again(tx, tenant_id, again, tally)
    ends = _ends([*facts, *held_again])
    await unassociate(tx, tenant_id, sorted(ends))
    return _Affected({fact.row_id for fact in (*staying, *held_again)}, ends)


def fact_anew(fact: Fact, purged: Purged) -> str | None:
    """Its sentence from what is left of its sources; None when that is nothing, or does not say it. Pure."""
    if not fact.quotes:
        return None
    left = words(*fact.quotes, *fact.actors)
    told = Told(fact.subject, fact.predicate, fact.object_text, fact.negated, fact.statement, left, fact.founded)
    return statement_anew(told, purged)


async def _say_anew(tx: Tx, tenant_id: str, facts: Sequence[Fact], anew: dict[int, str], tally: Tally) -> None:
    if not facts:
        return
    ids = [fact.row_id for fact in facts]
    reverted = {row.row_id for row in await tx.fetch(_REVERTED, tenant_id, ids)}
    changes = [
        (fact.row_id, anew[fact.row_id], None if fact.founded or fact.row_id in reverted else fact.first_at)
        for fact in facts
        if anew[fact.row_id] != fact.statement or not fact.founded
    ]
    if changes:
        await tx.execute(_FACTS_CHANGED, tenant_id, *as_rows(changes))
    await tx.execute(_LONE, tenant_id, ids)
    said = [fact.row_id for fact in facts if fact.living and anew[fact.row_id] != fact.statement]
    await state(tx, tenant_id, said, tally)
    tally.anew["substrate_relationships"] += len({row_id for row_id, *_ in changes} | reverted)


async def _beings(tx: Tx, tenant_id: str, entity_ids: Collection[int], purged: Purged, tally: Tally) -> _Affected:
    """Entities that nothing cites or names go. The others lose the names and sentences that only the purged gave them."""
    locked = await lock(tx, tenant_id, entity_ids)
    beings = await tx.fetch(_BEINGS, tenant_id, locked.entities)
    anew = {being.entity_id: being_anew(being, purged) for being in beings}
    affected = await _nameless(tx, tenant_id, [being.entity_id for being in beings if anew[being.entity_id] is None], tally)
    staying = [(being, said) for being in beings if (said := anew[being.entity_id]) is not None]
    affected.rows.update(await _describe_anew(tx, tenant_id, staying, tally))
    await unassociate(tx, tenant_id, [being.entity_id for being, _ in staying])
    return affected


def being_anew(being: Being, purged: Purged) -> NamedAnew | None:
    """Its names and summary from what is left; None when nothing is, or names it. Pure."""
    if not being.founded:
        return None
    left = words(*being.quotes, *being.actors)
    return named_anew(Named(being.name, being.aliases, being.summary, left, being.statements), purged)


async def _nameless(tx: Tx, tenant_id: str, entity_ids: Collection[int], tally: Tally) -> _Affected:
    """Drop entities with the facts about them; what those facts also rested on is promoted anew."""
    if not entity_ids:
        return _Affected(set(), set())
    about = [row.row_id for row in await tx.fetch(_FACTS_OF, tenant_id, sorted(entity_ids))]
    await lock(tx, tenant_id, about)
    facts = await tx.fetch(_FACTS, tenant_id, about)
    rows = await _resting(tx, tenant_id, [*about, *entity_ids])
    held_again = await _hold_again(tx, tenant_id, await drop(tx, tenant_id, about, tally), tally)
    await drop(tx, tenant_id, entity_ids, tally)
    await promote_anew(tx, tenant_id, {slice_id for fact in facts for slice_id in fact.slice_ids}, tally)
    return _Affected(rows, _ends([*facts, *held_again]) - set(entity_ids))


async def _hold_again(tx: Tx, tenant_id: str, row_ids: Sequence[int], tally: Tally) -> list[Fact]:
    """Let facts be found again that are held again."""
    facts = [fact for fact in await tx.fetch(_FACTS, tenant_id, row_ids) if fact.living]
    await state(tx, tenant_id, [fact.row_id for fact in facts], tally)
    tally.anew["substrate_relationships"] += len(facts)
    return facts


async def _resting(tx: Tx, tenant_id: str, row_ids: Collection[int]) -> set[int]:
    return {row.row_id for row in await tx.fetch(_RESTING, tenant_id, sorted(row_ids))} if row_ids else set()


def _ends(facts: Sequence[Fact]) -> set[int]:
    """The entities that facts name."""
    return {end for fact in facts for end in (fact.subject_id, fact.object_id) if end is not None}


async def _describe_anew(tx: Tx, tenant_id: str, beings: Sequence[tuple[Being, NamedAnew]], tally: Tally) -> set[int]:
    """Write names, summaries and times; answers facts whose sentences name a renamed entity."""
    if not beings:
        return set()
    rows = [(b.entity_id, said.name, norm(said.name), said.summary, b.first_at, b.last_at) for b, said in beings]
    await tx.execute(_BEINGS_CHANGED, tenant_id, *as_rows(rows))
    tally.anew["substrate_entities"] += sum(b.name != said.name or b.summary != said.summary for b, said in beings)
    lost = [(b.entity_id, b.norms[place]) for b, said in beings for place, alias in enumerate(b.aliases) if alias in said.lost]
    if lost:
        tally.gone["substrate_entity_aliases"] += await tx.execute(_ALIASES_GONE, tenant_id, *as_rows(lost))
    old = words(*(b.name for b, said in beings if b.name != said.name), *(alias for _, said in beings for alias in said.lost))
    renamed = [(b.entity_id, said.name, norm(said.name)) for b, said in beings if b.name != said.name]
    changed = await _rename(tx, tenant_id, renamed, old, tally) if renamed else set()
    await _find_anew(tx, tenant_id, [b.entity_id for b, said in beings if said.lost or b.name != said.name], old, tally)
    return changed


async def _rename(tx: Tx, tenant_id: str, renamed: Sequence[tuple[int, str, str]], old: Words, tally: Tally) -> set[int]:
    """Say the facts about renamed entities with the names that they have now; answers those facts."""
    await tx.execute(_RENAMED, tenant_id, *as_rows(renamed))
    about = {row.row_id for row in await tx.fetch(_FACTS_OF, tenant_id, sorted(entity_id for entity_id, *_ in renamed))}
    await lock(tx, tenant_id, about)
    facts = await tx.fetch(_FACTS, tenant_id, sorted(about))
    lost = Purged(old, old - words(*(name for _, name, _ in renamed)))
    anew = {fact.row_id: said for fact in facts if (said := fact_anew(fact, lost)) is not None}
    await _say_anew(tx, tenant_id, [fact for fact in facts if fact.row_id in anew], anew, tally)
    return about


async def _find_anew(tx: Tx, tenant_id: str, entity_ids: Sequence[int], old: Words, tally: Tally) -> None:
    """Let the facts about these entities no longer be found by names that they have lost."""
    if entity_ids and old:
        living = {row.row_id for row in await tx.fetch(_FACTS_OF, tenant_id, sorted(entity_ids)) if row.living}
        await state(tx, tenant_id, sorted(living & await stated_with(tx, tenant_id, old)), tally)


async def _higher(tx: Tx, tenant_id: str, row_ids: Collection[int], purged: Purged, tally: Tally) -> None:
    """Patterns and observations that lost their ground, or speak in purged words, go; they are looked for again."""
    waiting = set(row_ids)
    while waiting:
        rows = await tx.fetch(_HIGHER, tenant_id, sorted(waiting))
        going = [row for row in rows if not still_grounded(row, purged)]
        if not going:
            break
        ids = [row.row_id for row in going]
        resting = await _resting(tx, tenant_id, ids)
        await lock(tx, tenant_id, resting)
        await _look_again(tx, tenant_id, {row.community_id for row in going if row.community_id is not None})
        await drop(tx, tenant_id, ids, tally)
        waiting = (waiting | resting) - set(ids)
    await tx.execute(_DATED, tenant_id, sorted(waiting))


def still_grounded(row: Higher, purged: Purged) -> bool:
    """Whether enough is left under it, and nothing in it that only the purged said. Pure."""
    left = words(*row.texts, *row.quotes)
    if betrays(row.statement, purged.words, left) or (words_in(row.detail) & purged.own) - left:
        return False
    return row.supports + len(row.quotes) >= FEWEST_SUPPORTS[row.layer]


async def _look_again(tx: Tx, tenant_id: str, community_ids: Iterable[int]) -> None:
    members = await tx.fetch(_COMMUNITY, tenant_id, sorted(community_ids))
    await unassociate(tx, tenant_id, [row.entity_id for row in members])
