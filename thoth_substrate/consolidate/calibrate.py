"""Outcomes and calibration: what later befell facts, and how right the confidences stated of them were.

Promotion notes what it does to facts: another session's person corroborates one, a correction or a contradiction retracts one.
Here the conflicts among living facts are added, and calibration is computed anew; what has not changed is not written. A fact
is scored once it has an outcome: it held when it was corroborated, and neither contradicted nor corrected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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

    @property
    def key(self) -> tuple[int, str, int]:
        return self.row_id, self.outcome, self.by_id


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What computing anew changed: outcomes noted and withdrawn, bins written and removed."""

    noted: int
    withdrawn: int
    written: int
    removed: int


_READ = query(__package__, "calibration_read", CalibrationRow)
_DERIVED = query(__package__, "outcomes_derived", Outcome)
_PLAN_WHOLE: Query[None] = query(__package__, "plan_whole")
_STORED = query(__package__, "outcomes_stored", Outcome)
_LOST: Query[None] = query(__package__, "outcomes_lost")
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


async def outcomes(tx: Tx, tenant_id: str) -> tuple[list[Outcome], list[Outcome]]:
    """What befell the tenant's facts: as it is, and as it is stored. Reads all facts: a second for 100,000."""
    await tx.execute(_PLAN_WHOLE, "off")
    derived = {one.key: one for one in await tx.fetch(_DERIVED, tenant_id)}
    stored = await tx.fetch(_STORED, tenant_id)
    await tx.execute(_PLAN_WHOLE, "on")
    return list({**{one.key: one for one in stored if _stands(one, derived)}, **derived}.values()), stored


def _stands(one: Outcome, derived: Collection[tuple[int, str, int]]) -> bool:
    """Whether a noted outcome is still borne out. Of a living fact only a conflict that is still there contradicts it."""
    return not (one.living and one.outcome == "contradicted") or one.key in derived


def scores(befell: Iterable[Outcome]) -> list[Scored]:
    """Each fact that has an outcome, once: it failed when any of them speaks against it. Pure."""
    facts: dict[int, Scored] = {}
    for one in befell:
        held = one.outcome == "corroborated" and (one.row_id not in facts or facts[one.row_id].held)
        facts[one.row_id] = Scored(one.agent, one.model, one.predicate, one.stated, held)
    return list(facts.values())


async def calibrate(tx: Tx, tenant_id: str) -> Calibrated:
    """Note outcomes and compute calibration anew, in the caller's transaction. Done twice, the second time changes nothing."""
    await tx.execute(_LOST, tenant_id)
    befell, stored = await outcomes(tx, tenant_id)
    noted, withdrawn = await _outcomes(tx, tenant_id, befell, stored)
    written, removed = await _bins(tx, tenant_id, binned(scores(befell)))
    return Calibrated(noted, withdrawn, written, removed)


async def _outcomes(tx: Tx, tenant_id: str, befell: Sequence[Outcome], stored: Sequence[Outcome]) -> tuple[int, int]:
    is_so, was_so = {one.key for one in befell}, {one.key for one in stored}
    new, gone = sorted(is_so - was_so), sorted(was_so - is_so)
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
