"""Options that many commands share. Given to a group, they hold for its commands too."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from thoth_substrate.settings import Settings, load
from thoth_substrate.views.slices import MOST_ROWS


def _inherited(name: str) -> Any:
    """A callback by which a value given further up (`thoth --tenant a substrate streams`) reaches the command."""

    def remember(context: typer.Context, value: Any) -> Any:
        if value:
            context.meta[f"thoth.{name}"] = value
        return context.meta.get(f"thoth.{name}", value)

    return remember


Tenant = Annotated[
    str | None,
    typer.Option(
        "--tenant", metavar="NAME", help="Whose memory (else THOTH_TENANT, else default).", callback=_inherited("tenant")
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.", callback=_inherited("json"))]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST_ROWS, help="At most so many rows.")]
SliceWord = Annotated[
    str, typer.Argument(metavar="ID", help="A slice's id, the beginning of one, or the digits of a line that was shown.")
]


def settings(tenant: str | None = None, **given: Any) -> Settings:
    """The settings of this call. Raises SettingsError."""
    return load(**({"THOTH_TENANT": tenant} if tenant else {}), **given)
