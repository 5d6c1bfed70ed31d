"""One request: forwarded as it came, with memory in its current turn where there is any; perceived beside.

The upstream's answer goes to the client chunk by chunk as it arrives, undecoded, and is read only afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any

import httpx2
from starlette.datastructures import Headers as Named
from starlette.types import Receive, Scope, Send

from thoth_substrate.access.caller import Caller, scope_of
from thoth_substrate.errors import AccessError, BadInput, NotPermitted, TokenNeeded
from thoth_substrate.house import House
from thoth_substrate.integrations.proxy import upstream
from thoth_substrate.integrations.proxy.dialects import Dialect
from thoth_substrate.integrations.proxy.memory import Answer, Asked, Injected, Memory
from thoth_substrate.integrations.proxy.upstream import Headers, Upstream

log = logging.getLogger("thoth.proxy")
ENDING_S = 5.0
_UNKNOWN = (
    "Nobody is known to ask and no key for the upstream came with the request: send the upstream's key as the client always"
    " does, or a token of this server (`thoth token create`) to use the operator's."
)


class Proxy:
    """What all paths share: the upstreams, the connections to them, the memory, and what goes on beside the answers."""

    def __init__(self, house: House) -> None:
        self.openai, self.anthropic = upstream.openai(house.settings), upstream.anthropic(house.settings)
        self.client = upstream.client(house.settings)
        self.memory = Memory(house)
        self._beside: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def life(self, _app: Any) -> AsyncIterator[None]:
        """The server's life: at its end what was said is still perceived, and connections are closed."""
        yield
        if self._beside:
            await asyncio.wait(self._beside, timeout=ENDING_S)
        await self.client.aclose()

    def later(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do something beside what is answered."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return task


@dataclass(frozen=True)
class Endpoint:
    """A path, as an ASGI application. `upstream` None: whose models are asked for is told by the headers."""

    proxy: Proxy
    upstream: Upstream | None
    dialect: Dialect | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return
        named = Named(scope=scope)
        there = self.upstream or (self.proxy.anthropic if "anthropic-version" in named else self.proxy.openai)
        try:
            passage = self._passage(scope, named, there, body)
        except (AccessError, BadInput) as refused:
            status = 403 if isinstance(refused, NotPermitted) else 401 if isinstance(refused, AccessError) else 422
            await _say(send, there, status, str(refused))
            return
        await _unless_gone(receive, passage.pass_on(send))

    def _passage(self, scope: Scope, named: Named, there: Upstream, body: bytes) -> Passage:
        """The request, ready to go. Raises NotPermitted or BadInput for whom it may not speak, AccessError without any key."""
        caller: Caller | None = scope.get("state", {}).get("caller")
        whom = scope_of(named, caller) if caller else None
        asked = None
        given = scope["headers"]
        if caller and whom and self.dialect and scope["method"] == "POST":
            asked = Asked(self.dialect, caller, whom, named, body, "")
        headers = upstream.forwarded(given, readable=asked is not None)
        # A token that allows nothing, or the numbers alone, allows no spending either.
        lends = caller is not None and bool(caller.scopes - {"metrics"})
        if not lends and not upstream.credential(headers):
            raise TokenNeeded(_UNKNOWN)
        if asked and caller:
            asked.asker = str(caller.token_id) if caller.token_id else upstream.credential(headers).decode("latin-1")
        if lends:
            headers = upstream.lent(there, headers)
        url = there.url(scope["raw_path"], scope["query_string"])
        return Passage(self.proxy, there, scope["method"], url, headers, body, asked)


@dataclass(frozen=True)
class Passage:
    """One request on its way there, and its answer on its way back."""

    proxy: Proxy
    there: Upstream
    method: str
    url: httpx2.URL
    headers: Headers
    body: bytes
    asked: Asked | None

    async def pass_on(self, send: Send) -> None:
        """Forward, and send the answer on. Cancelled when the client goes away, and with it the upstream's work."""
        if self.asked is None:
            await self._forward(self.body, [], send, Answer())
            return
        injected = await self.proxy.memory.block(self.asked)
        body, told = (injected.body, _told(injected)) if injected else (self.body, [])
        if not self.asked.is_heard:
            await self._forward(body, told, send, Answer())
            return
        heard = self.proxy.later(self.proxy.memory.hear_request(self.asked))
        answer = Answer(wanted=True)
        try:
            await self._forward(body, told, send, answer)
        finally:
            self.proxy.later(self._hear(self.asked, answer, heard))

    async def _forward(self, body: bytes, told: Headers, send: Send, answer: Answer) -> None:
        request = httpx2.Request(self.method, self.url, headers=self.headers, content=body or None)
        try:
            response = await self.proxy.client.send(request, stream=True)
        except httpx2.TransportError as error:
            log.warning("The upstream %s did not answer: %r", self.there.name, error)
            await _say(send, self.there, *self.there.away(error))
            return
        try:
            await self._return(response, told, send, answer)
        finally:
            await response.aclose()

    async def _return(self, response: httpx2.Response, told: Headers, send: Send, answer: Answer) -> None:
        answer.good = response.is_success
        answer.coding, answer.kind = (response.headers.get(name, "") for name in ("content-encoding", "content-type"))
        headers = [*upstream.returned(response.headers.raw), *told]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        try:
            async for chunk in response.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                answer.add(chunk)
        except httpx2.TransportError as error:
            # The connection is closed in the middle of the answer, as the upstream did: the client sees what happened.
            log.warning("The upstream %s broke off its answer: %r", self.there.name, error)
            return
        answer.whole = True
        await send({"type": "http.response.body", "body": b""})

    async def _hear(self, asked: Asked, answer: Answer, heard: asyncio.Task[None]) -> None:
        await heard
        await self.proxy.memory.hear_answer(asked, answer)


async def _unless_gone(receive: Receive, work: Coroutine[Any, Any, None]) -> None:
    """Do the work unless the client goes away before it is done."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended = working.done()
        leaving.cancel()
        if not ended:
            working.cancel()
            await asyncio.wait({working})
    if ended:
        working.result()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Receive) -> bytes | None:
    """The whole body, or None when the client went away before its end."""
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks)


async def _say(send: Send, there: Upstream, status: int, sentence: str) -> None:
    """An answer of ours, in the shape of the API that was called."""
    body = there.error(status, sentence)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _told(injected: Injected) -> Headers:
    """What the client is told of what was put in."""
    return [
        (b"x-thoth-recall-id", str(injected.recall_id).encode()),
        (b"x-thoth-memories", str(injected.lines).encode()),
    ]
