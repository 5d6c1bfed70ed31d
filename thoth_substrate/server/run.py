"""The server: its socket, its life. Runs on the running loop until told to stop, alone or beside the workers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import uvicorn

from thoth_substrate import boot
from thoth_substrate.access import tokens
from thoth_substrate.db.embedded import EmbeddedServer
from thoth_substrate.errors import ServerError, ThothError
from thoth_substrate.house import House
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.server.app import create_app
from thoth_substrate.server.gate import is_loopback
from thoth_substrate.settings import Settings

GRACE_S = 5  # for answers under way when the server stops
Say = Callable[[str], None]


class _Server(uvicorn.Server):
    """uvicorn, without its signal handlers: whoever runs it has its own. Says when it is there to be called."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(house: House, stop: asyncio.Event, say: Say) -> None:
    """Serve a house until `stop`. Raises ServerError when the address cannot be had, or may not without a token."""
    listening = await listen(house)
    there = f"HTTP on {address(listening)}: the API (see /docs), the proxy under /v1, MCP under /mcp."
    await serve_on(house, listening, stop, lambda: say(there))


async def serve_on(house: House, listening: socket.socket, stop: asyncio.Event, ready: Callable[[], None] = lambda: None) -> None:
    """Serve a house on a socket that listens, until `stop`; `ready` is called once it can be called."""
    config = uvicorn.Config(
        create_app(house), log_config=None, access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=GRACE_S
    )
    server = _Server(config, ready)
    serving = asyncio.ensure_future(server.serve(sockets=[listening]))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    await serving
    stopping.cancel()
    if not stop.is_set():
        raise ServerError("The HTTP server ended by itself; its log says why. Start it again.")


async def listen(house: House) -> socket.socket:
    """The socket of the settings' address. Raises ServerError when it is taken, is nobody's here, or needs a token first."""
    host, port = house.settings.server_host, house.settings.server_port
    if not is_loopback(host) and not await _any_token(house):
        raise ServerError(
            f"THOTH_SERVER_HOST={host} is reached from other machines, and no token exists, so anybody could read every memory:"
            " make one with `thoth token create --scope read --scope write`, or listen on 127.0.0.1."
        )
    try:
        family, *_, where = (await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM))[0]
        listening = socket.create_server((where[0], where[1]), family=family, backlog=2048)
    except OSError as error:
        raise ServerError(
            f"The HTTP server cannot listen on {host}:{port} ({error.strerror or error}): something else does, perhaps another"
            " `thoth up`. Stop it, or set THOTH_SERVER_PORT."
        ) from error
    listening.setblocking(False)
    # Connections inherit it. asyncio sets it only on sockets that name their protocol; without, the second packet of an answer
    # waits for the client's acknowledgement, some 40 ms [measured].
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address(listening: socket.socket) -> str:
    """The URL of a socket that listens."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def surface(hosting: boot.Hosting, stop: asyncio.Event, say: Say) -> None:
    """The server beside the workers of `thoth up`, on their loop."""
    house = House(hosting.settings, hosting.substrate, hosting.dsn, hosting.clock)
    try:
        await serve(house, stop, say)
    finally:
        await house.close()


def run_serve(settings: Settings, say: Say) -> None:
    """The HTTP server alone, in the foreground, until SIGINT or SIGTERM. A database that is away stops nobody: it is dormant.

    Raises ThothError when it cannot start.
    """
    asyncio.run(_alone(settings, say))


async def _alone(settings: Settings, say: Say) -> None:
    stop = boot.stop_on_signals()
    async with contextlib.AsyncExitStack() as open_things:
        dsn = settings.dsn
        if dsn is None:
            embedded = await asyncio.to_thread(open_things.enter_context, EmbeddedServer(settings.home_dir))
            dsn = embedded.dsn
        substrate = await asyncio.to_thread(boot.open_substrate, settings, dsn)
        open_things.push_async_callback(substrate.close)
        house = House(settings, substrate, dsn, SystemClock())
        open_things.push_async_callback(house.close)
        await serve(house, stop, say)
        say("Stopping: finishing answers, flushing what was perceived …")


async def _any_token(house: House) -> bool:
    try:
        return await tokens.any_live(await house.database())
    except ThothError as error:
        raise ServerError(f"Whether a token exists cannot be found out now, so the server stays closed: {error}") from error
