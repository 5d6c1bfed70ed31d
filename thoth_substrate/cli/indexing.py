"""thoth substrate indexer run."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.slices import since
from thoth_substrate.views.words import ago
from thoth_workers.indexing import Ran, index_now

UNWELL = 1


def register(group: typer.Typer) -> None:
    epilog = examples("thoth substrate indexer run", "thoth substrate indexer run --since 24h")
    group.command("run", epilog=epilog)(run)


@answers(Ran)
def run(
    *,
    since_: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Once more what came since: 24h, 7d, or a date.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Let the Indexer read now what is fresh, whatever its hour. Exit code 1 when a model's replies were of no use."""
    chosen = settings(tenant)
    start = since(since_, SystemClock().now()) if since_ is not None else None
    ran = ask(chosen, lambda db: index_now(db, chosen, start))
    out.emit(ran, as_json=json, show=_show)
    if ran.failed:
        raise typer.Exit(UNWELL)


def _show(ran: Ran) -> None:
    if ran.did:
        out.say(", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in ran.did.items()) + ".")
    elif not ran.failed:
        out.talk("Nothing was fresh.")
    if ran.failed:
        out.talk(f"It failed, and what was fresh is read again: {ran.failed}")
    if ran.again_at is not None:
        out.talk(f"By itself it reads again {ago(ran.again_at, SystemClock().now())}.")
