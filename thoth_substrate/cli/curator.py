"""thoth substrate curator: histogram, recent, pressure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views import curator as views
from thoth_substrate.views.curator import BINS, Decision, Histogram, Move, Pressure
from thoth_substrate.views.resolve import short
from thoth_substrate.views.slices import since

CURATOR = "curator"
BAR_CHARS = 30
group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Recent:
    """What moved since `since`: the newest moves of anchors, and what the Curator decided."""

    since: datetime
    moves: list[Move]
    decisions: list[Decision]


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="curator")


@group.callback(epilog=examples("thoth substrate curator", "thoth substrate curator pressure --json"))
@answers(list[Histogram])
def curator(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show attention: how present the memories are now (the histogram), what moved lately, what will fade."""
    if context.invoked_subcommand is None:
        histogram(tenant=tenant, json=json)


@group.command(epilog=examples("thoth substrate curator histogram"))
@answers(list[Histogram])
def histogram(*, tenant: Tenant = None, json: Json = False) -> None:
    """Show salience now in ten bins, by profile. It is computed as it is read; nothing is swept."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: views.histogram(db, chosen.tenant)), as_json=json, show=_show_histogram)


@group.command(epilog=examples("thoth substrate curator recent", "thoth substrate curator recent --since 30d --json"))
@answers(Recent)
def recent(
    *,
    since_: Annotated[str, typer.Option("--since", metavar="WHEN", help="How far back: 2h, 7d, or a date.")] = "7d",
    limit: Limit = 20,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Show what moved lately: what the Curator released, and what was reinforced, pinned or forgotten."""
    chosen = settings(tenant)
    start = since(since_, SystemClock().now())

    async def work(db: Database) -> Recent:
        moves = await views.moves(db, chosen.tenant, since=start, limit_rows=limit)
        said = await views.decisions(db, chosen.tenant, agent=CURATOR, since=start, limit_rows=limit)
        return Recent(start, moves, said)

    out.emit(ask(chosen, work), as_json=json, show=_show_recent)


@group.command(epilog=examples("thoth substrate curator pressure"))
@answers(list[Pressure])
def pressure(*, tenant: Tenant = None, json: Json = False) -> None:
    """Show how much will fade in the next day, week and month, and what has faded but stays."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: views.pressure(db, chosen.tenant)), as_json=json, show=_show_pressure)


def _show_histogram(lines: list[Histogram]) -> None:
    if not lines:
        out.talk("Nothing has been perceived yet.")
        return
    for line in lines:
        out.say(f"{line.profile}  {line.slices:,} slices", style="bold")
        most = max(*line.bins, 1)
        out.table(
            ["salience", ("slices", "right"), ""],
            [(f"{number / BINS:.1f}–{(number + 1) / BINS:.1f}", count, "█" * round(BAR_CHARS * count / most))
             for number, count in reversed(list(enumerate(line.bins)))],
        )  # fmt: skip


def _show_recent(answer: Recent) -> None:
    if answer.decisions:
        out.table(["when", "the Curator decided"], [(one.at, out.flat(one.decision)) for one in answer.decisions])
    if answer.moves:
        out.table(
            ["when", "moved by", ("to", "right"), "slice"],
            [(move.at, move.cause, move.level, short(move.slice_id)) for move in answer.moves],
        )
    if not answer.moves and not answer.decisions:
        out.talk(f"Nothing has moved since {out.when(answer.since)}.")


def _show_pressure(lines: list[Pressure]) -> None:
    if not lines:
        out.talk("Nothing has been perceived yet.")
        return
    out.table(
        ["profile", ("slices", "right"), ("pinned", "right"), ("due now", "right"), ("in 1 d", "right"), ("in 7 d", "right"),
         ("in 30 d", "right"), ("faded, kept", "right"), ("kept in 30 d", "right")],
        [
            (line.profile, line.slices, line.pinned, line.due, line.within_1_day, line.within_7_days, line.within_30_days,
             line.kept, line.kept_within_30_days)
            for line in lines
        ],
    )  # fmt: skip
    if any(line.kept for line in lines):
        out.talk(
            "Kept although faded: nothing was promoted from them. `profiles set … --release-unconsolidated-after` lets them go."
        )
