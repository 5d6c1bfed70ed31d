"""`/metrics` for Prometheus: requests, recalls, and how the façade and the queues stand. No label whose values have no bound."""

from __future__ import annotations

import time
from dataclasses import fields
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thoth_substrate.house import House
from thoth_substrate.model.projection import Projection
from thoth_substrate.views.health import Backlog

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NOWHERE = "none"  # the route of a request that has none: its path may be anything
_METHODS = frozenset("GET POST PATCH PUT DELETE HEAD OPTIONS".split())
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
_REGISTRY = CollectorRegistry()
_REQUESTS = Counter("thoth_http_requests", "Requests, by route and status", ["method", "route", "status"], registry=_REGISTRY)
_TOOK = Histogram("thoth_http_request_seconds", "Time to the whole answer", ["route"], buckets=_SECONDS, registry=_REGISTRY)
_RECALLS = Counter("thoth_recalls", "Recalls, by why they were empty; `none`: they were not", ["empty"], registry=_REGISTRY)
_RECALL_TOOK = Histogram("thoth_recall_seconds", "Time of recalls", buckets=_SECONDS, registry=_REGISTRY)


class Counted:
    """Counts requests and their time, around everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, begun = 500, time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", NOWHERE)
            method = scope["method"] if scope["method"] in _METHODS else "other"
            _REQUESTS.labels(method, route, str(status)).inc()
            _TOOK.labels(route).observe(time.perf_counter() - begun)


def recalled(found: Projection) -> None:
    """Count a recall."""
    _RECALLS.labels(found.empty_reason or "none").inc()
    _RECALL_TOOK.observe(found.took_ms / 1000)


def exposition(house: House, backlog: Backlog | None) -> bytes:
    """Everything, in Prometheus' text format. `backlog` None: the database does not answer."""
    now = CollectorRegistry()
    health = house.substrate.health()
    _gauge(now, "thoth_dormant", "1 while the façade cannot reach its database", int(health["dormant"]))
    _gauge(now, "thoth_database_up", "1 when the database answered just now", int(backlog is not None))
    _gauge(now, "thoth_unlogged_recalls", "Recalls that could not be logged since the start", health["unlogged"])
    for name, value in health["perceive"].items():
        if isinstance(value, int):
            _gauge(now, f"thoth_perceive_{name}", f"Perceiving: {name.replace('_', ' ')}", int(value))
    if backlog is not None:
        for field in fields(backlog):
            value = getattr(backlog, field.name)
            if isinstance(value, int):
                _gauge(now, f"thoth_backlog_{field.name}", f"Waiting in the database: {field.name.replace('_', ' ')}", value)
    return bytes(generate_latest(_REGISTRY)) + bytes(generate_latest(now))


def _gauge(registry: CollectorRegistry, name: str, says: str, value: Any) -> None:
    Gauge(name, says, registry=registry).set(value)
