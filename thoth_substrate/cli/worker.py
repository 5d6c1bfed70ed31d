"""thoth substrate worker: the crew's own process."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.boot import run_worker
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.door import loud
from thoth_substrate.cli.options import Tenant, settings

group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Run the crew: the agents that ask a language model.")
Only = Annotated[str, typer.Option("--only", metavar="NAMES", help="Only these agents, with commas between them.")]
WithParent = Annotated[bool, typer.Option("--with-parent", help="End when the input ends: for the process that starts this one.")]


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="worker")


@group.command(epilog=examples("thoth substrate worker run", "thoth substrate worker run --only parser"))
def run(*, only: Only = "", with_parent: WithParent = False, tenant: Tenant = None) -> None:
    """Run the crew in the foreground, until Ctrl-C or SIGTERM. Any number may run, on any number of machines.

    `thoth up` runs one by itself when a model is configured. A tick that runs is finished before the process ends.
    """
    chosen = settings(tenant)
    loud(chosen)
    run_worker(chosen, [name.strip() for name in only.split(",") if name.strip()], out.talk, with_parent=with_parent)
    out.talk("The crew has stopped.")
