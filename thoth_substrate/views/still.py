"""Whether what a recall showed may be shown again: nothing of it was forgotten, retired, taken back or purged since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class Still:
    """A slice or a row of the layers above that stands, or a purge since."""

    slice_id: UUID | None
    row_id: int | None
    purge_id: UUID | None


_STILL = query(__package__, "still_there", Still)


async def still_there(
    tx: Tx, tenant_id: str, slice_ids: Collection[UUID], row_ids: Collection[int], recall_id: UUID
) -> bool:  # fmt: skip
    """Whether these slices and rows, which that recall showed, all stand, and no purge was at work since it was asked.

    What merely faded meanwhile stands: it was consolidated, and nobody wished it gone.
    """
    found = await tx.fetch(_STILL, tenant_id, list(slice_ids), list(row_ids), recall_id)
    standing = {one.slice_id or one.row_id for one in found}
    return not any(one.purge_id for one in found) and standing.issuperset((*slice_ids, *row_ids))
