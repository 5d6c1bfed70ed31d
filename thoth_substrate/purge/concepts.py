"""What the subconscious index says of purged slices: it goes, and the rest of where it was met is read again by the Indexer."""

from __future__ import annotations

from thoth_substrate.awareness.erase import INDEXER, Erased
from thoth_substrate.consolidate import cursors
from thoth_substrate.db.pool import Tx
from thoth_substrate.purge.rows import Tally

MOST_WINDOWS = 1000  # that wait to be read again


async def forgotten(tx: Tx, tenant_id: str, erased: Erased, tally: Tally) -> None:
    """Count what went, and let the Indexer read the windows that are left."""
    if not erased.concept_ids:
        return
    tally.gone.update(
        substrate_concepts=len(erased.concept_ids), substrate_keywords=erased.keywords, substrate_sources=erased.sources
    )
    tally.rows += erased.concept_ids
    if erased.windows:
        position = await cursors.hold(tx, tenant_id, INDEXER)
        again = list(dict.fromkeys([*position.get("again", ()), *erased.windows]))[-MOST_WINDOWS:]
        await cursors.move(tx, tenant_id, INDEXER, {**position, "again": again})
