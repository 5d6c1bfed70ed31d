"""The gate before every route: where a request may come from, how long its body and its answer may take, and who asks.

Plain ASGI, so that a streamed answer passes through chunk by chunk.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thoth_substrate.access.tokens import PREFIX
from thoth_substrate.errors import DatabaseError, NotPermitted, TokenNeeded
from thoth_substrate.server.doorkeeper import Doorkeeper
from thoth_substrate.server.problems import of_error, problem
from thoth_substrate.server.routes import docs
from thoth_substrate.settings import Settings

PUBLIC = ("/healthz", "/readyz", docs.PATH, *docs.ASSETS, "/openapi.json", "/favicon.ico")


class Gate:
    """Lets requests in. `forwarding`: beginnings of paths that never fail for want of a caller, and have no time limit."""

    def __init__(self, app: ASGIApp, settings: Settings, doorkeeper: Doorkeeper, forwarding: Iterable[str]) -> None:
        self._app, self._doorkeeper = app, doorkeeper
        self._forwarding = tuple(forwarding)
        self._most_bytes = settings.server_body_max_bytes
        self._limit_s = settings.server_timeout_ms / 1000
        self._own_host = settings.server_host.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]
        refused = self._refused(headers) or await self._known(scope, headers, path)
        if refused is not None:
            await refused(scope, receive, send)
            return
        await self._let_in(scope, receive, send, limit_s=None if self._forwards(path) else self._limit_s)

    def _refused(self, headers: Headers) -> Response | None:
        """A page of somebody else in this machine's browser is not the person who sits before it."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if is_loopback(self._own_host) and not self._names_us(host):
            return of_error(NotPermitted(f"The server listens on this machine only, and was called {host!r}: use 127.0.0.1."))
        if origin is not None and urlsplit(origin).netloc != host:
            return of_error(NotPermitted("Pages of other origins may not call this server: call it from a program instead."))
        if int(headers.get("content-length") or 0) > self._most_bytes:
            return self._too_long()
        return None

    async def _known(self, scope: Scope, headers: Headers, path: str) -> Response | None:
        """Find out who asks and note it for the routes; a problem where somebody must be known and is not."""
        scope.setdefault("state", {})["caller"] = None
        if path in PUBLIC:
            return None
        try:
            scope["state"]["caller"] = await self._doorkeeper.caller(_presented(headers))
        except DatabaseError as error:
            return None if self._forwards(path) else of_error(error)
        if scope["state"]["caller"] is None and not self._forwards(path):
            return of_error(TokenNeeded())
        return None

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, limit_s: float | None) -> None:
        passage = _Passage(receive, send, self._most_bytes)
        try:
            async with asyncio.timeout(limit_s):
                await self._app(scope, passage.receive, passage.send)
        except TooLong:
            pass  # the answer follows
        except TimeoutError:
            if passage.begun:
                raise
            late = problem(504, "It took too long", f"No answer was ready within {limit_s} s; what was stored stays stored.")
            await late(scope, receive, send)
        if passage.too_long and not passage.begun:
            await self._too_long()(scope, receive, send)

    def _forwards(self, path: str) -> bool:
        return path.startswith(self._forwarding)

    def _too_long(self) -> Response:
        return problem(
            413, "The body is too long", f"A body has at most {self._most_bytes} bytes; nothing was stored. Send less."
        )

    def _names_us(self, host: str) -> bool:
        name = (urlsplit(f"//{host}").hostname or "").lower()
        return name == self._own_host or is_loopback(name)


class TooLong(Exception):
    """A body went on beyond what is taken."""


class _Passage:
    """A request on its way: counts what its body brings, and knows whether the answer has begun."""

    def __init__(self, receive: Receive, send: Send, most_bytes: int) -> None:
        self._receive, self._send, self._left = receive, send, most_bytes
        self.begun = self.too_long = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_long = True
            raise TooLong
        return message

    async def send(self, message: Message) -> None:
        if self.too_long and not self.begun:
            return  # whatever the route makes of it, the body was too long
        self.begun = True
        await self._send(message)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by a name that nobody else can give it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _presented(headers: Headers) -> str | None:
    """The token of a request. A bearer that is not ours is an upstream's key, and nothing to us."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    own = headers.get("x-thoth-token") or (bearer.strip() if scheme.lower() == "bearer" else "")
    if not own:
        own = headers.get("x-api-key", "")
    if headers.get("x-thoth-token") or own.startswith(PREFIX):
        return own
    return None
