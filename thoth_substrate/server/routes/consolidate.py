"""`/v1/consolidate`: have what is new consolidated now, and see what came of it. `/consolidate` is a short name for it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from thoth_substrate.house import House
from thoth_substrate.integrations.consolidating import consolidate, status
from thoth_substrate.server.access import Reading, Writing
from thoth_substrate.server.shapes import Answer, Shape, answer, problems, says

WAIT_MS, LONGEST_WAIT_MS = 10_000, 50_000
EXAMPLE = {
    "request": 3, "outcome": "done", "why": "", "memories": 0, "made": {"parser facts": 7, "patternfinder made": 1},
    "left_out": {}, "began": "2026-05-15T12:00:00+00:00", "reason": "demand",
    "insights": [
        {"row_id": 91, "kind": "pattern", "statement": "Maya prefers to decide on Mondays.", "confidence": 0.8,
         "asserted_at": "2026-05-15T12:00:04+00:00", "memories": ["019e2a3b-4c5d-7001-9b2e-0f6f2c1d3e4f"]},
    ],
}  # fmt: skip


class Waiting(Shape):
    """How long to wait."""

    wait: bool = Field(True, description="Wait until it is done")
    wait_ms: int = Field(WAIT_MS, description="At most so long, ms", ge=1, le=LONGEST_WAIT_MS)


class InsightShown(Answer):
    """What holds across facts, and the memories that it rests on."""

    row_id: int
    kind: Literal["pattern", "insight", "synthesis"]
    statement: str
    confidence: float
    asserted_at: datetime
    memories: list[str]


class Consolidated(Answer):
    """What came of it, or why it waits."""

    request: int
    outcome: Literal["done", "nothing", "unfinished", "unavailable", "no_model", "waiting"]
    why: str
    memories: int
    insights: list[InsightShown]
    made: dict[str, int]
    left_out: dict[str, str]
    began: datetime | None
    reason: str


def routes(house: House) -> APIRouter:
    """Asking for one needs the scope `write`, seeing the last one `read`."""
    router = APIRouter(tags=["consolidate"])
    good = {200: says(Consolidated, "What came of it, or why it waits", EXAMPLE)} | problems()

    async def post(scope: Writing, waiting: Annotated[Waiting, Query()]) -> Response:
        db = await house.database()
        wait_s = waiting.wait_ms / 1000 if waiting.wait else 0.0
        return answer(await consolidate(db, house.settings, scope.tenant, wait_s=wait_s))

    async def get(scope: Reading) -> Response:
        return answer(await status(await house.database(), house.settings, scope.tenant))

    for path, word in (("/v1/consolidate", ""), ("/consolidate", " (a short name)")):
        router.post(path, summary=f"Consolidate what is new{word}", responses=good)(post)
        router.get(path, summary=f"See the last consolidation{word}", responses=good)(get)
    return router
