"""The audit row of a recall: what was asked, what each leg did, what came near, what was shown and why."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
import orjson

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import StatementRefused
from thoth_substrate.model.projection import Kind, Line, Projection
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.facts import Fact
from thoth_substrate.recall.rank import LEGS, Ranking

EXCERPT_CHARS = 200
BEST = 50
NO_PARTITION = "23514"

_LOG: Query[None] = query(__package__, "log_recall")
_MAKE_MONTH: Query[None] = query(__package__, "make_month")


@dataclass(frozen=True, slots=True)
class Logged:
    """One recall as it is logged. `query_excerpt` is redacted already; `nearby` are the best candidates with their parts."""

    tenant_id: str
    session_id: str | None
    asked_at: datetime
    query_hash: bytes
    query_excerpt: str
    config_hash: bytes
    deadline_ms: int
    projection: Projection
    nearby: dict[str, Any]


async def log_recall(db: Database, entry: Logged) -> None:
    """Write the row; a missing month is made first. Raises DatabaseUnavailable, or StatementRefused for anything else."""
    projection = entry.projection
    assert projection.recall_id is not None
    arguments = (
        entry.tenant_id, projection.recall_id, entry.asked_at, entry.session_id, entry.query_hash, entry.query_excerpt,
        entry.config_hash, entry.deadline_ms, projection.took_ms, projection.tokens, projection.empty_reason,
        _json([asdict(leg) for leg in projection.legs]), _json(entry.nearby), _json(_shown(projection)), _json(projection.detail),
    )  # fmt: skip
    try:
        await _write(db, arguments)
    except StatementRefused as error:
        if error.sqlstate != NO_PARTITION:
            raise
        async with db.tenant(entry.tenant_id) as tx:
            await tx.execute(_MAKE_MONTH, entry.asked_at.date())
        await _write(db, arguments)


async def _write(db: Database, arguments: Sequence[Any]) -> None:
    async with db.tenant(str(arguments[0])) as tx:
        await tx.execute(_LOG, *arguments)


def nearby(
    found: Candidates | None, ranking: Ranking | None, lines: Sequence[Line] = (), facts: Sequence[Fact] = ()
) -> dict[str, Any]:
    """The best candidates and facts with the parts of their scores, kept or not, and counts of the rest."""
    known = {"facts": _facts(facts, lines), "facts_all": len(facts)} if facts else {}
    if ranking is None or found is None:
        return {"best": [], "all": 0, **known}
    kept = frozenset((line.slice_id, line.passage_no) for line in lines if line.kind is Kind.QUOTE)
    nearest = ranking.order[:BEST]
    best = [
        {
            "slice_id": str(found.slice_id[i]),
            "passage_no": found.passage_no[i],
            "score": round(float(ranking.scores[i]), 3),
            "parts": parts,
            "legs": leg_names(int(found.legs[i])),
            "similarity": None if np.isnan(found.similarity[i]) else round(float(found.similarity[i]), 4),
            "kept": (found.slice_id[i], found.passage_no[i]) in kept,
        }
        for i, parts in zip(nearest, ranking.parts_at(nearest), strict=True)
    ]
    return {
        "best": best,
        "all": len(found),
        "by_leg": {name: int(np.count_nonzero(found.legs & bit)) for bit, name in LEGS.items()},
        **known,
    }


def _facts(facts: Sequence[Fact], lines: Sequence[Line]) -> list[dict[str, Any]]:
    kept = frozenset(line.row_id for line in lines)
    return [
        {
            "row_id": fact.known.row_id,
            "kind": fact.known.kind,
            "score": round(fact.score, 3),
            "parts": fact.parts,
            "similarity": None if fact.known.similarity is None else round(fact.known.similarity, 4),
            "bears": fact.bears,
            "kept": fact.known.row_id in kept,
        }
        for fact in facts[:BEST]
    ]


def leg_names(legs: int) -> tuple[str, ...]:
    """Names of the legs that found a passage; `neighbour` for one that came with another."""
    return tuple(name for bit, name in LEGS.items() if legs & bit) or ("neighbour",)


def digest(text: str) -> bytes:
    """SHA-256 of a text as UTF-8; lone surrogates do not raise."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _shown(projection: Projection) -> list[dict[str, Any]]:
    gone = [{"handle": one.handle, "slice_id": str(one.slice_id), "passage_no": 0, "missing": True} for one in projection.missing]
    return [*(_shown_line(line) for line in projection.lines), *gone]


def _shown_line(line: Line) -> dict[str, Any]:
    """A quote names its passage; a fact its row and the slices that it rests on, by which a purge finds this entry."""
    of = (
        {"slice_id": str(line.slice_id), "passage_no": line.passage_no}
        if line.kind is Kind.QUOTE
        else {"kind": str(line.kind), "row_id": line.row_id, "rests_on": [str(slice_id) for slice_id in line.slice_ids]}
    )
    return {"handle": line.handle, **of, "score": round(line.score, 3)}


def _json(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY).decode()
