"""`/v1/layers`: what a tenant knows, layer by layer, in pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from thoth_substrate.house import House
from thoth_substrate.server.access import Reading
from thoth_substrate.server.shapes import Cursor, Limit, Shape, answer, problems, says
from thoth_substrate.views import layer_pages as pages
from thoth_substrate.views.facts import FactPortrait, fact_portrait
from thoth_substrate.views.layers import Layers, layers

RowId = Annotated[int, Path(ge=1, le=(1 << 63) - 1)]


class Paging(Shape):
    """Which page."""

    limit: Limit = Field(50, description="At most so many")
    cursor: Cursor | None = Field(None, description="`next_cursor` of the page before")


class PagingFacts(Paging):
    """Which page of facts."""

    ended: bool = Field(False, description="Also what was so once and is no longer")


def routes(house: House) -> APIRouter:
    """All of them read."""
    router = APIRouter(prefix="/v1/layers", tags=["layers"])

    @router.get("", summary="How much of each, and the newest", responses={200: says(Layers, "The layers")} | problems())
    async def all_layers(scope: Reading) -> Response:
        return answer(await layers(await house.database(), scope.tenant))

    @router.get(
        "/entities", summary="Who and what there is", responses={200: says(pages.Rows[pages.EntityLine], "A page")} | problems()
    )
    async def entities(scope: Reading, asked: Annotated[Paging, Query()]) -> Response:
        db = await house.database()
        return answer(await pages.entities(db, scope.tenant, cursor=asked.cursor, limit_rows=asked.limit))

    @router.get("/facts", summary="What is so", responses={200: says(pages.Rows[pages.FactLine], "A page")} | problems())
    async def facts(scope: Reading, asked: Annotated[PagingFacts, Query()]) -> Response:
        db = await house.database()
        found = await pages.facts(db, scope.tenant, cursor=asked.cursor, limit_rows=asked.limit, ended=asked.ended)
        return answer(found)

    one_fact = {200: says(FactPortrait, "The sentence and what it rests on")} | problems(404)

    @router.get("/rows/{row_id}", summary="A fact, pattern or insight with what it rests on", responses=one_fact)
    async def one(scope: Reading, row_id: RowId) -> Response:
        return answer(await fact_portrait(await house.database(), scope.tenant, row_id))

    linked = {200: says(pages.Rows[pages.AssociationLine], "A page")} | problems()

    @router.get("/associations", summary="Who has to do with whom", responses=linked)
    async def associations(scope: Reading, asked: Annotated[Paging, Query()]) -> Response:
        db = await house.database()
        return answer(await pages.associations(db, scope.tenant, cursor=asked.cursor, limit_rows=asked.limit))

    @router.get(
        "/patterns", summary="Patterns and insights", responses={200: says(pages.Rows[pages.PatternLine], "A page")} | problems()
    )
    async def patterns(scope: Reading, asked: Annotated[Paging, Query()]) -> Response:
        db = await house.database()
        return answer(await pages.patterns(db, scope.tenant, cursor=asked.cursor, limit_rows=asked.limit))

    noted = {200: says(pages.Rows[pages.ObservationLine], "A page")} | problems()

    @router.get("/observations", summary="What the substrate notes of itself", responses=noted)
    async def observations(scope: Reading, asked: Annotated[Paging, Query()]) -> Response:
        db = await house.database()
        return answer(await pages.observations(db, scope.tenant, cursor=asked.cursor, limit_rows=asked.limit))

    return router
