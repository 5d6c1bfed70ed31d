"""thoth substrate streams."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.views.summary import StreamCount
from thoth_substrate.views.summary import streams as read


def register(group: typer.Typer) -> None:
    group.command("streams", epilog=examples("thoth substrate streams", "thoth substrate streams --json"))(streams)


@answers(list[StreamCount])
def streams(*, tenant: Tenant = None, json: Json = False) -> None:
    """List the channels of perception: how much came in by each, and when last."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: read(db, chosen.tenant)), as_json=json, show=_show)


def _show(lines: list[StreamCount]) -> None:
    out.table(
        ["stream", ("slices", "right"), "last event", "profile", ("held back", "right"), ("released", "right"), ""],
        [
            (line.stream, line.slices, line.last_event, line.profile, line.quarantined or "", line.released or "",
             "" if line.lifecycle == "active" else line.lifecycle)
            for line in lines
        ],
    )  # fmt: skip
