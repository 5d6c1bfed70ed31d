"""What the tests of fading look at behind the scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import psycopg

TENANT = "default"


@dataclass(frozen=True, slots=True)
class Anchored:
    anchor: float
    anchored_at: datetime
    fades_at: datetime
    pinned: bool
    releasable: bool


def anchored(sql: psycopg.Connection, slice_id: UUID) -> Anchored | None:
    """The stored anchor of a slice; `fades_at` infinity is read as the end of time."""
    row = sql.execute(
        "select anchor, anchored_at, least(fades_at, '9999-01-01'), pinned, releasable"
        " from thoth.substrate_salience where slice_id = %s",
        (slice_id,),
    ).fetchone()
    return Anchored(*row) if row else None


def level(sql: psycopg.Connection, slice_id: UUID, now: datetime) -> float:
    """Salience as any reader computes it at `now`."""
    sql.execute("select set_config('thoth.now', %s, false)", (now.isoformat(),))
    row = sql.execute(
        "select thoth.substrate_level(anchor, anchored_at, half_life) from thoth.substrate_salience where slice_id = %s",
        (slice_id,),
    ).fetchone()
    assert row is not None
    return float(row[0])


def consolidated(sql: psycopg.Connection, slice_ids: Sequence[UUID]) -> None:
    """What the crew will do: say that the slices' meaning is promoted."""
    sql.execute(
        "update thoth.substrate_slices set consolidation_state = 'consolidated' where slice_id = any(%s)", (list(slice_ids),)
    )


def faded(sql: psycopg.Connection, now: datetime, slice_ids: Sequence[UUID] | None = None) -> None:
    """Put anchors so far back that their slices have faded by `now`."""
    ago = now - timedelta(days=365)
    sql.execute(
        "update thoth.substrate_salience set anchored_at = %s, fades_at = thoth.substrate_fades_at(anchor, %s, half_life, 0.05)"
        " where %s::uuid[] is null or slice_id = any(%s)",
        (ago, ago, slice_ids and list(slice_ids), slice_ids and list(slice_ids)),
    )


def causes(sql: psycopg.Connection, slice_id: UUID) -> list[str]:
    """What moved the slice's anchor, in order."""
    rows = sql.execute("select cause from thoth.substrate_salience_events where slice_id = %s order by at", (slice_id,))
    return [row[0] for row in rows]


def embedded(sql: psycopg.Connection, model: str = "test:eight") -> None:
    """Give each passage two vectors of eight dimensions and the tenants their sums, as the embed step leaves them."""
    sql.execute(
        "insert into thoth.substrate_embedding_models (model, dimensions, centre) values (%s, 8, array_fill(0::real, array[8]))"
        " on conflict do nothing",
        (model,),
    )
    sql.execute(
        "insert into thoth.substrate_passage_vectors (tenant_id, passage_id, kind, model, embedding, code)"
        " select p.tenant_id, p.passage_id, k, %s, array_fill(p.seq::real, array[8])::halfvec, repeat('0', 1536)::bit(1536)"
        " from thoth.substrate_passages p cross join unnest(array['turn', 'window']) k on conflict do nothing",
        (model,),
    )
    sql.execute("delete from thoth.substrate_vector_stats where model = %s", (model,))
    sql.execute(
        "insert into thoth.substrate_vector_stats (tenant_id, model, vectors, turns, sum)"
        " select tenant_id, model, count(*), count(*) filter (where kind = 'turn'),"
        "  (sum(embedding::vector) filter (where kind = 'turn'))::real[]"
        " from thoth.substrate_passage_vectors where model = %s group by tenant_id, model",
        (model,),
    )
    sql.execute("delete from thoth.substrate_unembedded")
