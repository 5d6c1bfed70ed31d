"""What a request is made of and what its response means: no I/O, shared by the client and its twin without asyncio."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn

import httpx2
import orjson
from tenacity import RetryCallState

from thoth_substrate import errors
from thoth_substrate.errors import RequestFailed, ServerUnavailable, ThothError

ATTEMPTS = 4
LONGEST_WAIT_S = 20.0
FIRST_WAIT_S = 0.2
AWAY = (502, 503)  # it cannot now
_FALLBACK = {
    401: errors.TokenNeeded,
    403: errors.NotPermitted,
    404: errors.UnknownSlice,
    409: errors.AlreadyReplaced,
    422: errors.BadInput,
}


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `safe`: sent twice it does no more than once, so that it may be repeated when no answer came."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    safe: bool = True
    waits_s: float = 0.0  # how long the server was asked to wait

    def request(self, client: httpx2.Client | httpx2.AsyncClient, timeout_s: float) -> httpx2.Request:
        """As it is sent; parameters that are None are left out."""
        content = None if self.body is None else orjson.dumps(_present(self.body), default=str)
        headers = {**self.headers, **({"content-type": "application/json"} if content is not None else {})}
        return client.build_request(
            self.method, self.path, params=_written(self.params), content=content, headers=headers,
            timeout=timeout_s + self.waits_s,
        )  # fmt: skip


class Unanswered(Exception):
    """An attempt that may be repeated, after `wait_s` at the least: a turn of the retries, never seen outside of them."""

    def __init__(self, message: str, status: int | None = None, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.wait_s = status, wait_s


def new_key() -> str:
    """An idempotency key for one call, whatever becomes of its attempts."""
    return str(uuid.uuid4())


def pause(state: RetryCallState) -> float:
    """Seconds before the next attempt: doubled each time, with chance in it, and never less than the server asked for."""
    failed = state.outcome.exception() if state.outcome else None
    asked = failed.wait_s if isinstance(failed, Unanswered) else 0.0
    grown: float = FIRST_WAIT_S * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
    return min(max(grown, asked), LONGEST_WAIT_S)


def unreached(call: Call, error: httpx2.TransportError) -> NoReturn:
    """Raises what an attempt that brought no answer means: Unanswered when it may be sent again, else ServerUnavailable."""
    away = f"The Thoth server does not answer ({type(error).__name__}: {error}): `thoth up` or `thoth serve` starts it."
    never_sent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    if call.safe or never_sent:
        raise Unanswered(away) from error
    raise ServerUnavailable(f"{away} Whether it did what was asked is not known.") from error


def check(call: Call, response: httpx2.Response) -> None:
    """Raises what a response that is no good answer means. Its body has been read."""
    status = response.status_code
    if status < 400:
        return
    problem = _problem(response)
    detail = str(problem.get("detail") or f"The server answered {status} {response.reason_phrase}.")
    if status == 429 or (status in AWAY and call.safe):
        raise Unanswered(detail, status, _retry_after_s(response))
    if status in AWAY:
        raise ServerUnavailable(detail, status)
    kind = getattr(errors, str(problem.get("kind") or ""), None) or _FALLBACK.get(status)
    if isinstance(kind, type) and issubclass(kind, ThothError) and not issubclass(kind, errors.DatabaseError):
        raise kind(detail)
    raise RequestFailed(detail, status)


def decoded(response: httpx2.Response) -> Any:
    """The JSON of a good answer. Raises RequestFailed for what is none."""
    try:
        return orjson.loads(response.content)
    except ValueError as error:
        raise RequestFailed(
            f"{response.url} answered with what is no JSON: is that Thoth? THOTH_URL says where it is.", response.status_code
        ) from error


def event_of(lines: list[str]) -> tuple[str, Any]:
    """A server-sent event: its name and its data."""
    name = next((line[6:].strip() for line in lines if line.startswith("event:")), "message")
    return name, orjson.loads("\n".join(line[5:].strip() for line in lines if line.startswith("data:")) or "null")


def _problem(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        read = orjson.loads(response.content)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _retry_after_s(response: httpx2.Response) -> float:
    try:
        return max(float(response.headers.get("retry-after", 0)), 0.0)
    except ValueError:  # a date: the usual pause will do
        return 0.0


def _present(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _text(value) for name, value in body.items() if value is not None}


def _written(params: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """As a query has them: true and false in small letters, times as ISO, a list once for each, a mapping as JSON."""
    written: list[tuple[str, Any]] = []
    for name, value in params.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if isinstance(one, Mapping):
                written.append((name, orjson.dumps(one).decode()))
            elif one is not None:
                written.append((name, str(one).lower() if isinstance(one, bool) else str(_text(one))))
    return written


def _text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
