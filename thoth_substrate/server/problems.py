"""Errors over HTTP, as problem details (RFC 9457): what happened, what it means, what to do next. Never a traceback."""

from __future__ import annotations

import logging
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from thoth_substrate.errors import (
    AlreadyReplaced,
    BadInput,
    DatabaseError,
    JournalFull,
    NotPermitted,
    StatementRefused,
    ThothError,
    TokenNeeded,
    UnknownConcept,
    UnknownProfile,
    UnknownRecall,
    UnknownSlice,
    UnknownStream,
)

_log = logging.getLogger("thoth.server")
MEDIA_TYPE = "application/problem+json"
STATUS: tuple[tuple[type[ThothError], int, str], ...] = (  # the first that fits
    (TokenNeeded, 401, "A token is needed"),
    (NotPermitted, 403, "Not permitted"),
    (UnknownSlice, 404, "There is no such memory"),
    (UnknownRecall, 404, "There is no such recall"),
    (UnknownConcept, 404, "There is no such topic"),
    (AlreadyReplaced, 409, "It was changed meanwhile"),
    (UnknownProfile, 404, "There is no such profile"),
    (UnknownStream, 422, "There is no such stream"),
    (BadInput, 422, "The input cannot be used"),
    (StatementRefused, 500, "The database refused a statement"),
    (DatabaseError, 503, "The database is away"),
    (JournalFull, 503, "There is no room left"),
    (ThothError, 500, "It could not be done"),
)
TITLES = {404: "There is nothing here", 405: "The method does not fit", 413: "The body is too long"}
RETRY_AFTER_S = 2  # when the database is away: it comes back by itself


def problem(status: int, title: str, detail: str, **more: Any) -> Response:
    """One problem as a response. `more` are members beyond the standard's own."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    headers = {"www-authenticate": "Bearer"} if status == 401 else {"retry-after": str(RETRY_AFTER_S)} if status == 503 else {}
    return Response(orjson.dumps(body, default=str), status, headers, MEDIA_TYPE)


def of_error(error: ThothError) -> Response:
    """What Thoth raised on purpose, as a problem."""
    status, title = next((status, title) for kind, status, title in STATUS if isinstance(error, kind))
    sentence = str(error) or (type(error).__doc__ or "").splitlines()[0]
    if isinstance(error, StatementRefused):  # what a database says of a statement is for the log
        _log.error("A statement was refused: %s", error)
        sentence = "The database refused a statement; nothing of it remains, and the server's log says why."
    return problem(status, title, sentence, kind=type(error).__name__)


def install(app: FastAPI) -> None:
    """Let every error of `app` leave it as a problem."""
    app.add_exception_handler(ThothError, _thoth)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _surprise)


async def _thoth(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ThothError)
    return of_error(error)


async def _malformed(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [{"at": ".".join(map(str, one["loc"])), "why": _printable(one["msg"])} for one in error.errors()]
    first = found[0] if found else {"at": "the request", "why": "it cannot be read"}
    detail = f"{first['at']}: {first['why']}; nothing was stored. Correct it and send it again."
    return problem(422, "The input cannot be used", detail, errors=found)


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 400:  # a body that is no JSON, or no text at all
        return problem(422, "The input cannot be used", f"The body cannot be read: {_printable(str(error.detail))}.")
    title = TITLES.get(error.status_code, "It could not be done")
    answer = problem(error.status_code, title, f"{_printable(str(error.detail))}; /openapi.json lists what there is.")
    answer.headers.update(error.headers or {})
    return answer


async def _surprise(request: Request, error: Exception) -> Response:
    _log.error("A request to %s failed", request.scope.get("path"), exc_info=error)
    return problem(500, "A fault of ours", "Something failed that should not; nothing half-done remains, and the log says what.")


def _printable(text: str) -> str:
    """Without lone surrogates, which no encoding takes."""
    return text.encode("utf-8", "backslashreplace").decode()
