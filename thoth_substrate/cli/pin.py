"""thoth substrate pin and unpin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, SliceWord, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.fade import pin as attention
from thoth_substrate.views import resolve


@dataclass(frozen=True, slots=True)
class Held:
    """The slice, whether it is pinned now, and whether that is new."""

    slice_id: UUID
    pinned: bool
    changed: bool


def register(group: typer.Typer) -> None:
    group.command("pin", epilog=examples("thoth substrate pin 104", "thoth substrate pin 019e2a3b-4c5d-7001"))(pin)
    group.command("unpin", epilog=examples("thoth substrate unpin 104"))(unpin)


@answers(Held)
def pin(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Keep a slice for good: it never fades, and recall prefers it at any age."""
    held = _move(word, tenant, attention.pin, pinned=True)
    out.emit(held, as_json=json, show=lambda one: out.say(f"{one.slice_id} {'is' if one.changed else 'was already'} pinned."))


@answers(Held)
def unpin(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Let a pinned slice fade again, from now on."""
    held = _move(word, tenant, attention.unpin, pinned=False)
    says = "fades again from now on." if held.changed else "was not pinned; nothing was changed."
    out.emit(held, as_json=json, show=lambda one: out.say(f"{one.slice_id} {says}"))


def _move(word: str, tenant: str | None, move: Callable[[Database, str, UUID], Awaitable[bool]], *, pinned: bool) -> Held:
    chosen = settings(tenant)

    async def work(db: Database) -> Held:
        one = await resolve.slice_id(db, chosen.tenant, word)
        return Held(one, pinned, await move(db, chosen.tenant, one))

    return ask(chosen, work)
