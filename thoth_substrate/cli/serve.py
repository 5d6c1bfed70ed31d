"""thoth serve."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.door import loud
from thoth_substrate.cli.options import Tenant, settings


def register(app: typer.Typer) -> None:
    app.command("serve", epilog=examples("thoth serve", "THOTH_SERVER_PORT=9000 thoth serve"))(serve)


def serve(*, tenant: Tenant = None) -> None:
    """Run the HTTP server alone, in the foreground: the API, the proxy and MCP; the workers run elsewhere, in `thoth up`.

    It listens on THOTH_SERVER_HOST and THOTH_SERVER_PORT (127.0.0.1:8484), beyond this machine only once a token exists.
    It starts although the database is away, and wakes when that comes back. Ctrl-C stops it.
    """
    from thoth_substrate.server.run import run_serve  # a second that other commands need not wait

    chosen = settings(tenant)
    loud(chosen)
    run_serve(chosen, out.talk)
    out.talk("Stopped.")
