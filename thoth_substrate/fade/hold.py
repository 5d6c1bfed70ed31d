"""What pinning and forgetting have in common: the slice, found and locked, or a sentence that says why not."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query
from thoth_substrate.errors import BadInput, UnknownSlice


@dataclass(frozen=True, slots=True)
class Held:
    consolidation_state: str
    forgotten: bool

    @property
    def released(self) -> bool:
        return self.consolidation_state == "released"


_HELD = query(__package__, "held", Held)


async def hold(tx: Tx, tenant_id: str, slice_id: UUID) -> Held:
    """Lock the slice until the transaction ends. Raises UnknownSlice, or BadInput for an entry of the diary."""
    held = await tx.fetch_one(_HELD, tenant_id, slice_id)
    if held is None:
        raise UnknownSlice(f"There is no slice {slice_id} here; `thoth substrate slices` lists the most recent ones.")
    if held.consolidation_state == "exempt":
        raise BadInput(
            f"Slice {slice_id} is an entry of the diary, which can be neither pinned nor forgotten: it is part of the audit"
            " chain and expires with its profile (`thoth substrate profiles`)."
        )
    return held
