"""thoth consolidate."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.integrations.consolidating import Consolidation, status
from thoth_substrate.integrations.consolidating import consolidate as begin
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.views.resolve import short
from thoth_substrate.views.words import many

WAIT_S = 300.0


def register(app: typer.Typer) -> None:
    app.command(
        "consolidate",
        epilog=examples("thoth consolidate", "thoth consolidate --wait 20 --json", "thoth consolidate --status"),
    )(consolidate)


@answers(Consolidation)
def consolidate(
    *,
    wait: Annotated[float, typer.Option("--wait", metavar="SECONDS", min=0.0, help="Wait so long for the crew.")] = WAIT_S,
    look: Annotated[bool, typer.Option("--status", help="Ask for nothing: show the last one, and what is new since.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Consolidate what is new, now: read it, connect it, and draw insights, each with the memories it rests on.

    The crew does it, in its own process; where none runs it is done here. It also happens by itself: when
    THOTH_CONSOLIDATE_THRESHOLD memories are new, when the crew starts, and once a day.
    """
    chosen = settings(tenant)

    async def work(db: Database) -> Consolidation:
        if look:
            return await status(db, chosen, chosen.tenant)
        embedder = on_account(chosen, db, choose(chosen))
        return await begin(db, chosen, chosen.tenant, wait_s=wait, here=True, embedder=embedder)

    out.emit(ask(chosen, work), as_json=json, show=_show)


def _show(found: Consolidation) -> None:
    for one in found.insights:
        named = " ".join(f"[memory:{short(memory)}]" for memory in one.memories)
        out.say(f"[insight:{one.row_id}] {out.one_line(one.statement)} {named}".rstrip())
    made = ", ".join(f"{word} {count}" for word, count in found.made.items())
    out.talk(f"{many(len(found.insights), 'insight')}. {made or 'Nothing was written.'}")
    for agent, why in found.left_out.items():
        out.talk(f"The {agent} was left out. {why}")
    if found.why:
        out.talk(found.why)
    if found.memories:
        out.talk(f"{many(found.memories, 'memory', 'memories')} not consolidated yet.")
