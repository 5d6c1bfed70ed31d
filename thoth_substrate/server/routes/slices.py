"""`/v1/slices`: one slice wholly, as the operator's commands show it; pinned, let go, forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from fastapi import APIRouter
from starlette.responses import Response

from thoth_substrate import keep
from thoth_substrate.house import House
from thoth_substrate.server.access import Reading, Writing
from thoth_substrate.server.shapes import SliceId, answer, problems, says
from thoth_substrate.views.show import Portrait, portrait


@dataclass(frozen=True, slots=True)
class Moved:
    """A slice, and whether anything was changed: False when it stood so before."""

    slice_id: UUID
    changed: bool


def routes(house: House) -> APIRouter:
    """Reading needs the scope `read`, the deeds `write`."""
    router = APIRouter(prefix="/v1/slices/{id}", tags=["slices"])
    intake = keep.intake_of(house.substrate)
    moved = {200: says(Moved, "Done, or so before")} | problems(404)

    @router.get("", summary="All that is known of a slice", responses={200: says(Portrait, "The slice")} | problems(404))
    async def show(scope: Reading, id: SliceId) -> Response:
        db = await house.database()
        return answer(await keep.found(intake, id, lambda: portrait(db, scope.tenant, id)))

    @router.post("/pin", summary="Never let it fade", responses=moved)
    async def pin(scope: Writing, id: SliceId) -> Response:
        return answer(Moved(id, await keep.found(intake, id, lambda: house.substrate.pin(id, tenant=scope.tenant))))

    @router.post("/unpin", summary="Let it fade again", responses=moved)
    async def unpin(scope: Writing, id: SliceId) -> Response:
        return answer(Moved(id, await keep.found(intake, id, lambda: house.substrate.unpin(id, tenant=scope.tenant))))

    @router.post("/forget", summary="Forget it: found no more, gone on the next cycle", responses=moved)
    async def forget(scope: Writing, id: SliceId) -> Response:
        return answer(Moved(id, await keep.found(intake, id, lambda: house.substrate.forget(id, tenant=scope.tenant))))

    return router
