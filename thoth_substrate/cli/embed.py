"""thoth substrate embed: status, reembed, retry."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.embed.choose import explain
from thoth_substrate.views.embedding import EmbedStatus
from thoth_substrate.views.embedding import status as read
from thoth_substrate.views.words import many

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Status:
    """Embedding at a glance, and who would make vectors in this process."""

    embedder: str
    status: EmbedStatus


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="embed")


@group.callback(epilog=examples("thoth substrate embed", "thoth substrate embed retry"))
@answers(Status)
def embed(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Look after the vectors: who makes them, what waits, what failed; make them anew with another model; try again."""
    if context.invoked_subcommand is None:
        status(tenant=tenant, json=json)


@group.command(epilog=examples("thoth substrate embed status", "thoth substrate embed status --json"))
@answers(Status)
def status(*, tenant: Tenant = None, json: Json = False) -> None:
    """Show who makes the vectors, how many there are of each model, what waits, and what failed and why."""
    chosen = settings(tenant)
    found = ask(chosen, lambda db: read(db, chosen.tenant))
    out.emit(Status(explain(chosen), found), as_json=json, show=_show)


def _show(answer: Status) -> None:
    found, queue = answer.status, answer.status.queue
    share = f"it has made vectors of {found.embedded:,} of {many(found.passages, 'passage')}"
    out.pairs(
        [
            ("provider", answer.embedder),
            ("model in use", f"{found.active}; {share}" if found.active else "none yet"),
            (
                "waiting",
                f"{many(queue.waiting, 'passage')}" + (f", {queue.failing:,} of them failed before" if queue.failing else ""),
            ),
            ("given up", f"{many(queue.given_up, 'passage')}" + ("; thoth substrate embed retry" if queue.given_up else "")),
        ]
    )
    if len(found.models) > 1:
        out.table(
            ["model", ("dimensions", "right"), ("passages", "right"), ("vectors", "right"), ""],
            [(one.model, one.dimensions, one.passages, one.vectors, "in use" if one.active else "") for one in found.models],
        )
    if found.failures:
        out.table(
            [("passages", "right"), ("given up", "right"), "what the last attempt said"],
            [(one.passages, one.given_up, one.failure) for one in found.failures],
        )
