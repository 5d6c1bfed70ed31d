"""Outcomes and calibration: what later befell facts, and how right the confidences stated of them were.

Both are functions of the facts as they stand, computed anew; what has not changed is not written. A fact is scored once it
has an outcome: it held when it was corroborated by another session and neither contradicted nor corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from thoth_substrate.db.pool import Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.calibration import Bin, Calibration, Group, Scored, binned


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    predicate: str
    bin: int
    scored: int
    held: int
    stated_sum: float
    squares: float


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    agent: str
    model: str
    predicate: str
    bin: int
    scored: int
    held: int
    stated_sum: float
    squares: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What befell a fact, and by which. `subject` is the entity that the fact is about, merged ones as those they stand for."""

    row_id: int
    outcome: str
    by_id: int
    subject: int
    predicate: str
    agent: str
    model: str
    stated: float
    living: bool


@dataclass(frozen=True, slots=True)
class StoredOutcome:
    row_id: int
    outcome: str
    by_id: int


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What computing anew changed: outcomes noted and withdrawn, bins written and removed."""

    noted: int
    withdrawn: int
    written: int
    removed: int


_READ = query(__package__, "calibration_read", CalibrationRow)
_DERIVED = query(__package__, "outcomes_derived", Outcome)
_OUTCOMES = query(__package__, "outcomes_stored", StoredOutcome)
_NOTE: Query[None] = query(__package__, "outcomes_note")
_WITHDRAW: Query[None] = query(__package__, "outcomes_withdraw")
_BINS = query(__package__, "calibration_stored", CalibrationBin)
_WRITE: Query[None] = query(__package__, "calibration_write")
_REMOVE: Query[None] = query(__package__, "calibration_remove")


async def calibration(tx: Tx, tenant_id: str, agent: str, model: str) -> Calibration:
    """By what new confidences of an agent with this model are judged: ask its `confidence(agent, model, predicate, stated)`."""
    bins: dict[Group, list[Bin]] = {}
    for row in await tx.fetch(_READ, tenant_id, agent, model):
        found = Bin(row.bin, row.scored, row.held, row.stated_sum, row.squares)
        bins.setdefault((agent, model, row.predicate), []).append(found)
    return Calibration(bins)


async def outcomes(tx: Tx, tenant_id: str) -> list[Outcome]:
    """What befell the tenant's facts, from the facts. Reads all of them: a second for 100,000."""
    return await tx.fetch(_DERIVED, tenant_id)


def scores(befell: Iterable[Outcome]) -> list[Scored]:
    """Each fact that has an outcome, once: it failed when any of them speaks against it. Pure."""
    facts: dict[int, Scored] = {}
    for one in befell:
        held = one.outcome == "corroborated" and (one.row_id not in facts or facts[one.row_id].held)
        facts[one.row_id] = Scored(one.agent, one.model, one.predicate, one.stated, held)
    return list(facts.values())


async def calibrate(tx: Tx, tenant_id: str) -> Calibrated:
    """Note outcomes and compute calibration anew, in the caller's transaction. Done twice, the second time changes nothing."""
    befell = await outcomes(tx, tenant_id)
    noted, withdrawn = await _outcomes(tx, tenant_id, befell)
    written, removed = await _bins(tx, tenant_id, binned(scores(befell)))
    return Calibrated(noted, withdrawn, written, removed)


async def _outcomes(tx: Tx, tenant_id: str, befell: Sequence[Outcome]) -> tuple[int, int]:
    derived = {(one.row_id, one.outcome, one.by_id) for one in befell}
    stored = {(one.row_id, one.outcome, one.by_id) for one in await tx.fetch(_OUTCOMES, tenant_id)}
    new, gone = sorted(derived - stored), sorted(stored - derived)
    if new:
        await tx.execute(_NOTE, tenant_id, *as_rows(new))
    if gone:
        await tx.execute(_WITHDRAW, tenant_id, *as_rows(gone))
    return len(new), len(gone)


async def _bins(tx: Tx, tenant_id: str, wanted: Mapping[Group, Sequence[Bin]]) -> tuple[int, int]:
    new = {(*group, one.bin): one for group, bins in wanted.items() for one in bins}
    held = {
        (row.agent, row.model, row.predicate, row.bin): Bin(row.bin, row.scored, row.held, row.stated_sum, row.squares)
        for row in await tx.fetch(_BINS, tenant_id)
    }
    changed = sorted(key for key, one in new.items() if key not in held or not _same(held[key], one))
    gone = sorted(held.keys() - new.keys())
    if changed:
        rows = [(*key, new[key].scored, new[key].held, new[key].stated_sum, new[key].squares) for key in changed]
        await tx.execute(_WRITE, tenant_id, *as_rows(rows))
    if gone:
        await tx.execute(_REMOVE, tenant_id, *as_rows(gone))
    return len(changed), len(gone)


def _same(one: Bin, other: Bin) -> bool:
    near = abs(one.stated_sum - other.stated_sum) < 1e-6 and abs(one.squares - other.squares) < 1e-6
    return near and (one.scored, one.held) == (other.scored, other.held)
