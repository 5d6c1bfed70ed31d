"""A summary of a session's slices, written as a slice of its own: found by recall, and never perceived, parsed or summed up anew.

It is born passed and consolidated: what it says was told before, and is promoted from its originals. It fades like others,
but slowly, and can be pinned, forgotten and purged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import orjson

from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.streams import SUMMARY
from thoth_substrate.perceive.diary import storable

IMPORTANCE = 0.9  # it stands for many slices, and outlives them
SOURCE = "thoth.summary"  # under which its external id makes a repeated one harmless


@dataclass(frozen=True, slots=True)
class Point:
    """A sentence of a summary, and the slices that it rests on."""

    text: str
    slice_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """What slices of a session come to. `through` is the last of `of` by id; `trust` that of the least trusted one."""

    session_id: str
    points: tuple[Point, ...]
    of: tuple[UUID, ...]
    through: UUID
    event_time: datetime
    trust: float


@dataclass(frozen=True, slots=True)
class Original:
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Written:
    slice_id: UUID


_ORIGINALS = query(__package__, "summary_originals", Original)
_APPEND = query(__package__, "summary_append", Written)


async def append_summary(tx: Tx, tenant_id: str, slice_id: UUID, summary: Summary) -> bool:
    """Write a summary within the caller's transaction, under an id made now. Answers whether it was written.

    It is not when an original was forgotten, released or purged since it was read, or when the same was summed up before.
    """
    held = await tx.fetch(_ORIGINALS, tenant_id, sorted(summary.of))
    if len(held) < len(summary.of):
        return False
    text = "\n".join(point.text for point in summary.points)
    payload = {"points": [{"text": point.text, "slices": [str(one) for one in point.slice_ids]} for point in summary.points]}
    metadata = {"summary_of": [str(one) for one in summary.of], "through": str(summary.through)}
    written = await tx.fetch_one(
        _APPEND, tenant_id, slice_id, SUMMARY, summary.session_id, summary.event_time, summary.trust, storable(text),
        _json(payload), _json(metadata), SOURCE, f"{summary.session_id}:{summary.through}", IMPORTANCE,
    )  # fmt: skip
    return written is not None


def _json(value: object) -> str:
    return orjson.dumps(storable(value)).decode()
