"""thoth up."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from functools import partial

import typer

from thoth_substrate.boot import run_up
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import examples
from thoth_substrate.cli.door import loud
from thoth_substrate.cli.options import Tenant, settings
from thoth_substrate.settings import Settings
from thoth_substrate.views.words import without_password


def register(app: typer.Typer) -> None:
    app.command("up", epilog=examples("thoth up", "DATABASE_URL=postgresql://me@db/thoth thoth up"))(up)


def up(*, tenant: Tenant = None) -> None:
    """Run the memory on this machine, in the foreground: the database unless one is given, the workers, and the HTTP server.

    Ctrl-C stops it.
    """
    from thoth_substrate.server.run import surface  # a second that other commands need not wait

    chosen = settings(tenant)
    loud(chosen)
    for sentence in _before(chosen):
        out.talk(sentence)
    run_up(chosen, out.talk, partial(surface, say=out.talk))
    out.talk("Stopped.")


def _before(chosen: Settings) -> Iterator[str]:
    yield f"thoth {importlib.metadata.version('thoth-substrate')}"
    if chosen.dsn is not None:
        yield f"The database is {without_password(chosen.dsn)}."
    if chosen.recall:
        yield "Recall is on in processes with these settings: memories are injected into turns."
    else:
        yield "Recall is off (export THOTH_SUBSTRATE_RECALL=1): turns get no memories; `thoth recall` works all the same."
