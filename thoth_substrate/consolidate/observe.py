"""Layer 4 besides coherence: what the mind says of itself, and the log of dreams with the questions and tests they proposed.

A self-statement belongs to a topic, and each topic has one that lives. Every observation rests on rows it is about
(substrate_supports), and none of them is ever a fact.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import orjson

from thoth_substrate.consolidate.calibrate import CalibrationBin
from thoth_substrate.consolidate.entities import row_ids
from thoth_substrate.consolidate.patterns import KnownPattern
from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.knowledge import Maker

SeedKind = Literal["surprise", "contradiction", "staleness"]
MOST_OPEN = 50  # living questions and tests; older ones make room


@dataclass(frozen=True, slots=True)
class Observation:
    observation_id: int
    kind: str
    statement: str
    detail: Any
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class ObservationId:
    observation_id: int


@dataclass(frozen=True, slots=True)
class Example:
    agent: str
    model: str
    predicate: str
    row_id: int


@dataclass(frozen=True, slots=True)
class ReflectionState:
    """How much there is to reflect on, how much of it is new, and the newest row."""

    patterns: int
    new_patterns: int
    facts: int
    new_facts: int
    newest_at: datetime | None
    newest_id: int | None


@dataclass(frozen=True, slots=True)
class ReflectionRow:
    """A pattern or fact, and the sessions it comes from (at most 20)."""

    row_id: int
    statement: str
    fresh: bool
    sessions: list[str]


@dataclass(frozen=True, slots=True)
class Seed:
    """What to dream of: a row, and the row that it is seen against, if any."""

    row_id: int
    statement: str
    other_id: int | None
    other_statement: str | None


@dataclass(frozen=True, slots=True)
class SelfStatement:
    """What the mind says of itself on a topic, and the rows it says it from."""

    topic: str
    statement: str
    supports: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dreamt:
    """A dream, or a question or test that it led to."""

    kind: str
    statement: str


_KNOWN = query(__package__, "observations_known", Observation)
_MADE: Query[None] = query(__package__, "observations_made")
_RETRACTED: Query[None] = query(__package__, "observations_retracted")
_SETTLED = query(__package__, "observations_settled", ObservationId)
_DROPPED: Query[None] = query(__package__, "supports_dropped")
_SUPPORTS: Query[None] = query(__package__, "supports_made")
_EXAMPLES = query(__package__, "scored_examples", Example)
_BINS = query(__package__, "calibration_stored", CalibrationBin)
_STATE = query(__package__, "reflection_state", ReflectionState)
_ROWS = query(__package__, "reflection_rows", ReflectionRow)
_OF_KINDS = query(__package__, "patterns_of_kinds", KnownPattern)
_SURPRISE = query(__package__, "seeds_surprise", Seed)
_CONTRADICTION = query(__package__, "seeds_contradiction", Seed)
_STALENESS = query(__package__, "seeds_staleness", Seed)


async def observations(tx: Tx, tenant_id: str, kinds: Sequence[str], limit_rows: int) -> list[Observation]:
    """Living observations of these kinds, newest first."""
    return await tx.fetch(_KNOWN, tenant_id, list(kinds), limit_rows)


async def calibration_bins(tx: Tx, tenant_id: str) -> list[CalibrationBin]:
    """Every bin of the tenant's calibration."""
    return await tx.fetch(_BINS, tenant_id)


async def examples(
    tx: Tx, tenant_id: str, groups: Sequence[tuple[str, str, str]], limit_rows: int
) -> dict[tuple[str, str, str], tuple[int, ...]]:
    """For groups of agent, model and predicate: some of their facts that have an outcome."""
    found: dict[tuple[str, str, str], tuple[int, ...]] = dict.fromkeys(groups, ())
    for row in await tx.fetch(_EXAMPLES, tenant_id, *as_rows(groups), limit_rows) if groups else ():
        found[row.agent, row.model, row.predicate] += (row.row_id,)
    return found


async def reflection_state(tx: Tx, tenant_id: str, upto: tuple[datetime, int]) -> ReflectionState:
    """What was learned since `upto` (mind's time, row)."""
    found = await tx.fetch_one(_STATE, tenant_id, *upto)
    assert found is not None, "counts are always there"
    return found


async def reflection_rows(
    tx: Tx, tenant_id: str, upto: tuple[datetime, int], pattern_rows: int, fact_rows: int
) -> list[ReflectionRow]:
    """Patterns and new facts to reflect on, in order."""
    return await tx.fetch(_ROWS, tenant_id, *upto, pattern_rows, fact_rows)


