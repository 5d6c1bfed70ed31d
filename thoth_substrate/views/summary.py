"""What a tenant's memory holds at a glance: by stream, by state, and what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.views.layers import Counts, counted


@dataclass(frozen=True, slots=True)
class Count:
    """Slices of one stream in one combination of states."""

    stream: str
    triage_state: str
    consolidation_state: str
    forgotten: bool
    slices: int
    last_event: datetime
    last_perceived: datetime


@dataclass(frozen=True, slots=True)
class Holdings:
    """What else a tenant has, from its narrow tables. Counts; `first_seen` is None before anything was perceived."""

    pending: int
    unindexed: int
    unembedded: int
    unconsolidated: int
    pinned: int
    sessions: int
    passages: int
    vectors: int
    first_seen: datetime | None


@dataclass(frozen=True, slots=True)
class StreamCount:
    """A registered stream and what this tenant perceived by it. `last_event` is None when there was nothing."""

    stream: str
    family: str
    modality: str
    source: str
    profile: str
    lifecycle: str
    slices: int
    quarantined: int
    released: int
    last_event: datetime | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A tenant at a glance. `streams`, `triage` and `consolidation` map names to counts of slices; `layers` is what is known."""

    tenant: str
    slices: int
    streams: dict[str, int]
    triage: dict[str, int]
    consolidation: dict[str, int]
    forgotten: int
    pinned: int
    pending: int
    unindexed: int
    unembedded: int
    unconsolidated: int
    sessions: int
    passages: int
    vectors: int
    first_seen: datetime | None
    last_event: datetime | None
    last_perceived: datetime | None
    layers: Counts

    @property
    def settled(self) -> bool:
        """Whether everything perceived is searchable in every way that is set up."""
        return not (self.pending or self.unindexed or self.unembedded)


@dataclass(frozen=True, slots=True)
class _Stream:
    stream: str
    family: str
    modality: str
    source: str
    profile: str
    lifecycle: str


_COUNTS = query(__package__, "counts", Count)
_HOLDINGS = query(__package__, "holdings", Holdings)
_STREAMS = query(__package__, "registered_streams", _Stream)


async def summary(db: Database, tenant_id: str) -> Summary:
    """Everything at a glance. One pass over the tenant's slices: for people, not for a turn."""
    async with db.tenant(tenant_id) as tx:
        counts = await tx.fetch(_COUNTS, tenant_id)
        held = await tx.fetch_one(_HOLDINGS, tenant_id)
        known = await counted(tx, tenant_id)
    assert held is not None
    return Summary(
        tenant=tenant_id,
        slices=sum(count.slices for count in counts),
        streams=_by(counts, lambda count: count.stream),
        triage=_by(counts, lambda count: count.triage_state),
        consolidation=_by(counts, lambda count: count.consolidation_state),
        forgotten=sum(count.slices for count in counts if count.forgotten),
        pinned=held.pinned,
        pending=held.pending,
        unindexed=held.unindexed,
        unembedded=held.unembedded,
        unconsolidated=held.unconsolidated,
        sessions=held.sessions,
        passages=held.passages,
        vectors=held.vectors,
        first_seen=held.first_seen,
        last_event=max((count.last_event for count in counts), default=None),
        last_perceived=max((count.last_perceived for count in counts), default=None),
        layers=known,
    )


async def holdings(db: Database, tenant_id: str) -> Holdings:
    """The narrow tables only: cheap enough to be asked again and again while something settles."""
    async with db.tenant(tenant_id) as tx:
        held = await tx.fetch_one(_HOLDINGS, tenant_id)
    assert held is not None
    return held


async def streams(db: Database, tenant_id: str) -> list[StreamCount]:
    """Every registered stream, also those by which nothing came, in the order of their names."""
    async with db.tenant(tenant_id) as tx:
        registered = await tx.fetch(_STREAMS)
        counts = await tx.fetch(_COUNTS, tenant_id)
    return [_stream(stream, [count for count in counts if count.stream == stream.stream]) for stream in registered]


def _stream(stream: _Stream, counts: list[Count]) -> StreamCount:
    return StreamCount(
        stream.stream, stream.family, stream.modality, stream.source, stream.profile, stream.lifecycle,
        slices=sum(count.slices for count in counts),
        quarantined=sum(count.slices for count in counts if count.triage_state == "quarantined"),
        released=sum(count.slices for count in counts if count.consolidation_state == "released"),
        last_event=max((count.last_event for count in counts), default=None),
    )  # fmt: skip


def _by(counts: Iterable[Count], key: Callable[[Count], str]) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for count in counts:
        totals[key(count)] += count.slices
    return dict(sorted(totals.items()))
