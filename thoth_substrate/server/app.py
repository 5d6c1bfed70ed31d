"""The application: every route under one gate. A new noun is one line here."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware

from thoth_substrate.house import House
from thoth_substrate.integrations.claude_code import endpoint as claude_code
from thoth_substrate.integrations.mcp import http as mcp
from thoth_substrate.integrations.proxy import routes as proxy
from thoth_substrate.server import openapi, problems
from thoth_substrate.server.doorkeeper import Doorkeeper
from thoth_substrate.server.gate import Gate, is_loopback
from thoth_substrate.server.metrics import Counted
from thoth_substrate.server.routes import (
    awareness,
    consolidate,
    docs,
    files,
    health,
    layers,
    memories,
    query,
    recall,
    slices,
    status,
)

# Each gives its router for a house. The order is that of /docs.
ROUTES: tuple[Callable[[House], APIRouter], ...] = (
    proxy.routes,  # first: each turn of an agent waits for its match
    files.routes,  # before the memories, which have the same short name for what is not multipart
    memories.routes,
    recall.routes,
    query.routes,
    consolidate.routes,
    awareness.routes,
    slices.routes,
    layers.routes,
    status.routes,
    health.routes,
    docs.routes,
    claude_code.routes,
    mcp.routes,
)  # fmt: skip
# What belongs to an upstream or to a host's hooks: never refused for want of a caller, and without a time limit of ours.
FORWARDING = (
    "/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/models", "/v1/messages", "/hooks/",
)  # fmt: skip


def create_app(house: House) -> FastAPI:
    """The HTTP application of a house. Its routes run on the loop that serves it; the house stays its maker's to close."""
    settings = house.settings
    doorkeeper = Doorkeeper(house, loopback=is_loopback(settings.server_host))
    app = FastAPI(
        title="Thoth",
        summary="The memory beneath an agent's conversation",
        version=importlib.metadata.version("thoth-substrate"),
        docs_url=None,  # the framework's page fetches scripts from elsewhere; ours is a route
        redoc_url=None,
        middleware=[Middleware(Counted), Middleware(Gate, settings=settings, doorkeeper=doorkeeper, forwarding=FORWARDING)],
    )
    problems.install(app)
    routers = [routes(house) for routes in ROUTES]
    openapi.document(app, routers)
    for router in routers:
        app.include_router(router)
    return app
