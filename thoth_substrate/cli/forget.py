"""thoth substrate forget."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, SliceWord, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.fade import forget as fading
from thoth_substrate.views import resolve


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The slice, and whether it was there to be forgotten."""

    slice_id: UUID
    changed: bool


def register(group: typer.Typer) -> None:
    group.command("forget", epilog=examples("thoth substrate forget 104", "thoth substrate forget 019e2a3b-4c5d-7001"))(forget)


@answers(Forgotten)
def forget(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Forget a slice: it is found no more from now on, and its content goes with the Curator's next tick. Not undone."""
    chosen = settings(tenant)

    async def work(db: Database) -> Forgotten:
        one = await resolve.slice_id(db, chosen.tenant, word)
        return Forgotten(one, (await fading.forget(db, chosen.tenant, one)).changed)

    out.emit(ask(chosen, work), as_json=json, show=_show)


def _show(answer: Forgotten) -> None:
    if answer.changed:
        out.say(f"{answer.slice_id} is forgotten: nothing finds it any more; its content goes with the Curator's next tick.")
    else:
        out.say(f"{answer.slice_id} was forgotten before; nothing was changed.")
