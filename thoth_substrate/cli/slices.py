"""thoth substrate slices."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.resolve import short
from thoth_substrate.views.slices import SliceLine, since
from thoth_substrate.views.slices import slices as read


def register(group: typer.Typer) -> None:
    group.command(
        "slices",
        epilog=examples(
            "thoth substrate slices --limit 50",
            "thoth substrate slices --since 2h --stream thoth.world.user_message.cli",
            "thoth substrate slices --session 2026-05-15-a --json",
        ),
    )(slices)


@answers(list[SliceLine])
def slices(
    *,
    stream: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this stream.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only of this conversation, by when things happened.")] = None,
    since_: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Only perceived since: 30min, 2h, 7d, or a date.")
    ] = None,
    limit: Limit = 20,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """List what was perceived, the newest first, with the state each slice is in."""
    chosen = settings(tenant)
    start = since(since_, SystemClock().now()) if since_ is not None else None
    lines = ask(chosen, lambda db: read(db, chosen.tenant, stream=stream, session=session, since=start, limit_rows=limit))
    out.emit(lines, as_json=json, show=_show)


def state(triage: str, consolidation: str, *, forgotten: bool, pinned: bool) -> str:
    """The states of a slice in as few words as tell them."""
    words = [triage if triage != "passed" else "", consolidation if consolidation in ("consolidated", "released") else ""]
    words += ["forgotten" if forgotten else "", "pinned" if pinned else ""]
    return " ".join(word for word in words if word)


def _show(lines: list[SliceLine]) -> None:
    out.table(
        ["id", "when", "stream", "who", ("salience", "right"), "state", ("text", "rest")],
        [
            (short(line.slice_id), line.event_time, line.stream.rsplit(".", 1)[-1], line.actor, line.salience,
             state(line.triage_state, line.consolidation_state, forgotten=line.forgotten, pinned=line.pinned), line.excerpt)
            for line in lines
        ],
    )  # fmt: skip
