"""Writes the page of the HTTP API from its OpenAPI document: every route, what it demands of a token, and where it is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from thoth_substrate.house import House
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.server.app import create_app
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate

TESTS = {
    "memories": "test_memories.py", "recall": "test_recall.py", "slices": "test_recall.py", "layers": "test_recall.py",
    "query": "test_query.py", "consolidate": "test_consolidate.py", "awareness": "test_awareness.py",
    "health": "test_recall.py, test_gate.py", "files": "test_files.py",
}  # fmt: skip
_ELSEWHERE = ("/hooks/",)  # a host's own page tells of them
_PURGE = "; admin with `purge`"
_PROSE = """
What a route takes and answers stands in the OpenAPI document: `/openapi.json`, to be read at `/docs` of a running server.
How to call it stands in [HTTP](../howto/http.md); the proxy, MCP and the hooks have pages of their own there.

## What holds for all

- **Who asks.** While no token exists, everybody on this machine may ask, for the tenant that `X-Thoth-Tenant` names. Once
  there is one, each request brings its own, as `Authorization: Bearer thoth_…` or `X-Thoth-Token`, and speaks for its
  tenant: another one's name is refused (403), another one's id is not there (404). `write` does not include `read`; `admin`
  includes both. `metrics` is for an operator's monitoring: no other scope includes it, and it includes none.
- **For whom.** `X-Thoth-Session`, `-Agent` and `-User` say for whom a request speaks, where its body does not.
- **Errors** are problem details (`application/problem+json`): `title`, `status`, `detail`, the name of the error in `kind`,
  and with 422 each field in `errors`. 401: no token; 403: not with this one; 404: nothing of that name for this tenant;
  409: changed by somebody else meanwhile; 413: longer than `THOTH_SERVER_BODY_MAX_BYTES`; 422: it cannot be used, and
  nothing was stored; 503 with `Retry-After`: the database is away; 504: not within `THOTH_SERVER_TIMEOUT_MS`.
- **Strict.** An unknown field or parameter is refused, in a filter above all: misspelt must not mean left out. Limits are 1
  to 500. Texts with a NUL or half a surrogate pair are mended. A filter on metadata holds no null and at most eight levels.
- **Pages.** `next_cursor` leads to the next page, with the same filters; null ends. A page of memories may be shorter than
  its limit, even empty, and still have a next one: what one request may look at is bounded.
- **Once.** `POST /v1/memories` with an `Idempotency-Key` makes one memory however often it comes within a day, with the
  same answer (200 instead of 201); the same key with another body is refused. So does `external_id` with `source`, for
  ever.
- **The database away.** `POST /v1/memories` is taken into the journal, `POST /v1/recall` answers with nothing and says why
  (`empty_reason`), everything else is 503.

## States of a memory

`pending` (waits for triage) → `passed`, `quarantined` or `rejected`; `replaced` (by a newer version), `retired` (its source
is gone), `forgotten`, `released` (its text is gone), `diary`. Lists show `pending` and `passed` unless `state` says
otherwise. `waits_for` names what is still to be done: `triage`, `index`, `embed`, `consolidate`.

## Metrics

`/metrics` is in Prometheus' text format: `thoth_http_requests_total` by method, route and status,
`thoth_http_request_seconds`, `thoth_recalls_total` by why they were empty, `thoth_recall_seconds`, `thoth_dormant`,
`thoth_database_up`, `thoth_perceive_…` (this process) and `thoth_backlog_…` (the queues, of all tenants). No label has
values without a bound: paths are templates, tenants are not named. A scrape presents a token with the scope `metrics`.

`/v1/status` tells a token of its own tenant: what waits, is held back, was given up and was spent. With `metrics` besides
`read`, and while no token exists, the numbers are of all tenants, with the checks of what they share (workers, journal,
size, endpoints, budget) and `waiting`, which is null otherwise.
"""


class _Nobody:
    """A façade that is never asked: a document is only read."""

    async def perceive(self, event: Event, *, tenant: str | None = None) -> Ack:
        raise AssertionError(event, tenant)

    async def durable(self, timeout_s: float = 30.0) -> bool:
        raise AssertionError(timeout_s)


def http_page(generated: str) -> str:
    """The page."""
    said = [
        generated, "", "# HTTP API", "", "| request | scope | does | tested in `tests/server/` |", "|---|---|---|---|",
        *_rows(_document()), *_PROSE.splitlines(),
    ]  # fmt: skip
    return "\n".join(said) + "\n"


def _document() -> dict[str, Any]:
    house = House(Settings(), cast(Substrate, _Nobody()), "postgresql:///nowhere", SystemClock())
    return create_app(house).openapi()


def _rows(document: dict[str, Any]) -> Iterator[str]:
    for path, item in document["paths"].items():
        if path.startswith(_ELSEWHERE):
            continue
        for method, operation in item.items():
            scope = operation.get("x-thoth-scope", "open")
            if any(parameter.get("name") == "purge" for parameter in operation.get("parameters", ())):
                scope += _PURGE
            yield f"| `{method.upper()} {path}` | {scope} | {operation['summary']} | {TESTS[operation['tags'][0]]} |"
