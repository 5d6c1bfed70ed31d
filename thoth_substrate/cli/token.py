"""thoth token: create, list, revoke."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from thoth_substrate.access import tokens
from thoth_substrate.access.tokens import NewToken, Token
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.views.slices import since

group = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Who may ask over HTTP: make a token, list them, revoke one."
)


@dataclass(frozen=True, slots=True)
class Revoked:
    """The token, and whether it was taken back now (or before)."""

    token_id: UUID
    now: bool


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="token")


@group.command(
    "create",
    epilog=examples(
        "thoth token create --scope read --scope write --expires 90d",
        "thoth token create --tenant acme --scope read --name dashboard --json",
        "thoth token create --scope metrics --name prometheus",
    ),
)
@answers(NewToken)
def create(
    *,
    scope: Annotated[
        list[str],
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="read, write, admin (all of it for its tenant) or metrics (numbers of all tenants); repeat it.",
        ),
    ],
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="WHEN", help="After so long (90d, 12h), or on a date.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Whose it is, in your words.")] = "",
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Make a token for one tenant. It is printed once, on stdout, and only its hash is kept."""
    chosen = settings(tenant)

    async def work(db: Database) -> NewToken:
        until = _instant(expires, db.clock.now()) if expires else None
        return await tokens.create(db, chosen.tenant, scope, name, until)

    out.emit(ask(chosen, work), as_json=json, show=_show_new)


@group.command("list", epilog=examples("thoth token list", "thoth token list --tenant acme --json"))
@answers(list[Token])
def list_(*, tenant: Tenant = None, json: Json = False) -> None:
    """List a tenant's tokens, the newest first, with what they allow and when they were last used."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: tokens.of_tenant(db, chosen.tenant)), as_json=json, show=_show)


@group.command("revoke", epilog=examples("thoth token revoke 5b0f6c1e-4c5d-4e11-9d2a-7f1b36d50b24"))
@answers(Revoked)
def revoke(
    token_id: Annotated[UUID, typer.Argument(metavar="ID", help="The token's id, as `thoth token list` shows it.")],
    *,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Take a token back. Servers that run refuse it within five seconds."""
    chosen = settings(tenant)

    async def work(db: Database) -> Revoked:
        return Revoked(token_id, await tokens.revoke(db, chosen.tenant, token_id))

    words = {True: "is revoked; servers refuse it within five seconds.", False: "was revoked before."}
    out.emit(ask(chosen, work), as_json=json, show=lambda done: out.say(f"{done.token_id} {words[done.now]}"))


def _instant(words: str, now: datetime) -> datetime:
    """When that is: a date (without an offset: UTC), or a span from now on. Raises BadInput."""
    try:
        given = datetime.fromisoformat(words)
    except ValueError:
        return now + (now - since(words, now))
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def _show_new(made: NewToken) -> None:
    until = f", until {made.expires_at:%Y-%m-%d %H:%M} UTC" if made.expires_at else ""
    out.talk(f"A token for tenant {made.tenant_id} ({', '.join(made.scopes)}{until}). It is shown this once:")
    out.say(made.token)
    out.talk("From now on every request to the HTTP server needs one. Clients and hooks read it from THOTH_TOKEN.")


def _show(found: list[Token]) -> None:
    if not found:
        out.talk("No tokens: on this machine nobody needs one, and from elsewhere nobody is let in.")
        return
    rows = [
        (str(one.token_id), one.name, ", ".join(one.scopes) or "nothing", one.created_at, _until(one), out.when(one.last_used_at))
        for one in found
    ]
    out.table(("token", "name", "allows", "made", "until", "last used"), rows)


def _until(one: Token) -> str:
    return f"revoked {out.when(one.revoked_at)}" if one.revoked_at else out.when(one.expires_at) if one.expires_at else "-"
