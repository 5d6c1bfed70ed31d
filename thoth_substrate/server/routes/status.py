"""`/v1/status`: how the memory is, in checks; `/metrics`: the same in numbers. `/status` is a short name.

What is told of all tenants at once is for who may see `metrics`: to anybody else the status tells of their own.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from thoth_substrate.access.caller import may
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import explain
from thoth_substrate.errors import DatabaseError
from thoth_substrate.house import House
from thoth_substrate.server import metrics
from thoth_substrate.server.access import Measuring, Reading
from thoth_substrate.server.shapes import answer, problems, says
from thoth_substrate.views import check, crew_checks, crew_health, health_checks
from thoth_substrate.views.check import Check, Verdict
from thoth_substrate.views.health import Backlog, backlog, gather
from thoth_substrate.views.health_checks import Around

PATIENCE_S = 2.0  # for the database, where numbers without it are better than none


@dataclass(frozen=True, slots=True)
class Status:
    """Whether nothing is bad, the gravest verdict (ok, info, warn, bad), every check, and how the façade is.

    `waiting` perceptions are not in the database yet, of all tenants together: null for who may not see that.
    """

    well: bool
    verdict: Verdict
    dormant: bool
    waiting: int | None
    checks: list[Check]


def routes(house: House) -> APIRouter:
    """None of them changes anything."""
    router = APIRouter(tags=["health"])
    told = {200: says(Status, "How it is, also when it is unwell")} | problems()

    async def status(request: Request, scope: Reading) -> Response:
        return answer(await _status(house, scope.tenant, whole=may(request.state.caller, "metrics")))

    for path, summary in (("/v1/status", "How is the memory?"), ("/status", "How is the memory? (a short name)")):
        router.get(path, summary=summary, responses=told)(status)

    counted = {200: {"description": "Prometheus' text format", "content": {"text/plain": {"schema": {"type": "string"}}}}}

    @router.get("/metrics", summary="Numbers for Prometheus", responses=counted | problems(), response_class=Response)
    async def numbers(scope: Measuring) -> Response:
        return Response(metrics.exposition(house, await _backlog(house)), media_type=metrics.CONTENT_TYPE)

    return router


async def _status(house: House, tenant_id: str, *, whole: bool) -> Status:
    facade = house.substrate.health()
    try:
        db = await house.database()
        async with asyncio.timeout(PATIENCE_S):
            checks = await _checks(house, db, tenant_id, whole=whole)
    except DatabaseError as error:
        checks = [check.bad("database", str(error), "thoth substrate doctor")]
    except TimeoutError:
        checks = [check.bad("database", f"It did not answer within {PATIENCE_S} s.", "thoth substrate doctor")]
    return Status(
        check.well(checks) and not facade["dormant"],
        check.worst(checks),
        facade["dormant"],
        facade["perceive"]["waiting"] if whole else None,
        checks,
    )


async def _checks(house: House, db: Database, tenant_id: str, *, whole: bool) -> list[Check]:
    settings, facade = house.settings, house.substrate.health()
    facts = await gather(db, tenant_id, whole=whole)
    around = Around(
        recall_on=settings.recall, recall_deadline_ms=settings.recall_deadline_ms,
        journal_bytes=facade["perceive"]["journal_bytes"], journal_max_bytes=settings.journal_max_bytes, journal_files=1,
        embedder=facade["embedder"], embedder_why=explain(settings), mismatch="", server="PostgreSQL",
    )  # fmt: skip
    return health_checks.checks(facts, around) + crew_checks.checks(
        await crew_health.gather(db, settings.model_copy(update={"tenant": tenant_id}), facts.agents, whole=whole)
    )


async def _backlog(house: House) -> Backlog | None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await backlog(await house.database())
    except (DatabaseError, TimeoutError):
        return None
