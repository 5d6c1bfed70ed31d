"""Layer 3: what holds across facts. Each pattern rests on two living rows at the least; said in other words it is the same one.

Two sayings are one when they share most of their terms, or rest on the very same rows, or share half of these and some terms.
One that denies what the other says, or names other numbers, is another. A pattern whose support falls under two is retracted.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from thoth_substrate.consolidate.calibrate import calibration
from thoth_substrate.consolidate.entities import row_ids
from thoth_substrate.consolidate.statements import searchable, state, unstate
from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.model.terms import terms

FEWEST_SUPPORTS = 2
ALIKE, SOMEWHAT_ALIKE = 0.6, 0.25  # of all terms of two sayings, those that both have
LONGEST_STATEMENT = 500
KNOWN_ROWS = 200  # living patterns that a new saying is compared with
_DENIAL = re.compile(r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|cannot|\w+n[’']t|nicht|kein\w*|nie|ne|pas|jamais|non|nunca|não|nao|не|нет|никогда)\b|不|没|沒|無|无", re.IGNORECASE)  # fmt: skip  # noqa: E501


@dataclass(frozen=True, slots=True)
class FactLine:
    """A fact as a model is shown it. `unread`: no pattern was looked for in it yet."""

    fact_id: int
    statement: str
    valid_from: datetime
    valid_to: datetime | None
    asserted_at: datetime
    unread: bool


@dataclass(frozen=True, slots=True)
class CommunityState:
    community_id: int
    facts: int
    unread: int


@dataclass(frozen=True, slots=True)
class KnownPattern:
    """A living pattern. `community_id` is 0 when it came from none."""

    pattern_id: int
    kind: str
    statement: str
    community_id: int
    supports: list[int]


@dataclass(frozen=True, slots=True)
class PatternProposal:
    """A saying and what it rests on. `rewords` is the living pattern that it says again, if it does."""

    kind: str
    statement: str
    supports: tuple[int, ...]
    confidence: float
    rewords: int | None = None
    community_id: int | None = None
    embedding: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Dated:
    row_id: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Alike:
    pattern_id: int
    kind: str
    norm: str


@dataclass(frozen=True, slots=True)
class Fallen:
    pattern_id: int


@dataclass(slots=True)
class _Sorted:
    """Proposals by what becomes of them."""

    new: dict[tuple[str, str], PatternProposal] = field(default_factory=dict)
    again: Counter[int] = field(default_factory=Counter)
    rests_on: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    unsupported: int = 0


_COMMUNITIES = query(__package__, "pattern_communities", CommunityState)
_FACTS = query(__package__, "pattern_facts", FactLine)
_NEAR = query(__package__, "patterns_near", KnownPattern)
_DATED = query(__package__, "supports_dated", Dated)
_ALIKE = query(__package__, "patterns_alike", Alike)
_MADE: Query[None] = query(__package__, "patterns_made")
_REWORDED: Query[None] = query(__package__, "patterns_reworded")
_SUPPORTS: Query[None] = query(__package__, "supports_made")
_FALLEN = query(__package__, "patterns_fallen", Fallen)
_RETRACTED: Query[None] = query(__package__, "patterns_retracted")
_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")


def wording(statement: str) -> str:
    """A saying as it is compared letter by letter: its terms in order, and whether it denies."""
    return ("not " if _DENIAL.search(statement) else "") + " ".join(terms(statement))


def says_again(statement: str, supports: Collection[int], known: KnownPattern) -> bool:
    """Whether a saying is a known pattern in other words. Pure."""
    if bool(_DENIAL.search(statement)) != bool(_DENIAL.search(known.statement)):
        return False
    mine, theirs = set(supports), set(known.supports)
    if mine == theirs:
        return True
    if _numbers(statement) != _numbers(known.statement):
        return False
    likeness = _share(set(terms(statement)), set(terms(known.statement)))
    return likeness >= ALIKE or (likeness >= SOMEWHAT_ALIKE and len(mine & theirs) * 2 >= min(len(mine), len(theirs)) > 0)


def settled(proposals: Iterable[PatternProposal], known: Sequence[KnownPattern], room: int) -> tuple[list[PatternProposal], int]:
    """Proposals with what each rewords, at most `room` new ones, surest first; and how many were left out for want of room.

    Two of a batch that say the same become one. Pure.
    """
    kept: list[PatternProposal] = []
    fresh: list[KnownPattern] = []
    left_out = 0
    for one in sorted(proposals, key=lambda p: (-p.confidence, p.statement)):
        same = next((k for k in known if k.kind == one.kind and says_again(one.statement, one.supports, k)), None)
        if same is not None:
            kept.append(PatternProposal(one.kind, one.statement, one.supports, one.confidence, same.pattern_id, one.community_id))
        elif any(k.kind == one.kind and says_again(one.statement, one.supports, k) for k in fresh):
            continue
        elif len(fresh) >= room:
            left_out += 1
        else:
            kept.append(one)
            fresh.append(KnownPattern(0, one.kind, one.statement, 0, list(one.supports)))
    return kept, left_out


async def community_states(tx: Tx, tenant_id: str, read: Mapping[int, tuple[datetime, int]]) -> list[CommunityState]:
    """The tenant's communities with their living facts; `read` says how far each was read (mind's time, row)."""
    rows = [(community, *upto) for community, upto in read.items()]
    return await tx.fetch(_COMMUNITIES, tenant_id, *(as_rows(rows) if rows else ([], [], [])))


async def facts_of(
    tx: Tx, tenant_id: str, community_id: int, upto: tuple[datetime, int], new_rows: int, all_rows: int
) -> list[FactLine]:
    """Up to `new_rows` facts of a community beyond `upto`, and older ones like them, `all_rows` in all, in order."""
    return await tx.fetch(_FACTS, tenant_id, community_id, *upto, new_rows, all_rows)


async def patterns_near(
    tx: Tx, tenant_id: str, community_id: int, rows: Sequence[int], kinds: Sequence[str]
) -> list[KnownPattern]:
    """Living patterns of `kinds` that are of this community or rest on any of these rows; at most KNOWN_ROWS."""
    return await tx.fetch(_NEAR, tenant_id, community_id, list(rows), list(kinds), KNOWN_ROWS)


async def take(
    tx: Tx, tenant_id: str, proposals: Sequence[PatternProposal], maker: Maker, embedding_model: str = ""
) -> dict[str, Any]:
    """Write patterns in the caller's transaction; answers counts: made, reworded, unsupported.

    Supports are looked up again: those that no longer live do not count, and a saying with fewer than two is dropped.
    """
    await tx.execute(_ONE_AT_A_TIME, tenant_id)
    dated = {row.row_id: row for row in await _dated(tx, tenant_id, proposals)}
    sorted_ = await _sorted(tx, tenant_id, proposals, dated)
    made = await _make(tx, tenant_id, sorted_.new.values(), dated, maker, embedding_model)
    if sorted_.again:
        rows = [(pattern, times, *_span(sorted_.rests_on[pattern], dated)) for pattern, times in sorted(sorted_.again.items())]
        await tx.execute(_REWORDED, tenant_id, *as_rows(rows))
        await _support(tx, tenant_id, sorted_.rests_on)
    return {"made": made, "reworded": sum(sorted_.again.values()), "unsupported": sorted_.unsupported}


async def retire(tx: Tx, tenant_id: str) -> int:
    """Retract patterns whose support fell under two, and what rested on them in turn; answers how many."""
    await tx.execute(_ONE_AT_A_TIME, tenant_id)
    retired = 0
    while fallen := [row.pattern_id for row in await tx.fetch(_FALLEN, tenant_id)]:
        await tx.execute(_RETRACTED, tenant_id, fallen, "its support fell under two")
        await unstate(tx, tenant_id, fallen)
        retired += len(fallen)
    return retired


async def _dated(tx: Tx, tenant_id: str, proposals: Sequence[PatternProposal]) -> list[Dated]:
    wanted = sorted({row for one in proposals for row in (*one.supports, one.rewords) if row is not None})
    return await tx.fetch(_DATED, tenant_id, wanted) if wanted else []


async def _sorted(tx: Tx, tenant_id: str, proposals: Sequence[PatternProposal], dated: Mapping[int, Dated]) -> _Sorted:
    keys = sorted({(one.kind, wording(one.statement)) for one in proposals})
    found = await tx.fetch(_ALIKE, tenant_id, *as_rows(keys)) if keys else []
    alike = {(row.kind, row.norm): row.pattern_id for row in found}
    result = _Sorted()
    for one in proposals:
        living = {support for support in one.supports if support in dated}
        key = one.kind, wording(one.statement)
        if len(living) < FEWEST_SUPPORTS:
            result.unsupported += 1
        elif (same := alike.get(key, one.rewords if one.rewords in dated else None)) is not None:
            result.again[same] += 1
            result.rests_on[same] |= living
        else:
            result.new.setdefault(key, one)
    return result


async def _make(
    tx: Tx, tenant_id: str, new: Collection[PatternProposal], dated: Mapping[int, Dated], maker: Maker, embedding_model: str
) -> int:
    if not new:
        return 0
    known = await calibration(tx, tenant_id, maker.agent, maker.model)
    by_id = dict(zip(await row_ids(tx, len(new)), new, strict=True))
    living = {number: {support for support in one.supports if support in dated} for number, one in by_id.items()}
    rows = [
        (number, one.kind, one.statement, wording(one.statement), one.community_id, *_span(living[number], dated), one.confidence,
         known.confidence(maker.agent, maker.model, one.kind, one.confidence))
        for number, one in by_id.items()
    ]  # fmt: skip
    await tx.execute(_MADE, tenant_id, *as_rows(rows), maker.agent, maker.model, maker.decision_id)
    await _support(tx, tenant_id, living)
    vectors = {number: one.embedding for number, one in by_id.items() if one.embedding is not None}
    sentences = {number: searchable(one.statement, ()) for number, one in by_id.items()}
    await state(tx, tenant_id, sentences, "pattern", vectors, embedding_model)
    return len(by_id)


async def _support(tx: Tx, tenant_id: str, rests_on: Mapping[int, Collection[int]]) -> None:
    pairs = sorted((row, support) for row, supports in rests_on.items() for support in supports)
    if pairs:
        await tx.execute(_SUPPORTS, tenant_id, *as_rows(pairs))


def _span(supports: Iterable[int], dated: Mapping[int, Dated]) -> tuple[datetime, datetime]:
    rows = [dated[support] for support in supports]
    return min(row.first for row in rows), max(row.last for row in rows)


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _share(one: Collection[str], other: Collection[str]) -> float:
    return len(set(one) & set(other)) / len(set(one) | set(other)) if one or other else 1.0
