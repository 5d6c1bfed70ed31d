"""thoth mcp."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.door import loud, quiet
from thoth_substrate.cli.options import Tenant, settings


def register(app: typer.Typer) -> None:
    app.command("mcp", epilog=examples("thoth mcp", "thoth mcp --http", "thoth install claude-desktop"))(mcp)


def mcp(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Over streamable HTTP, at /mcp of the HTTP server, not over stdin and stdout.")
    ] = False,
    tenant: Tenant = None,
) -> None:
    """Serve the memory as MCP tools to the host that starts this, over stdin and stdout, until it closes them.

    `thoth up` and `thoth serve` have the same tools at /mcp. A database that is away delays nothing: the tools say so.
    """
    chosen = settings(tenant)
    if http:
        from thoth_substrate.server.run import run_serve  # a second that other commands need not wait

        loud(chosen)
        run_serve(chosen, out.talk)
        return
    from thoth_substrate.integrations.mcp.stdio import serve

    quiet()
    asyncio.run(serve(chosen))
