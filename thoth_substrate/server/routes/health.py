"""`/healthz` and `/readyz`: whether the process lives, and whether it can do its work."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from thoth_substrate.house import House
from thoth_substrate.server.problems import problem


def routes(house: House) -> APIRouter:
    """Both are open to everybody, and tell nothing that is anybody's."""
    router = APIRouter(tags=["health"])

    @router.get("/healthz", summary="Does the process live?")
    async def live() -> dict[str, str]:
        return {"status": "alive"}

    @router.get("/readyz", summary="Is the database reached and warm?", responses={503: {"description": "Not now"}})
    async def ready() -> Any:
        dormant = house.substrate.health()["dormant"]
        if dormant:
            return problem(503, "Not ready", "The database is not reached; what is perceived meanwhile waits in the journal.")
        return Response(b'{"status":"ready"}', media_type="application/json")

    return router
