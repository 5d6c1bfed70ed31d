"""`/v1/recall`: what memory has to say about a question, within a deadline; and the recalls that were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from thoth_substrate.access.caller import Scope
from thoth_substrate.errors import UnknownRecall
from thoth_substrate.house import House
from thoth_substrate.model.projection import LegState, Line, Projection
from thoth_substrate.server import examples, metrics
from thoth_substrate.server.access import Reading
from thoth_substrate.server.shapes import LONGEST_QUERY_CHARS, Name, Shape, SliceId, Text, Time, answer, problems, says
from thoth_substrate.views import recalls as views
from thoth_substrate.views.recalls import Explained, RecallLine

MOST_BUDGET_TOKENS = 200_000
LONGEST_DEADLINE_MS = 50_000


class Question(Shape):
    """What to ask, as the next message of a turn would."""

    model_config = Shape.model_config | {"json_schema_extra": {"examples": [examples.QUESTION]}}

    query: Text = Field(description="The question, or the user's whole message", max_length=LONGEST_QUERY_CHARS)
    session: Name | None = Field(None, description="The conversation that asks: its own turns are left out; else X-Thoth-Session")
    budget_tokens: int | None = Field(
        None, description="Longest block, tokens; else THOTH_RECALL_BUDGET_TOKENS", ge=1, le=MOST_BUDGET_TOKENS
    )
    deadline_ms: int | None = Field(
        None, description="Answer within so long; else THOTH_RECALL_DEADLINE_MS", ge=1, le=LONGEST_DEADLINE_MS
    )
    as_of: Time | None = Field(None, description="Ask the mind as it was at that instant")
    explain: bool = Field(False, description="Say for each line what its score is made of, and how it was looked for")


class Replay(Shape):
    """How to ask a past question again."""

    deadline_ms: int = Field(5000, description="Answer within so long", ge=1, le=LONGEST_DEADLINE_MS)


class HowMany(Shape):
    """How many of the newest."""

    limit: int = Field(20, ge=1, le=500, description="At most so many")


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """One line of an answer. `handle` names it in the block; of a fact `row_id` is its number and `sources` its slices.

    `parts` are the addends of `score` and `legs` what found it, both only when asked to explain.
    """

    handle: str
    kind: str
    slice_id: UUID
    passage_no: int
    row_id: int | None
    session: str
    actor: str
    event_time: datetime
    stream: str
    text: str
    score: float
    salience: float
    trust: float
    confidence: float
    note: str
    sources: list[dict[str, Any]]
    legs: list[str]
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """What memory has to say. An empty answer says why in `empty_reason`; `partial` names no loss that `legs` does not tell."""

    recall_id: UUID | None
    block: str
    tokens: int
    empty_reason: str | None
    took_ms: float
    partial: bool
    as_of: datetime | None
    lines: list[RecalledLine]
    legs: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Recalls:
    """Recalls that were made, the newest first."""

    recalls: list[RecallLine]


def routes(house: House) -> APIRouter:
    """All of them read."""
    router = APIRouter(tags=["recall"])
    answered = {200: says(RecallAnswer, "What memory has to say, or why nothing", examples.ANSWER)} | problems()

    @router.post("/v1/recall", summary="Recall", responses=answered)
    async def recall(scope: Reading, asked: Question) -> Response:
        found = await house.substrate.recall(
            asked.query, session=asked.session or scope.session, tenant=scope.tenant, budget_tokens=asked.budget_tokens,
            deadline_ms=asked.deadline_ms, forced=True, as_of=asked.as_of,
        )  # fmt: skip
        metrics.recalled(found)
        return answer(as_answer(found, explain=asked.explain))

    @router.get("/v1/recalls", summary="Recalls that were made", responses={200: says(Recalls, "The newest first")} | problems())
    async def recent(scope: Reading, asked: Annotated[HowMany, Query()]) -> Response:
        found = await views.recent(await house.database(), scope.tenant, limit_rows=asked.limit)
        return answer(Recalls(found))

    explains = {200: says(Explained, "Its legs, its candidates, its lines read anew")} | problems(404)

    @router.get("/v1/recalls/{id}", summary="Explain a recall that was made", responses=explains)
    async def explained(scope: Reading, id: SliceId) -> Response:
        return answer(await _explained(house, scope, id))

    @router.post("/v1/recalls/{id}/replay", summary="Ask it again of the mind as it was then", responses=answered | problems(404))
    async def replay(scope: Reading, id: SliceId, how: Annotated[Replay, Query()]) -> Response:
        past = (await _explained(house, scope, id)).recall
        found = await house.substrate.recall(
            past.query, session=past.session, tenant=scope.tenant, deadline_ms=how.deadline_ms, forced=True, as_of=past.asked_at
        )
        return answer(as_answer(found, explain=True))

    return router


async def _explained(house: House, scope: Scope, recall_id: UUID) -> Explained:
    """Recalls are logged a moment after they are answered. Raises UnknownRecall."""
    try:
        return await views.explained(await house.database(), scope.tenant, recall_id)
    except UnknownRecall:
        await house.substrate.logged()
    return await views.explained(await house.database(), scope.tenant, recall_id)


def as_answer(found: Projection, *, explain: bool) -> RecallAnswer:
    """A projection as JSON has it."""
    late = any(leg.state in (LegState.LATE, LegState.FAILED, LegState.SKIPPED) for leg in found.legs)
    return RecallAnswer(
        found.recall_id, found.block, found.tokens, found.empty_reason, found.took_ms, late, found.as_of,
        [_told(line, explain=explain) for line in found.lines],
        [{"name": leg.name, "state": leg.state, "rows": leg.rows, "took_ms": leg.took_ms, "why": leg.why} for leg in found.legs],
        [{"handle": one.handle, "slice_id": one.slice_id, "actor": one.actor, "event_time": one.event_time,
          "released_at": one.released_at} for one in found.missing],
        found.detail if explain else {},
    )  # fmt: skip


def _told(line: Line, *, explain: bool) -> RecalledLine:
    return RecalledLine(
        line.handle, line.kind, line.slice_id, line.passage_no, line.row_id, line.session_id, line.actor, line.event_time,
        line.stream, line.text, line.score, line.salience, line.trust, line.confidence, line.note,
        [{"slice_id": one.slice_id, "passage_no": one.passage_no} for one in line.sources],
        list(line.legs) if explain else [], line.parts if explain else {},
    )  # fmt: skip
