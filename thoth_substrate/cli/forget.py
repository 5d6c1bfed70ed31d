"""thoth substrate forget."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import Annotated
from uuid import UUID

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.purges import show_receipt
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.fade import forget as fading
from thoth_substrate.purge.preview import Preview, preview
from thoth_substrate.purge.purge import of_session, purge
from thoth_substrate.purge.receipts import Receipt
from thoth_substrate.settings import Settings
from thoth_substrate.views import resolve


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The slice (null for several), whether anything was there to be forgotten, of how many slices, and a purge's receipt."""

    slice_id: UUID | None
    changed: bool
    slices: int
    receipt: Receipt | None = None


def register(group: typer.Typer) -> None:
    group.command(
        "forget",
        epilog=examples(
            "thoth substrate forget 104", "thoth substrate forget 019e2a3b-4c5d-7001",
            "thoth substrate forget 104 397 --purge", "thoth substrate forget --session chat-12 --purge --yes",
        ),
    )(forget)  # fmt: skip


@answers(Forgotten)
def forget(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Slices' ids, the beginnings of some, or the digits of lines that were shown."),
    ] = None,
    *,
    session: Annotated[str | None, typer.Option(metavar="NAME", help="Every slice of this session.")] = None,
    purge: Annotated[
        bool, typer.Option("--purge", help="Gone now, and for good, with all that was made of them in any layer or log.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Purge without asking.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Forget slices: they are found no more from now on, and their content goes with the Curator's next tick. Not undone.

    With --purge nothing of them is left anywhere: what rests on them alone goes, what rests on others too is said anew from
    those. What would go is shown first. A receipt remains, which `thoth substrate purge show` verifies.
    """
    if not words and session is None:
        raise BadInput("Say which: give slices' ids, or --session with a session's name; nothing was forgotten.")
    chosen = settings(tenant)
    slice_ids = ask(chosen, lambda db: _named(db, chosen.tenant, words or [], session))
    forget_these(chosen, slice_ids, purge=purge, yes=yes, as_json=json)


def forget_these(chosen: Settings, slice_ids: list[UUID], *, purge: bool, yes: bool, as_json: bool) -> None:
    """Forget slices, or purge them once that is agreed to, and say what was done."""
    if purge:
        _agreed(chosen, slice_ids, yes=yes)
        answer = ask(chosen, lambda db: _purge(db, chosen.tenant, slice_ids))
    else:
        answer = ask(chosen, lambda db: _forget(db, chosen.tenant, slice_ids))
    out.emit(answer, as_json=as_json, show=_show)


async def _named(db: Database, tenant_id: str, words: list[str], session: str | None) -> list[UUID]:
    found = [await resolve.slice_id(db, tenant_id, word) for word in words]
    if session is not None:
        found += await of_session(db, tenant_id, session)
    return list(dict.fromkeys(found))


async def _forget(db: Database, tenant_id: str, slice_ids: list[UUID]) -> Forgotten:
    changed = [one for one in slice_ids if (await fading.forget(db, tenant_id, one)).changed]
    return Forgotten(slice_ids[0] if len(slice_ids) == 1 else None, bool(changed), len(changed))


async def _purge(db: Database, tenant_id: str, slice_ids: list[UUID]) -> Forgotten:
    receipt = await purge(db, tenant_id, slice_ids)
    return Forgotten(slice_ids[0] if len(slice_ids) == 1 else None, bool(receipt.gone), receipt.slices, receipt)


def _agreed(chosen: Settings, slice_ids: list[UUID], *, yes: bool) -> None:
    """Show what would go and ask, unless agreed to beforehand. Raises BadInput where nobody can be asked, Exit on a no."""
    if yes:
        return
    would = ask(chosen, lambda db: preview(db, chosen.tenant, slice_ids))
    out.talk(_sentence(would))
    if not sys.stdin.isatty():
        raise BadInput("Nobody is here to be asked, so nothing was purged: give --yes to agree beforehand.")
    if not typer.confirm("Purge this, for good?", err=True):
        out.talk("Nothing was purged.")
        raise typer.Exit(1)


def _sentence(would: Preview) -> str:
    counts = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in asdict(would).items() if n and name != "slices")
    return f"This would purge {would.slices:,} slices: {counts or 'nothing else rests on them'}."


def _show(answer: Forgotten) -> None:
    what = str(answer.slice_id) if answer.slice_id else f"{answer.slices} slices"
    is_, finds, was = ("is", "it", "was") if answer.slice_id else ("are", "them", "were")
    if answer.receipt is not None:
        show_receipt(answer.receipt)
    elif answer.changed:
        out.say(f"{what} {is_} forgotten: nothing finds {finds} any more; the content goes with the Curator's next tick.")
    else:
        out.say(f"{what if answer.slice_id else 'All of them'} {was} forgotten before; nothing was changed.")
