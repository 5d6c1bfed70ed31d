"""thoth remember."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.perceiving import stored
from thoth_substrate.cli.progress import bars
from thoth_substrate.cli.settle import settle
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import BadInput
from thoth_substrate.keep import NOTE
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.model.slice import Event


@dataclass(frozen=True, slots=True)
class Remembered:
    """The slice that the note became. It is committed, and `searchable` by its words."""

    slice_id: UUID
    searchable: bool


def register(app: typer.Typer) -> None:
    app.command(
        "remember",
        epilog=examples('thoth remember "The spare key is under the third pot."', "git log -1 --format=%B | thoth remember -"),
    )(remember)


@answers(Remembered)
def remember(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to remember; - reads it from standard input.")],
    *,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The conversation it belongs to.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Remember a note. When it answers, the note is safely in the database and can be recalled."""
    chosen = settings(tenant)
    content = sys.stdin.read() if text == ["-"] else " ".join(text)
    if not content.strip():
        raise BadInput("There is nothing to remember: the text is empty.")
    event = Event(NOTE, content, session=session)

    async def work(db: Database) -> Remembered:
        [kept] = await stored(chosen, db, [event])
        with bars() as shown:
            settled = await settle(db, chosen, on_account(chosen, db, choose(chosen)), chosen.tenant, shown)
        return Remembered(kept.id, not (settled.left.pending or settled.left.unindexed))

    out.emit(ask(chosen, work), as_json=json, show=lambda answer: out.say(str(answer.slice_id)))
