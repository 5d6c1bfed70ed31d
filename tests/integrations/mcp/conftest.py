"""The official client, connected over either transport: to a process of its own, or to the HTTP server."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.integrations.settling import settle
from tests.server.serving import Served, serving

PROGRAM = Path(sys.executable).with_name("thoth")
PATIENCE_S = 60.0
Settle = Callable[[], Awaitable[None]]
Connect = Callable[[], AbstractAsyncContextManager[tuple[Client, Settle]]]


def by_stdio(dsn: str, home: Path, **variables: str) -> Client:
    """A client of `thoth mcp`, started as a host starts it."""
    environment = {"DATABASE_URL": dsn, "THOTH_HOME": str(home), "THOTH_EMBED_PROVIDER": "none", **variables}
    return Client(StdioServerParameters(command=str(PROGRAM), args=["mcp"], env=environment), read_timeout_seconds=PATIENCE_S)


@asynccontextmanager
async def by_http(served: Served, **headers: str) -> AsyncIterator[Client]:
    """A client of the server's /mcp."""
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S, trust_env=False) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        async with Client(transport, read_timeout_seconds=PATIENCE_S) as client:
            yield client


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, dsn: str, tmp_path: Path) -> Connect:
    """Connects over one of the transports, to the test's database; with what makes searchable what was kept meanwhile.

    Over HTTP the workers do that, for whom the test stands in; a process of a host's own does it itself.
    """

    @asynccontextmanager
    async def connected() -> AsyncIterator[tuple[Client, Settle]]:
        if request.param == "stdio":
            async with by_stdio(dsn, tmp_path / "home") as client:
                yield client, _nothing
        else:
            with serving(dsn, tmp_path / "home") as served:
                async with by_http(served) as client:
                    yield client, lambda: settle(served.substrate, served.settings)

    return connected


async def _nothing() -> None:
    """There is nothing to do."""
