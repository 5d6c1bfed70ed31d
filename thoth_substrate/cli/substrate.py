"""The group `thoth substrate`: everything about the memory itself. A command is one file and one line here."""

from __future__ import annotations

import typer

from thoth_substrate.cli import (
    agents,
    audit,
    boot,
    conductor,
    cost,
    crew,
    curator,
    doctor,
    embed,
    forget,
    health,
    layers,
    migrate,
    pending,
    pin,
    profiles,
    purges,
    quarantine,
    recalls,
    replay,
    show,
    slices,
    streams,
    summary,
    worker,
)
from thoth_substrate.cli.answers import examples

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
group.callback(epilog=examples("thoth substrate", "thoth substrate health", "thoth substrate --json"))(summary.substrate)
for noun in (
    streams, slices, show, pending, profiles, health, agents, boot, pin, forget, purges, quarantine, curator, recalls, embed,
    audit, migrate, doctor, worker, crew, replay, conductor, cost, layers,
):  # fmt: skip
    noun.register(group)
