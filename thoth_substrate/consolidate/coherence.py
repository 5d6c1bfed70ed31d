"""Coherence: measured on the knowledge, not on the queue; kept as observations.

Quotes are looked up in their sources a stretch at a time, so that a measurement takes a bounded time and all are seen in turn.
The other parts are counts over all of the tenant's knowledge: about two seconds for 100,000 facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from thoth_substrate.consolidate.calibrate import Outcome, outcomes, scores
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.calibration import ALL, Bin, binned, calibration_error
from thoth_substrate.model.coherence import Coherence, Part, coherent, from_json, share, to_json
from thoth_substrate.model.knowledge import Maker

STRETCH_ROWS = 2000  # citations looked up in one measurement
OVERDUE = timedelta(hours=1)  # what waits no longer to be derived is not stale: an import is taken in in less
PATTERNS_ROWS = 200  # newest patterns whose grounding is measured


@dataclass(frozen=True, slots=True)
class Measured:
    observation_id: int
    score: float | None
    detail: Any
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class Tally:
    """Of so many observations, how many were good."""

    good: float
    observations: int


@dataclass(frozen=True, slots=True)
class CitationTally:
    good: int
    observations: int
    last_id: int | None


@dataclass(frozen=True, slots=True)
class Exclusive:
    observations: int


@dataclass(frozen=True, slots=True)
class KnowledgeState:
    facts: int
    retracted: int
    citations: int
    patterns: int
    verdicts: int
    failed: int
    dead_letters: int
    overdue: int
    associated: float


@dataclass(frozen=True, slots=True)
class Noted:
    observation_id: int


_LATEST = query(__package__, "coherence_latest", Measured)
_CITATIONS = query(__package__, "measure_citations", CitationTally)
_SUPPORTS = query(__package__, "measure_supports", Tally)
_EXCLUSIVE = query(__package__, "measure_exclusive", Exclusive)
_GROUNDING = query(__package__, "measure_grounding", Tally)
_COVERAGE = query(__package__, "measure_coverage", Tally)
_FRESHNESS = query(__package__, "measure_freshness", Tally)
_STATE = query(__package__, "measure_state", KnowledgeState)
_NOTE = query(__package__, "coherence_note", Noted)
_EXPIRED: Query[None] = query(__package__, "observations_expired")
_ORPHANED: Query[None] = query(__package__, "supports_orphaned")


async def coherence(db: Database, tenant_id: str) -> Coherence:
    """The tenant's last measurement; without one, a score of None and no parts."""
    async with db.tenant(tenant_id) as tx:
        return await latest(tx, tenant_id)


async def latest(tx: Tx, tenant_id: str) -> Coherence:
    """The same, in the caller's transaction."""
    found = await latest_kept(tx, tenant_id)
    return found[1] if found else Coherence(None, {})


async def latest_kept(tx: Tx, tenant_id: str) -> tuple[int, Coherence] | None:
    """The last measurement with its number, or None."""
    found = await tx.fetch_one(_LATEST, tenant_id)
    return (found.observation_id, from_json(found.score, found.detail, found.observed_at)) if found else None


async def state(tx: Tx, tenant_id: str) -> KnowledgeState:
    """What a measurement depends on: while it is the same, there is nothing to measure."""
    found = await tx.fetch_one(_STATE, tenant_id, OVERDUE)
    assert found is not None, "counts are always there"
    return found


async def tallies(tx: Tx, tenant_id: str, after_id: int) -> tuple[dict[str, Tally], int]:
    """The observations of every part, and after which row the next measurement looks up quotes (0: from the first)."""
    quotes = await tx.fetch_one(_CITATIONS, tenant_id, after_id, STRETCH_ROWS)
    exclusive = await tx.fetch_one(_EXCLUSIVE, tenant_id)
    assert quotes is not None, "counts are always there"
    assert exclusive is not None, "counts are always there"
    supports = await _tally(tx, _SUPPORTS, tenant_id)
    befell, _ = await outcomes(tx, tenant_id)
    whole = exclusive.observations
    found = {
        "integrity": Tally(quotes.good + supports.good, quotes.observations + supports.observations),
        "contradiction": Tally(max(whole - len(_conflicting(befell)), 0), whole),
        "grounding": await _tally(tx, _GROUNDING, tenant_id, PATTERNS_ROWS),
        "coverage": await _tally(tx, _COVERAGE, tenant_id),
        "freshness": await _tally(tx, _FRESHNESS, tenant_id, OVERDUE),
        "calibration": _calibration(befell),
    }
    return found, quotes.last_id or 0 if quotes.observations == STRETCH_ROWS else 0


def measured(found: Mapping[str, Tally]) -> Coherence:
    """The measurement of these observations. Pure."""
    parts: dict[str, Part] = {name: share(tally.good, tally.observations) for name, tally in found.items()}
    return coherent(parts)


async def note(tx: Tx, tenant_id: str, coherence: Coherence, maker: Maker) -> int:
    """Keep a measurement; answers its number."""
    detail = orjson.dumps(to_json(coherence)).decode()
    noted = await tx.fetch_one(_NOTE, tenant_id, coherence.score, detail, maker.agent, maker.decision_id)
    assert noted is not None, "an insert answers"
    return noted.observation_id


async def prune(tx: Tx, tenant_id: str) -> int:
    """Delete measurements, dreams and retracted observations that the log profile no longer keeps; answers how many."""
    gone = await tx.execute(_EXPIRED, tenant_id)
    if gone:
        await tx.execute(_ORPHANED, tenant_id)
    return gone


async def _tally(tx: Tx, asked: Query[Tally], tenant_id: str, *arguments: Any) -> Tally:
    found = await tx.fetch_one(asked, tenant_id, *arguments)
    assert found is not None, "counts are always there"
    return found


def _conflicting(befell: Sequence[Outcome]) -> set[tuple[int, str]]:
    """Subjects and predicates with living facts that exclude one another (a settled conflict names itself or its heir)."""
    return {(one.subject, one.predicate) for one in befell if one.outcome == "contradicted" and one.living}


def _calibration(befell: Sequence[Outcome]) -> Tally:
    bins = binned(scores(befell))
    together: list[Bin] = [one for (_, _, predicate), group in bins.items() if predicate == ALL for one in group]
    scored = sum(one.scored for one in together)
    return Tally((1.0 - (calibration_error(together) or 0.0)) * scored, scored)
