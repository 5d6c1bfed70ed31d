"""`/v1/query`: a question answered with citations, at once or as a stream. `/query` is a short name for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Query
from pydantic import Field, model_validator
from starlette.responses import Response, StreamingResponse

from thoth_substrate.access.caller import Scope
from thoth_substrate.ask.asker import LONGEST_QUESTION_CHARS, MOST_ROWS, RECENT_ROWS, Asker, Question
from thoth_substrate.ask.sources import Answer, Filters, Mode
from thoth_substrate.house import House
from thoth_substrate.integrations.asking import Asking
from thoth_substrate.server.access import Reading
from thoth_substrate.server.shapes import Answer as Document
from thoth_substrate.server.shapes import Name, Shape, Text, Time, answer, problems, says

EXAMPLE = {
    "question": "Which port does staging use?", "mode": "search", "supported": True, "outcome": "ok", "why": "",
    "model": "gpt-5-mini",
    "answer": "Staging uses port 8444 [memory:019e2a3b-4c5d-7001-9b2e-0f6f2c1d3e4f].", "removed": 0, "shown": 24, "left_out": 0,
    "as_of": None, "detail": {},
    "citations": [
        {"kind": "memory", "id": "019e2a3b-4c5d-7001-9b2e-0f6f2c1d3e4f", "text": "We moved staging to 8444.", "who": "Sam",
         "at": "2026-05-15T12:00:00+00:00", "session": "standup", "stream": "thoth.world.user_message.slack", "confidence": 1.0,
         "sources": []},
    ],
}  # fmt: skip
EVENT = {
    "type": "object", "required": ["event", "data"],
    "properties": {"event": {"enum": ["text", "answer"]}, "data": {"type": "string", "contentMediaType": "application/json"}},
}  # fmt: skip
Words = Annotated[Text, Field(min_length=1, max_length=LONGEST_QUESTION_CHARS)]


class Asked(Shape):
    """A question, how its sources are found, and which may be used. `query` and `q` are other names for `question`."""

    model_config = Shape.model_config | {"json_schema_extra": {"examples": [{"question": "Which port does staging use?"}]}}

    question: Words | None = Field(None, description="What to ask")
    query: Words | None = Field(None, description="The same")
    q: Words | None = Field(None, description="The same")
    mode: Literal["recent", "search", "auto"] = Field("auto", description="The newest, by recall, or recent while all of it fits")
    since: Time | None = Field(None, description="Only what happened then or later")
    until: Time | None = Field(None, description="Only what happened before")
    person: Name | None = Field(None, description="Only what this person said, or where they are named")
    topic: Name | None = Field(None, description="Only what is about this")
    source: Name | None = Field(None, description="Only from this source: a stream's, an import's, the beginning of a path")
    stream: Name | None = Field(None, description="Only from this stream")
    importance: float = Field(0.0, description="At least so important", ge=0, le=1, allow_inf_nan=False)
    weighted: bool = Field(False, description="Of the newest, prefer those that matter more")
    limit: int = Field(RECENT_ROWS, description="How many of the newest memories `recent` takes", ge=1, le=MOST_ROWS)
    as_of: Time | None = Field(None, description="Ask the mind as it was then")
    streamed: bool = Field(False, description="Send the words as they come: server-sent events `text`, at the end `answer`")

    @model_validator(mode="after")
    def _one_question(self) -> Asked:
        given = [one for one in (self.question, self.query, self.q) if one is not None]
        if len(given) != 1 or not given[0].strip():
            raise ValueError("give one question that is not empty")
        self.question = given[0]
        return self


class Citation(Document):
    """What a citation names."""

    kind: Literal["memory", "fact", "insight"]
    id: str
    text: str
    at: datetime
    who: str
    session: str
    stream: str
    confidence: float
    sources: list[str]


class Answered(Document):
    """An answer, or why there is none and the passages in its place. Every citation was put to the model, and is there."""

    question: str
    mode: Literal["recent", "search"]
    answer: str
    supported: bool
    citations: list[Citation]
    removed: int
    outcome: Literal["ok", "no_model", "endpoint_down", "budget_spent", "failed", "nothing_found"]
    why: str
    model: str
    shown: int
    left_out: int
    as_of: datetime | None
    detail: dict[str, Any]


def routes(house: House) -> APIRouter:
    """Reading needs the scope `read`. Without a model the passages are the answer, and the status is 200 all the same."""
    router, asking = APIRouter(tags=["query"]), Asking(house)

    async def asked(scope: Scope, body: Asked) -> Response:
        question, asker = _question(scope, body), await asking.asker()
        if body.streamed:
            return StreamingResponse(_events(asker, question), media_type="text/event-stream")
        return answer(await asker.ask(question))

    async def post(scope: Reading, body: Asked) -> Response:
        return await asked(scope, body)

    async def get(scope: Reading, body: Annotated[Asked, Query()]) -> Response:
        return await asked(scope, body)

    told = says(Answered, "The answer, or the passages and why there is none; as a stream when that is asked for", EXAMPLE)
    told["content"]["text/event-stream"] = {"schema": EVENT}
    good = {200: told} | problems()
    for path, summary in (("/v1/query", "Ask a question"), ("/query", "Ask a question (a short name)")):
        router.post(path, summary=summary, responses=good)(post)
        router.get(path, summary=summary, responses=good)(get)
    return router


def _question(scope: Scope, body: Asked) -> Question:
    filters = Filters(body.since, body.until, body.person, body.topic, body.source, body.stream, body.importance)
    assert body.question is not None, "the shape sees to it"
    return Question(
        body.question, scope.tenant, Mode(body.mode), filters, body.limit, body.weighted, body.as_of, scope.session
    )  # fmt: skip


async def _events(asker: Asker, question: Question) -> AsyncIterator[bytes]:
    """`text` events as words come; `answer` holds the whole, which counts where it differs."""
    async with aclosing(asker.stream(question)) as parts:
        async for one in parts:
            name, data = ("answer", one) if isinstance(one, Answer) else ("text", {"text": one})
            yield b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data, default=_foreign) + b"\n\n"


def _foreign(value: Any) -> Any:
    return dict(value) if hasattr(value, "keys") else str(value)
