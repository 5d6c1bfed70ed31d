"""`/healthz` and `/readyz`: whether the process lives, and whether it can do its work."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Response

from thoth_substrate.db import migrate
from thoth_substrate.errors import DatabaseError
from thoth_substrate.house import House
from thoth_substrate.server.problems import problem
from thoth_substrate.server.shapes import PROBLEM_TYPE, answer, says

PATIENCE_S = 1.0  # for the database to answer
FRESH_S = 1.0  # everybody may ask, so that the database is not asked each time


@dataclass(frozen=True, slots=True)
class Word:
    """In one word."""

    status: str


class _Readiness:
    """Why the server is not ready, as it was found within the last second; empty when it is."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._looking = asyncio.Lock()
        self._at_s, self._why = float("-inf"), ""
        self._head = ""

    async def why_not(self) -> str:
        async with self._looking:
            now = asyncio.get_running_loop().time()
            if now - self._at_s >= FRESH_S:
                self._why = await self._look()
                self._at_s = asyncio.get_running_loop().time()
            return self._why

    async def _look(self) -> str:
        if self._house.substrate.health()["dormant"]:
            return "The database is not reached; what is perceived meanwhile waits in the journal."
        self._head = self._head or await asyncio.to_thread(migrate.head)
        try:
            async with asyncio.timeout(PATIENCE_S):
                revision = await migrate.revision(await self._house.database())
        except (DatabaseError, TimeoutError):
            return "The database does not answer; what is perceived meanwhile waits in the journal."
        if revision != self._head:
            return f"The schema is at revision {revision or 'none'}, not at {self._head}: run `thoth substrate migrate`."
        return ""


def routes(house: House) -> APIRouter:
    """Both are open to everybody, and tell nothing that is anybody's."""
    router, readiness = APIRouter(tags=["health"]), _Readiness(house)

    @router.get("/healthz", summary="Does the process live?", responses={200: says(Word, "It does")})
    async def live() -> Response:
        return answer(Word("alive"))

    unready = {"description": "Not now", "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}

    @router.get(
        "/readyz", summary="Do the database and its schema answer?", responses={200: says(Word, "They do"), 503: unready}
    )  # fmt: skip
    async def ready() -> Response:
        why = await readiness.why_not()
        return problem(503, "Not ready", why) if why else answer(Word("ready"))

    return router
