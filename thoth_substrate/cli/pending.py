"""thoth substrate pending."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.views.pending import PendingLine
from thoth_substrate.views.pending import pending as read
from thoth_substrate.views.resolve import short
from thoth_substrate.views.words import span


def register(group: typer.Typer) -> None:
    group.command("pending", epilog=examples("thoth substrate pending", "thoth substrate pending --limit 100 --json"))(pending)


@answers(list[PendingLine])
def pending(*, limit: Limit = 20, tenant: Tenant = None, json: Json = False) -> None:
    """List what waits for triage, the oldest first. Empty within a second when a Sentinel runs."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: read(db, chosen.tenant, limit_rows=limit)), as_json=json, show=_show)


def _show(lines: list[PendingLine]) -> None:
    if not lines:
        out.talk("Nothing waits for triage.")
        return
    out.table(
        ["id", "stream", "who", ("waits", "right"), ("may wait", "right"), ("text", "rest")],
        [(short(line.slice_id), line.stream, line.actor, span(line.waited), span(line.ttl), line.excerpt) for line in lines],
    )
