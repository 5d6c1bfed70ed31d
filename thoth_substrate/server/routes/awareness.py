"""`/v1/awareness`: what is going on, in one line and as topics; from words to pointers, from a pointer to what was said there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from thoth_substrate.awareness import keep
from thoth_substrate.awareness.keep import Concept
from thoth_substrate.awareness.line import line
from thoth_substrate.awareness.lookup import Found, lookup
from thoth_substrate.awareness.note import MOST_DAYS, note_by_hand
from thoth_substrate.awareness.pointers import LONGEST_REF
from thoth_substrate.awareness.read import Reading as Window
from thoth_substrate.awareness.read import read
from thoth_substrate.house import House
from thoth_substrate.model.tokens import count
from thoth_substrate.server.access import Reading, Writing
from thoth_substrate.server.shapes import Limit, Shape, Text, answer, problems, says

LOOK_UP = "GET /v1/awareness/lookup?q="
PointerText = Annotated[Text, Field(min_length=3, max_length=LONGEST_REF + 100)]
Number = Annotated[int, Field(ge=1, lt=1 << 63)]
Days = Annotated[float, Field(gt=0, le=MOST_DAYS, allow_inf_nan=False)]


class AskedLine(Shape):
    """How long the line may be, and how many topics to list beside it."""

    tokens: int | None = Field(None, description="At most so many (cl100k); THOTH_AWARENESS_TOKENS when left out", ge=1, le=2000)
    limit: Limit = Field(50, description="At most so many topics")


class AskedWords(Shape):
    """Which words to look up."""

    q: Text = Field(description="Words: also other forms of one, and near spellings", min_length=1, max_length=2000)
    limit: Limit = Field(10, description="At most so many topics")


class AskedWindow(Shape):
    """Which window to read."""

    pointer: PointerText = Field(description="As `lookup` gives it: type:ref, with @from/to for a window of time")
    limit: Limit = Field(200, description="At most so many slices")


class NewTopic(Shape):
    """A topic to note by hand: also one that was met outside."""

    keywords: list[Text] = Field(description="One to three words each, in English", min_length=1, max_length=20)
    sources: list[PointerText] = Field(default_factory=list, description="Where it was met, as type:ref", max_length=50)
    days: Days = Field(7, description="For how many days it matters")


class Extended(Shape):
    """For how much longer a topic matters."""

    days: Days = Field(description="From now; a topic that stays longer anyhow is left as it is")


@dataclass(frozen=True, slots=True)
class Aware:
    """The line that every agent carries (empty when nothing is going on), its length, and the topics, the last noted first."""

    line: str
    tokens: int
    topics: list[Concept]


@dataclass(frozen=True, slots=True)
class Looked:
    """The topics that were found, best first, with pointers to where they were met."""

    found: list[Found]


@dataclass(frozen=True, slots=True)
class Taken:
    """A topic that was taken away, as it was."""

    forgotten: Concept


def routes(house: House) -> APIRouter:
    """Reading needs the scope `read`; noting, extending and forgetting `write`."""
    router = APIRouter(tags=["awareness"])
    going_on = {200: says(Aware, "What is going on")} | problems()

    @router.get("/v1/awareness", summary="What is going on", responses=going_on)
    async def aware(scope: Reading, asked: Annotated[AskedLine, Query()]) -> Response:
        db = await house.database()
        said = await line(db, scope.tenant, cap_tokens=asked.tokens or house.settings.awareness_tokens, how=LOOK_UP)
        return answer(Aware(said, count(said), await keep.concepts(db, scope.tenant, limit_rows=asked.limit)))

    @router.post(
        "/v1/awareness", summary="Note a topic by hand", status_code=201, responses={201: says(Concept, "Noted")} | problems()
    )
    async def note(scope: Writing, new: NewTopic) -> Response:
        db = await house.database()
        noted = await note_by_hand(db, scope.tenant, new.keywords, new.sources, timedelta(days=new.days))
        return answer(await keep.concept(db, scope.tenant, noted.concept_ids[0]), 201 if noted.made else 200)

    @router.get("/v1/awareness/lookup", summary="Look words up", responses={200: says(Looked, "Pointers")} | problems())
    async def look(scope: Reading, asked: Annotated[AskedWords, Query()]) -> Response:
        return answer(Looked(await lookup(await house.database(), scope.tenant, asked.q, limit_rows=asked.limit)))

    @router.get("/v1/awareness/read", summary="Read a window", responses={200: says(Window, "What was said there")} | problems())
    async def window(scope: Reading, asked: Annotated[AskedWindow, Query()]) -> Response:
        return answer(await read(await house.database(), scope.tenant, asked.pointer, limit_rows=asked.limit))

    one_topic = {200: says(Concept, "The topic")} | problems(404)

    @router.get("/v1/awareness/{id}", summary="Show a topic", responses=one_topic)
    async def show(scope: Reading, id: Number) -> Response:
        return answer(await keep.concept(await house.database(), scope.tenant, id))

    @router.patch("/v1/awareness/{id}", summary="Keep a topic for longer", responses=one_topic)
    async def extend(scope: Writing, id: Number, extended: Extended) -> Response:
        return answer(await keep.extend(await house.database(), scope.tenant, id, timedelta(days=extended.days)))

    @router.delete("/v1/awareness/{id}", summary="Forget a topic", responses={200: says(Taken, "It is gone")} | problems(404))
    async def forget(scope: Writing, id: Number) -> Response:
        return answer(Taken(await keep.forget(await house.database(), scope.tenant, id)))

    return router
