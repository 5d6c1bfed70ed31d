"""thoth substrate replay."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.views.resolve import slice_id
from thoth_workers.replay import Replayed, replay

UNWELL = 1
Decision = Annotated[str, typer.Argument(metavar="DECISION", help="A decision's id, or the beginning of one.")]


def register(group: typer.Typer) -> None:
    group.command("replay", epilog=examples("thoth substrate replay 019e2bc4", "thoth substrate replay 019e2bc4 --json"))(run)


@answers(Replayed)
def run(decision: Decision, *, tenant: Tenant = None, json: Json = False) -> None:
    """Run a decision of the crew again on what it recorded: same or different, with what differs. No model is asked.

    Exit code 1 when it comes out different.
    """
    chosen = settings(tenant)

    async def work(db: Database) -> Replayed:
        return await replay(db, chosen.tenant, await slice_id(db, chosen.tenant, decision))

    found = ask(chosen, work)
    out.emit(found, as_json=json, show=_show)
    if found.same is False:
        raise typer.Exit(UNWELL)


def _show(found: Replayed) -> None:
    word = {True: "same", False: "different", None: "cannot be replayed"}[found.same]
    out.say(f"{word}: decision {found.decision_id} of the {found.agent}. {found.why}")
    if found.diff:
        out.say(found.diff)
