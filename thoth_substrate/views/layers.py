"""What a tenant knows, layer by layer: how much of each, and the newest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class Counts:
    """Living rows by layer, and those kept although they hold no longer (`merged`, `ended`, `…retracted`).

    `facts` hold now; `ended` were so once. `dreams` counts questions and tests too.
    """

    entities: int = 0
    merged: int = 0
    facts: int = 0
    ended: int = 0
    facts_retracted: int = 0
    associations: int = 0
    communities: int = 0
    patterns: int = 0
    insights: int = 0
    patterns_retracted: int = 0
    self_statements: int = 0
    dreams: int = 0
    measurements: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Quotes kept, and passages by verdict."""

    citations: int
    extracted: int
    nothing: int
    failed: int


@dataclass(frozen=True, slots=True)
class Newest:
    """A row of a layer as a sentence. `confidence` is 0..1, None where nothing was stated."""

    layer: int
    kind: str
    row_id: int
    says: str
    confidence: float | None
    agent: str
    asserted_at: datetime


@dataclass(frozen=True, slots=True)
class Layers:
    """A tenant's knowledge at a glance."""

    tenant: str
    counts: Counts
    evidence: Evidence
    newest: list[Newest]


COUNTS = query(__package__, "layer_counts", Counts)
_EVIDENCE = query(__package__, "layer_evidence", Evidence)
NEWEST = query(__package__, "layer_newest", Newest)


async def layers(db: Database, tenant_id: str, *, limit_rows: int = 5) -> Layers:
    """Counts of every layer and the newest `limit_rows` of each kind. One pass over the tenant's knowledge: for people."""
    async with db.tenant(tenant_id) as tx:
        counts = await counted(tx, tenant_id)
        evidence = await tx.fetch_one(_EVIDENCE, tenant_id)
        newest = await tx.fetch(NEWEST, tenant_id, limit_rows)
    assert evidence is not None, "counts are always there"
    return Layers(tenant_id, counts, evidence, newest)


async def counted(tx: Tx, tenant_id: str) -> Counts:
    """The counts alone, in the caller's transaction."""
    counts = await tx.fetch_one(COUNTS, tenant_id)
    assert counts is not None, "counts are always there"
    return counts
