"""thoth substrate purges, purge show and purge resume."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.purge import purge as purging
from thoth_substrate.purge import receipts
from thoth_substrate.purge.receipts import Receipt, Verified
from thoth_substrate.views.resolve import short

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Receipts of what was forgotten for good.")


def register(parent: typer.Typer) -> None:
    parent.command("purges", epilog=examples("thoth substrate purges", "thoth substrate purges --json"))(purges)
    parent.add_typer(group, name="purge")


@group.callback()
def purge() -> None:
    """Receipts of what was forgotten for good. `thoth substrate forget --purge` makes them."""


@answers(list[Receipt])
def purges(*, limit: Limit = 20, tenant: Tenant = None, json: Json = False) -> None:
    """List the newest purges: when, of how many slices, and how many rows went. A receipt holds no content."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: receipts.recent(db, chosen.tenant, limit_rows=limit)), as_json=json, show=_show_all)


@group.command(epilog=examples("thoth substrate purge show last", "thoth substrate purge show 019e2a3b-4c5d-7001 --json"))
@answers(Verified)
def show(
    word: Annotated[str, typer.Argument(metavar="ID", help="A receipt's id, the beginning of one, or: last.")] = receipts.NEWEST,
    *,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Show a receipt and verify it: what it says is gone is looked for again, everywhere. Exit 1 when something is left."""
    chosen = settings(tenant)

    async def work(db: Database) -> Verified:
        return await receipts.verify(db, chosen.tenant, await receipts.purge_id(db, chosen.tenant, word))

    found = ask(chosen, work)
    out.emit(found, as_json=json, show=_show_verified)
    if not found.well:
        raise typer.Exit(1)


@group.command(epilog=examples("thoth substrate purge resume"))
@answers(list[Receipt])
def resume(*, tenant: Tenant = None, json: Json = False) -> None:
    """Finish purges that were begun and cut off, by a crash or a database that went away."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: purging.resume(db, chosen.tenant)), as_json=json, show=_show_resumed)


def show_receipt(one: Receipt) -> None:
    """A receipt for a person."""
    state = "" if one.state == "done" else " It is not finished: `thoth substrate purge resume` finishes it."
    out.say(f"Purge {one.purge_id} of {one.slices:,} slices, {out.when(one.purged_at)}.{state}")
    tables = sorted({*one.gone, *one.anew})
    if tables:
        out.table(
            ["table", ("rows gone", "right"), ("written anew", "right")],
            [(table, one.gone.get(table, 0), one.anew.get(table, 0)) for table in tables],
        )
    out.talk(f"`thoth substrate purge show {short(one.purge_id)}` looks again whether anything is left.")


def _show_all(found: list[Receipt]) -> None:
    if not found:
        out.talk("Nothing was ever purged here.")
        return
    out.table(
        ["id", "when", ("slices", "right"), ("rows gone", "right"), ("written anew", "right"), "state"],
        [
            (short(one.purge_id), one.purged_at, one.slices, sum(one.gone.values()), sum(one.anew.values()), one.state)
            for one in found
        ],
    )


def _show_resumed(found: list[Receipt]) -> None:
    if not found:
        out.talk("No purge was left unfinished.")
    for one in found:
        show_receipt(one)


def _show_verified(found: Verified) -> None:
    show_receipt(found.receipt)
    if found.well:
        out.say("Verified: nothing of it is left in any table.")
    for table, n in sorted(found.left.items()):
        out.say(f"LEFT: {n:,} rows in {table}.")
