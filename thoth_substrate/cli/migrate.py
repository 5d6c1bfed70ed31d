"""thoth substrate migrate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from thoth_substrate import boot
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import quiet
from thoth_substrate.cli.options import Json, settings
from thoth_substrate.db import migrate as migrations
from thoth_substrate.errors import BadInput


@dataclass(frozen=True, slots=True)
class Schema:
    """Where the schema stands: its revision (null when empty), the one this version needs, all it knows, the server's version."""

    before: str | None
    revision: str | None
    needed: str
    revisions: list[str]
    server_version: str

    @property
    def current(self) -> bool:
        return self.revision == self.needed


def register(group: typer.Typer) -> None:
    group.command(
        "migrate",
        epilog=examples(
            "thoth substrate migrate",
            "thoth substrate migrate --check   (exit 1 unless up to date)",
            "thoth substrate migrate --to 0001",
        ),
    )(migrate)


@answers(Schema)
def migrate(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 unless the schema is up to date.")] = False,
    to: Annotated[
        str | None,
        typer.Option(metavar="REVISION", help="Another revision than the newest; an older one downgrades; base empties."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a downgrade, which may drop what was perceived.")] = False,
    json: Json = False,
) -> None:
    """Bring the database's schema up to date, or say how far it is from it."""
    if check and to:
        raise BadInput("--check changes nothing and --to does: give one of them.")
    quiet()
    with boot.find_server(settings()) as server:
        schema = _standing(server.dsn) if check else _moved(server.dsn, to, sure=yes)
    out.emit(schema, as_json=json, show=lambda answer: _show(answer, check=check))
    if check and not schema.current:
        raise typer.Exit(1)


def _standing(dsn: str) -> Schema:
    found = migrations.state(dsn)
    return Schema(found.current, found.current, found.needed, migrations.revisions(), found.server_version)


def _moved(dsn: str, to: str | None, *, sure: bool) -> Schema:
    found = _standing(dsn)
    if to is not None and not sure and _loses(found, to):
        warning = f"Going from {found.revision} back to {to} drops tables and what is in them"
        if not sys.stdin.isatty():
            raise BadInput(f"{warning}: add --yes if that is meant; nothing was changed.")
        typer.confirm(f"{warning}. Go on?", abort=True, err=True)
    before, after = migrations.migrate(dsn, to or "head")
    return Schema(before, after, found.needed, found.revisions, found.server_version)


def _loses(found: Schema, to: str) -> bool:
    order = ["base", *found.revisions]
    return found.revision in order and to in order and order.index(to) < order.index(found.revision)


def _show(answer: Schema, *, check: bool) -> None:
    if answer.current and (check or answer.before == answer.revision):
        out.say(f"The schema is up to date (revision {answer.revision}, PostgreSQL {answer.server_version}).")
    elif check:
        out.say(
            f"The schema is at {answer.revision or 'no revision'} and this Thoth needs {answer.needed}: thoth substrate migrate"
        )
        out.say(f"Known revisions: {', '.join(answer.revisions)}.")
    else:
        out.say(f"The schema went from {answer.before or 'no revision'} to {answer.revision or 'no revision'}.")
