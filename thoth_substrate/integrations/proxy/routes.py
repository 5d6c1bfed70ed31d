"""The paths that are forwarded, each with the API that it belongs to."""

from __future__ import annotations

from typing import Any, cast

from fastapi import APIRouter

from thoth_substrate.house import House
from thoth_substrate.integrations.proxy.dialects import CHAT, MESSAGES, RESPONSES
from thoth_substrate.integrations.proxy.proxy import Endpoint, Proxy


def routes(house: House) -> APIRouter:
    """The proxy of a house. Not in the OpenAPI document: these are other people's APIs.

    Raises SettingsError when an upstream cannot be one, say because it is this server.
    """
    proxy = Proxy(house)
    router = APIRouter(lifespan=proxy.life)
    for path, endpoint in (
        ("/v1/chat/completions", Endpoint(proxy, proxy.openai, CHAT)),
        ("/v1/responses", Endpoint(proxy, proxy.openai, RESPONSES)),
        ("/v1/messages", Endpoint(proxy, proxy.anthropic, MESSAGES)),
        ("/v1/embeddings", Endpoint(proxy, proxy.openai)),
        ("/v1/models", Endpoint(proxy, None)),
        ("/v1/models/{rest:path}", Endpoint(proxy, None)),
        ("/v1/chat/completions/{rest:path}", Endpoint(proxy, proxy.openai)),
        ("/v1/responses/{rest:path}", Endpoint(proxy, proxy.openai)),
        ("/v1/messages/{rest:path}", Endpoint(proxy, proxy.anthropic)),
    ):
        router.add_route(path, cast(Any, endpoint), include_in_schema=False)  # an ASGI application serves as a route
    return router
