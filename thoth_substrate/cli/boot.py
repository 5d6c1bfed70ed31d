"""thoth substrate boot."""

from __future__ import annotations

import importlib.metadata
import platform
from dataclasses import dataclass
from pathlib import Path

import typer

from thoth_substrate.boot import WORKERS, Server
from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.db import migrate as migrations
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose, explain
from thoth_substrate.embed.models import active_model
from thoth_substrate.perceive.journal import bytes_in
from thoth_substrate.perceive.perceiver import JOURNAL_FOLDER
from thoth_substrate.settings import Settings
from thoth_substrate.views.words import size, without_password


@dataclass(frozen=True, slots=True)
class Boot:
    """What a process of these settings finds when it boots. `dsn` is without its password."""

    version: str
    python: str
    server_version: str
    embedded: bool
    dsn: str
    revision: str | None
    revision_needed: str
    active_model: str | None
    embedder: str | None
    embedder_why: str
    home: Path
    journal: Path
    journal_bytes: int
    tenant: str
    recall_on: bool
    workers: list[str]


def register(group: typer.Typer) -> None:
    group.command("boot", epilog=examples("thoth substrate boot", "thoth substrate boot --json"))(boot)


@answers(Boot)
def boot(*, tenant: Tenant = None, json: Json = False) -> None:
    """Say what a process finds here at boot: server, schema, models, folders, workers. Nothing is changed but what boot makes."""
    chosen = settings(tenant)
    with door.found(chosen) as server:
        found = door.on(chosen, server, lambda db: _found(chosen, server, db))
    out.emit(found, as_json=json, show=_show)


async def _found(chosen: Settings, server: Server, db: Database) -> Boot:
    schema = migrations.state(server.dsn)
    active, embedder = await active_model(db), choose(chosen)
    journal = chosen.home_dir / JOURNAL_FOLDER
    return Boot(
        version=importlib.metadata.version("thoth-substrate"),
        python=platform.python_version(),
        server_version=server.version,
        embedded=server.embedded,
        dsn=without_password(server.dsn),
        revision=schema.current,
        revision_needed=schema.needed,
        active_model=active.name if active else None,
        embedder=embedder.model.name if embedder else None,
        embedder_why=explain(chosen),
        home=chosen.home_dir,
        journal=journal,
        journal_bytes=bytes_in(journal),
        tenant=chosen.tenant,
        recall_on=chosen.recall,
        workers=[worker for worker in WORKERS if getattr(chosen, worker)],
    )


def _show(found: Boot) -> None:
    out.pairs(
        [
            ("thoth", f"{found.version} on Python {found.python}"),
            ("server", f"PostgreSQL {found.server_version}, {'embedded' if found.embedded else 'given by DATABASE_URL'}"),
            ("address", found.dsn),
            ("schema", f"revision {found.revision or 'none'}, needed {found.revision_needed}"),
            ("vectors", f"of {found.active_model}" if found.active_model else "none yet"),
            ("embedder", found.embedder_why),
            ("home", found.home),
            ("journal", f"{found.journal}, {size(found.journal_bytes)}"),
            ("tenant", found.tenant),
            ("recall", "on" if found.recall_on else "off (export THOTH_SUBSTRATE_RECALL=1)"),
            ("workers", ", ".join(found.workers) or "none"),
        ]
    )