async def patterns_of_kinds(tx: Tx, tenant_id: str, kinds: Sequence[str], limit_rows: int) -> list[KnownPattern]:
    """Living patterns of these kinds, newest first."""
    return await tx.fetch(_OF_KINDS, tenant_id, list(kinds), limit_rows)


async def seed(tx: Tx, tenant_id: str, kind: SeedKind, but: Collection[int]) -> Seed | None:
    """Something to dream of, but for what was dreamt of (by `seed_id`)."""
    if kind == "surprise":
        return await tx.fetch_one(_SURPRISE, tenant_id, sorted(but), 1)
    if kind == "contradiction":
        return await tx.fetch_one(_CONTRADICTION, tenant_id, sorted(but), 1)
    return await tx.fetch_one(_STALENESS, tenant_id, sorted(but), 1)


def seed_id(one: Seed, kind: SeedKind) -> int:
    """The row by which a seed is remembered: of a surprise or a contradiction the later one."""
    return one.row_id if kind == "staleness" or one.other_id is None else one.other_id


async def say_of_self(tx: Tx, tenant_id: str, said: Sequence[SelfStatement], maker: Maker) -> dict[str, int]:
    """Let these be what the mind says of itself: a topic's statement that is the same stays, another takes its place.

    Topics that are said nothing of any longer are retracted; statements without supports are not written.
    """
    wanted = {one.topic: one for one in said if one.supports}
    known = await observations(tx, tenant_id, ["self"], 1000)
    stays = {str(o.detail.get("topic")): o for o in known if _is_said(o, wanted)}
    kept = {observation.observation_id for observation in stays.values()}
    gone = sorted(o.observation_id for o in known if o.observation_id not in kept)
    if gone:
        await tx.execute(_RETRACTED, tenant_id, gone, "said otherwise, or borne out no longer")
    if kept:
        await tx.execute(_DROPPED, tenant_id, sorted(kept))
    new = [one for topic, one in sorted(wanted.items()) if topic not in stays]
    ids = await row_ids(tx, len(new))
    rows = [(number, "self", one.statement, {"topic": one.topic}) for number, one in zip(ids, new, strict=True)]
    rests_on = {number: one.supports for number, one in zip(ids, new, strict=True)}
    rests_on |= {stays[topic].observation_id: wanted[topic].supports for topic in stays}
    await _make(tx, tenant_id, rows, rests_on, maker)
    return {"self_said": len(new), "self_retracted": len(gone)}


async def dream(
    tx: Tx, tenant_id: str, said: Sequence[Dreamt], kind: SeedKind, rows: Sequence[int], maker: Maker
) -> dict[str, int]:
    """Write a dream with what it proposed into the log, resting on the rows of its seed; what is settled is closed."""
    ids = await row_ids(tx, len(said))
    detail = {"seed": {"kind": kind, "rows": list(rows)}}
    made = [(number, one.kind, one.statement, detail) for number, one in zip(ids, said, strict=True)]
    await _make(tx, tenant_id, made, dict.fromkeys(ids, tuple(rows)), maker)
    settled = [row.observation_id for row in await tx.fetch(_SETTLED, tenant_id)]
    if settled:
        await tx.execute(_RETRACTED, tenant_id, settled, "settled: what it asked about is held no longer")
    open_ = await observations(tx, tenant_id, ["question", "test"], 1000)
    crowded_out = sorted(one.observation_id for one in open_[MOST_OPEN:])
    if crowded_out:
        await tx.execute(_RETRACTED, tenant_id, crowded_out, "made room for newer ones")
    return {"dreams": len(said), "settled": len(settled), "crowded_out": len(crowded_out)}


def _is_said(known: Observation, wanted: Mapping[str, SelfStatement]) -> bool:
    said = wanted.get(str(known.detail.get("topic")))
    return said is not None and said.statement == known.statement


async def _make(
    tx: Tx, tenant_id: str, rows: Sequence[tuple[int, str, str, Mapping[str, Any]]], rests_on: Mapping[int, Collection[int]],
    maker: Maker,
) -> None:  # fmt: skip
    if rows:
        columns = as_rows([(number, kind, statement, orjson.dumps(detail).decode()) for number, kind, statement, detail in rows])
        await tx.execute(_MADE, tenant_id, *columns, maker.agent, maker.model, maker.decision_id)
    pairs = sorted({(row, support) for row, supports in rests_on.items() for support in supports})
    if pairs:
        await tx.execute(_SUPPORTS, tenant_id, *as_rows(pairs))
