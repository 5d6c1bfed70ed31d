"""thoth substrate quarantine: list, release, reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, SliceWord, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.triage import quarantine
from thoth_substrate.triage.quarantine import Kept
from thoth_substrate.views import resolve
from thoth_substrate.views.resolve import short

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="What triage held back: list it, release it, reject it.")


@dataclass(frozen=True, slots=True)
class Decided:
    """The slice and the state it is in now: passed or rejected."""

    slice_id: UUID
    state: str


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="quarantine")


@group.command("list", epilog=examples("thoth substrate quarantine list", "thoth substrate quarantine list --rejected --json"))
@answers(list[Kept])
def list_(
    *,
    rejected: Annotated[bool, typer.Option("--rejected", help="List what was rejected instead; `release` revives it.")] = False,
    limit: Limit = 50,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """List the slices that were held back, the newest first, with the reason."""
    chosen = settings(tenant)
    states: tuple[quarantine.KeptState, ...] = ("rejected",) if rejected else ("quarantined",)
    lines = ask(chosen, lambda db: quarantine.list_quarantined(db, chosen.tenant, states=states, limit_rows=limit))
    out.emit(lines, as_json=json, show=_show)


@group.command("release", epilog=examples("thoth substrate quarantine release 019e2a3b-4c5d-7001"))
@answers(Decided)
def release(
    word: SliceWord,
    *,
    rejected: Annotated[bool, typer.Option("--rejected", help="Revive a slice that was rejected.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Let a slice pass after all: it is indexed, embedded and can be recalled, with full trust."""
    chosen = settings(tenant)

    async def work(db: Database) -> Decided:
        one = await resolve.slice_id(db, chosen.tenant, word)
        await (quarantine.revive if rejected else quarantine.release)(db, chosen.tenant, one)
        return Decided(one, "passed")

    out.emit(ask(chosen, work), as_json=json, show=lambda answer: out.say(f"{answer.slice_id} passes; it can soon be recalled."))


@group.command("reject", epilog=examples('thoth substrate quarantine reject 019e2a3b-4c5d-7001 --because "a test"'))
@answers(Decided)
def reject(
    word: SliceWord,
    *,
    because: Annotated[str, typer.Option(metavar="TEXT", help="The reason that is kept with it.")] = "rejected by the operator",
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Reject a slice that is in quarantine: it is never recalled, and goes with its profile's time."""
    chosen = settings(tenant)

    async def work(db: Database) -> Decided:
        one = await resolve.slice_id(db, chosen.tenant, word)
        await quarantine.reject(db, chosen.tenant, one, because)
        return Decided(one, "rejected")

    out.emit(ask(chosen, work), as_json=json, show=lambda answer: out.say(f"{answer.slice_id} is rejected."))


def _show(lines: list[Kept]) -> None:
    if not lines:
        out.talk("Nothing is held back.")
        return
    out.table(
        ["id", "when", "stream", "who", ("trust", "right"), "reason", ("text", "rest")],
        [(short(one.slice_id), one.event_time, one.stream, one.actor, one.trust, one.reason, one.excerpt) for one in lines],
    )
