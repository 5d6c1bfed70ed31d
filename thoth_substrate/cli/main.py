"""`thoth`: the groups of commands, and the one place where an error becomes a sentence and an exit code."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from thoth_substrate.cli import (
    ask,
    awareness,
    chat,
    consolidate,
    demo,
    import_,
    ingest,
    install,
    mcp,
    memories,
    out,
    recall,
    remember,
    serve,
    substrate,
    token,
    up,
    watch,
)
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.options import Tenant
from thoth_substrate.errors import ThothError

INTERRUPTED = 130
app = typer.Typer(
    name="thoth", no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
for verb in (
    up, serve, demo, chat, import_, watch, recall, ask, remember, memories, ingest, consolidate, awareness, token, install, mcp,
):  # fmt: skip
    verb.register(app)
app.add_typer(substrate.group, name="substrate")


def _version(asked: bool) -> None:
    if asked:
        out.say(f"thoth {importlib.metadata.version('thoth-substrate')}")
        raise typer.Exit


@app.callback(
    epilog=examples(
        "thoth demo                       see what it does, without a key or a database of your own",
        "thoth up                         run the memory on this machine",
        "thoth import conversations.json  give it what was said before",
        'thoth recall "when did I move?"  ask it by hand',
        "thoth substrate health           how it is",
    )
)
def thoth(
    *,
    tenant: Tenant = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_version)] = False,
) -> None:
    """The memory beneath an agent's conversation: it perceives, lets fade, and recalls what matters on the next turn.

    Answers go to stdout, talk to stderr. Exit codes: 0 well, 1 unwell, 2 misuse, 3 no database. Settings are environment
    variables or lines of $THOTH_HOME/.env (default ~/.thoth); without DATABASE_URL an embedded PostgreSQL is used.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command. Never shows a traceback for what Thoth itself refuses."""
    out.ready()
    try:
        app(args=list(arguments) if arguments is not None else None)
    except ThothError as error:
        out.talk(str(error) or (type(error).__doc__ or "").splitlines()[0])
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            out.talk("Interrupted. What was done is kept; the same command goes on from there.")
        raise
