"""Whether the diary is what the workers wrote: the chain of decisions, walked from its first entry to its newest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query

Fault = Literal["missing", "edited", "broken", "inserted"]
_WORDS: dict[Fault, str] = {
    "missing": "is missing",
    "edited": "was edited after it was written",
    "broken": "does not follow from the one before it",
    "inserted": "does not belong to the chain",
}


@dataclass(frozen=True, slots=True)
class Chain:
    """What one pass found. `purged` entries have only their digest left, `months_dropped` only their anchor."""

    entries: int
    purged: int
    months_dropped: int
    newest_seq: int
    fault: Fault | None
    at_seq: int
    slice_id: UUID | None


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """The chain's state. When it is not `well`, `at_seq` is the number of the first entry that is wrong, `fault` how."""

    well: bool
    entries: int
    purged: int
    months_dropped: int
    newest_seq: int
    fault: Fault | None = None
    at_seq: int | None = None
    slice_id: UUID | None = None

    @property
    def sentence(self) -> str:
        """The verdict for the operator."""
        gone = f", {self.purged} of them purged" if self.purged else ""
        bridged = f", {self.months_dropped} dropped months bridged by their anchors" if self.months_dropped else ""
        if self.fault is None:
            return f"The diary is whole: {self.entries} entries{gone}{bridged}, newest number {self.newest_seq}."
        which = f" ({self.slice_id})" if self.slice_id else ""
        return f"Entry {self.at_seq} of the diary{which} {_WORDS[self.fault]}; the chain cannot be trusted from there on."


_CHAIN = query(__package__, "audit", Chain)


async def verify(db: Database, tenant_id: str) -> AuditVerdict:
    """Walk the tenant's chain in order and name the first entry that is missing, edited, inserted or wrongly linked."""
    async with db.tenant(tenant_id) as tx:
        chain = await tx.fetch_one(_CHAIN, tenant_id)
    assert chain is not None, "the statement always answers one row"
    counted = chain.entries, chain.purged, chain.months_dropped, chain.newest_seq
    if chain.fault is None:
        return AuditVerdict(True, *counted)
    return AuditVerdict(False, *counted, chain.fault, chain.at_seq, chain.slice_id)
