"""The MCP server within the HTTP server: streamable HTTP at /mcp, each request by itself.

No session is kept, so that the server may be restarted in the middle of a conversation. Who asks is found out by the gate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from thoth_substrate.house import House
from thoth_substrate.integrations.mcp.server import make_server
from thoth_substrate.integrations.mcp.visit import Door

PATH = "/mcp"


def routes(house: House) -> APIRouter:
    """The endpoint. It lives as long as the application that includes it."""

    async def opened() -> House:
        return house

    door = Door(opened)
    endpoint = _Endpoint(door, house.settings.server_body_max_bytes)

    @asynccontextmanager
    async def life(_app: Any) -> AsyncIterator[None]:
        async with endpoint.running():
            yield
        await door.close()

    router = APIRouter(lifespan=life)
    router.routes.append(Route(PATH, endpoint, methods=["POST"], include_in_schema=False))
    return router


class _Endpoint:
    """Hands requests to the SDK. The gate has looked at their host and origin, and the SDK takes them without a session."""

    def __init__(self, door: Door, most_bytes: int) -> None:
        self._door, self._most_bytes = door, most_bytes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Be ready for requests: a manager lives once, an application may live several times."""
        server = make_server(self._door)
        server.streamable_http_app(
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=self._most_bytes,
        )
        self._manager = server.session_manager
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._manager is not None, "requests come while the application lives"
        await self._manager.handle_request(scope, receive, send)
