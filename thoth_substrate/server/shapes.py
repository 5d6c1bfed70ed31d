"""What comes in and goes out, at the edge: strict models, text that any store takes, and the words of the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from starlette.responses import Response

from thoth_substrate.model.ids import LAST_OF_TIME
from thoth_substrate.perceive.clean import clean, plain

LONGEST_NAME_CHARS = 200
LONGEST_QUERY_CHARS = 200_000
DEEPEST_FILTER = 8
MOST_KEYS = 100  # of metadata, and of a filter on it
EARLIEST, LATEST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)


class Shape(BaseModel):
    """A request's body or parameters. A field that there is not is refused: a filter misspelt must not be a filter left out."""

    model_config = ConfigDict(extra="forbid", str_max_length=64 << 20)


class Answer(BaseModel):
    """A response, for the OpenAPI document: answers are written by orjson and not validated again."""

    model_config = ConfigDict(extra="ignore")


def _cleaned(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else value


def _zoned(value: datetime) -> datetime:
    at = value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        inside = EARLIEST <= at <= LATEST
    except OverflowError:
        inside = False
    if not inside:
        raise ValueError("a time is within the years 1 to 9999")
    return at


def _with_a_time(value: UUID) -> UUID:
    if value > LAST_OF_TIME:
        raise ValueError("no memory has such an id: its time lies beyond the year 9999")
    return value


def _filter(value: Any) -> Any:
    """A filter on metadata, given as JSON text in a query."""
    if not isinstance(value, str):
        return value
    try:
        read = orjson.loads(clean(value))
    except ValueError as error:
        raise ValueError("it must be a JSON object") from error
    return _checked(read)


def _checked(read: Any) -> Any:
    if not isinstance(read, dict) or not read:
        raise ValueError("it must be a JSON object with at least one key")
    level: list[Any] = [read]
    for _ in range(DEEPEST_FILTER):
        inner = [
            item for one in level for item in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
        if any(item is None for item in inner):
            raise ValueError("null matches nothing: leave the key out")
        level = [item for item in inner if isinstance(item, dict | list)]
    if level:
        raise ValueError(f"it is nested deeper than {DEEPEST_FILTER} levels")
    return plain(read)


def _object(value: Any) -> Any:
    return plain(value) if isinstance(value, Mapping) else value


Text = Annotated[str, BeforeValidator(_cleaned)]
Name = Annotated[str, BeforeValidator(_cleaned), Field(min_length=1, max_length=LONGEST_NAME_CHARS)]
Time = Annotated[datetime, AfterValidator(_zoned)]
SliceId = Annotated[UUID, AfterValidator(_with_a_time)]
Metadata = Annotated[dict[str, Any], BeforeValidator(_object), Field(max_length=MOST_KEYS)]
MetadataFilter = Annotated[
    dict[str, Any],
    BeforeValidator(_filter),
    WithJsonSchema({"type": "string", "description": "A JSON object that a memory's metadata contains", "maxLength": 4000}),
]
Content = Annotated[
    Any,
    BeforeValidator(plain),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array", "items": {}}]}),
]
Limit = Annotated[int, Field(ge=1, le=500)]
Cursor = Annotated[str, Field(min_length=1, max_length=400)]


class Problem(Answer):
    """Problem details (RFC 9457): what happened, what it means, what to do next."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    kind: str | None = None
    errors: list[dict[str, str]] | None = None


_SAYS = {
    401: "Nobody is known to ask: a token is needed",
    403: "The token does not allow this, or not for this tenant",
    404: "There is nothing of that name here for this tenant",
    409: "Somebody else changed it first",
    413: "The body is too long",
    422: "Something in the request cannot be used; nothing was stored",
    503: "The database is away, or there is no room: try again later",
    504: "It took too long",
}
PROBLEM_TYPE = "application/problem+json"


def problems(*statuses: int) -> Any:
    """The problems that a route may answer, for the OpenAPI document; those that any route may are always among them."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": _SAYS[status], "content": {PROBLEM_TYPE: {"schema": schema}}}
        for status in sorted({401, 403, 413, 422, 503, 504, *statuses})
    }


def says(model: Any, what: str, example: Any = None) -> dict[str, Any]:
    """A good answer, for the OpenAPI document."""
    described: dict[str, Any] = {"model": model, "description": what}
    return described if example is None else described | {"content": {"application/json": {"example": example}}}


def answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Dataclasses, times and ids as JSON. What a memory holds is clean, so that nothing here can fail."""
    return Response(orjson.dumps(value, default=_foreign), status, headers, "application/json")


def _foreign(value: Any) -> Any:
    if isinstance(value, timedelta):  # as ISO 8601 has it, so that the unit goes along
        return f"PT{value.total_seconds():g}S" if value < timedelta(days=1) else f"P{value / timedelta(days=1):g}D"
    return dict(value) if isinstance(value, Mapping) else str(value)
