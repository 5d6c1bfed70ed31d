"""Outcomes and calibration: what later befell facts, and how right the confidences stated of them were."""

from __future__ import annotations

from dataclasses import dataclass

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.calibration import Bin, Calibration, Group


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    predicate: str
    bin: int
    scored: int
    held: int
    stated_sum: float
    squares: float


_READ = query(__package__, "calibration_read", CalibrationRow)


async def calibration(tx: Tx, tenant_id: str, agent: str, model: str) -> Calibration:
    """By what new confidences of an agent with this model are judged: ask its `confidence(agent, model, predicate, stated)`."""
    bins: dict[Group, list[Bin]] = {}
    for row in await tx.fetch(_READ, tenant_id, agent, model):
        found = Bin(row.bin, row.scored, row.held, row.stated_sum, row.squares)
        bins.setdefault((agent, model, row.predicate), []).append(found)
    return Calibration(bins)
