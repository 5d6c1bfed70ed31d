"""thoth substrate audit verify."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.views.audit import AuditVerdict
from thoth_substrate.views.audit import verify as walk

group = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="The diary: what the workers decided, in a chain of hashes."
)


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="audit")


@group.callback()
def audit() -> None:
    """The diary: what the workers decided, in a chain of hashes."""


@group.command(epilog=examples("thoth substrate audit verify && echo whole"))
@answers(AuditVerdict)
def verify(*, tenant: Tenant = None, json: Json = False) -> None:
    """Walk the diary's chain and say whether an entry is missing, edited or inserted. Exit 1 when one is."""
    chosen = settings(tenant)
    verdict = ask(chosen, lambda db: walk(db, chosen.tenant))
    out.emit(verdict, as_json=json, show=lambda answer: out.say(answer.sentence))
    if not verdict.well:
        raise typer.Exit(1)
