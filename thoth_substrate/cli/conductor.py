"""thoth substrate conductor: the summary; set, clear, recent, simulate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.views import steering as views
from thoth_substrate.views.slices import since
from thoth_substrate.views.steering import Change, Steering
from thoth_substrate.views.words import ago, many, span
from thoth_workers.override import Freed, Held, hold, release
from thoth_workers.simulated import Simulated

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="A worker: parser, sentinel … (`thoth substrate agents` lists them).")]


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="conductor")


@group.callback(epilog=examples("thoth substrate conductor", "thoth substrate conductor --json | jq .alarms"))
@answers(Steering)
def conductor(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show how the crew is steered: each worker's level and why, the alarms, what is forecast, and what agents are worth."""
    if context.invoked_subcommand is None:
        chosen = settings(tenant)
        out.emit(ask(chosen, lambda db: views.steering(db, chosen.tenant)), as_json=json, show=_show)


@group.command(
    "set", epilog=examples("thoth substrate conductor set parser LOW --for 1h", "thoth substrate conductor set dreamer OFF")
)
@answers(Held)
def set_(
    name: Name,
    level: Annotated[str, typer.Argument(metavar="LEVEL", help="OFF, LOW, MEDIUM or FULL.")],
    *,
    for_: Annotated[str | None, typer.Option("--for", metavar="SPAN", help="How long: 30m, 1h, 2d (else until `clear`).")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Hold a worker at a level, whatever the Conductor decides. Every process obeys within seconds."""
    chosen, wanted = settings(tenant), _level(level)
    lasts = None if for_ is None else _span(for_)

    async def work(db: Database) -> Held:
        return await hold(db, _names(), name, wanted, lasts)

    out.emit(ask(chosen, work), as_json=json, show=_show_held)


@group.command("clear", epilog=examples("thoth substrate conductor clear parser"))
@answers(Freed)
def clear(name: Name, *, tenant: Tenant = None, json: Json = False) -> None:
    """Take back what was set: the Conductor's level holds again."""
    chosen = settings(tenant)
    freed = ask(chosen, lambda db: release(db, _names(), name))
    out.emit(
        freed,
        as_json=json,
        show=lambda one: out.talk(f"{one.agent} is steered by the Conductor again; its level is {one.level}."),
    )


@group.command(epilog=examples("thoth substrate conductor recent", "thoth substrate conductor recent --since 7d --json"))
@answers(list[Change])
def recent(
    *,
    since_: Annotated[str, typer.Option("--since", metavar="WHEN", help="How far back: 2h, 7d, or a date.")] = "1d",
    limit: Limit = 20,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """List the decisions that changed a level, and the alarms behind them."""
    chosen = settings(tenant)
    start = since(since_, SystemClock().now())
    found = ask(chosen, lambda db: views.changes(db, chosen.tenant, since=start, limit_rows=limit))
    out.emit(found, as_json=json, show=_show_changes)


@group.command(
    epilog=examples(
        "thoth substrate conductor simulate", "thoth substrate conductor simulate --day 2026-05-15 --set backlog_high_slices=2000"
    )
)
@answers(Simulated)
def simulate(
    *,
    day: Annotated[
        str | None, typer.Option("--day", metavar="DATE", help="A day (UTC), as 2026-05-15; else the last 24 hours.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="THRESHOLD=VALUE", help="A threshold to try; may be given again.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Decide a recorded day again under another policy, and say what would differ. Changes nothing.

    The vitals are those that were recorded: how they would have run under other levels nobody knows.
    """
    from thoth_workers.simulate import simulate as run  # brings the crew, which other commands need not wait for

    chosen = settings(tenant)
    start, end = _day(day, SystemClock().now())
    out.emit(ask(chosen, lambda db: run(db, chosen.tenant, start, end, set_ or ())), as_json=json, show=_show_simulated)


def _names() -> Iterable[str]:
    from thoth_workers.consolidator import NAME as CONSOLIDATOR
    from thoth_workers.core import CORE
    from thoth_workers.crew import crew

    return (*(worker.name for worker in CORE), CONSOLIDATOR, *crew())


def _level(word: str) -> Intensity:
    try:
        return Intensity[word.upper()]
    except KeyError:
        raise BadInput(f"{word!r} is no level; there are {', '.join(one.name for one in Intensity)}.") from None


def _span(word: str) -> timedelta:
    now = SystemClock().now()
    return now - since(word, now)


def _day(word: str | None, now: datetime) -> tuple[datetime, datetime]:
    if word is None:
        return now - timedelta(days=1), now + timedelta(seconds=1)
    try:
        chosen = date.fromisoformat(word)
    except ValueError:
        raise BadInput(f"{word!r} is no day: write it as 2026-05-15.") from None
    start = datetime(chosen.year, chosen.month, chosen.day, tzinfo=UTC)
    return start, start + timedelta(days=1)


def _show(found: Steering) -> None:
    now = SystemClock().now()
    if not found.workers:
        out.talk("No worker has run here yet. `thoth up` starts them.")
        return
    out.table(
        ["worker", "role", "level", ("why", "rest")],
        [(one.agent, one.role, one.level, _why(one, now)) for one in found.workers],
    )
    if found.decided_at is None:
        out.talk("The Conductor has decided nothing today: it runs with the crew (`thoth substrate worker run`).")
        return
    out.say()
    out.pairs(
        [("decided", ago(found.decided_at, now)), ("backlog", _backlog(found)), ("coherence", found.coherence), *_budgets(found)]
    )
    for name, reason in found.alarms.items():
        out.say(f"{name}: {reason}", style="yellow")
    if found.worth:
        out.say()
        out.table(
            ["agent", ("calls", "right"), ("tokens", "right"), ("USD", "right"), ("surfaced", "right"), ("used", "right")],
            [(one.agent, one.calls, one.tokens, f"{one.usd:.4f}", one.surfaced, one.used) for one in found.worth],
        )
    if not found.alive:
        out.talk("The Conductor is not running: ten minutes after its last sign of life everyone works at FULL.")


def _why(one: views.Steered, now: datetime) -> str:
    if one.held_until is not None:
        return f"{one.why} {_until(one.held_until)}"
    return one.why + (f" (since {ago(one.since, now)})" if one.since else "")


def _until(at: datetime) -> str:
    endless = at.replace(tzinfo=UTC) >= out.NEVER
    return "until `thoth substrate conductor clear`" if endless else f"until {out.when(at)}"


def _backlog(found: Steering) -> str:
    said = f"{many(found.backlog, 'slice')}, the oldest for {span(found.backlog_age)}"
    if found.arrived_per_hour is not None and found.drained_per_hour is not None:
        said += f"; {found.arrived_per_hour:,.0f} come and {found.drained_per_hour:,.0f} go an hour"
    if found.growing:
        return said + ": it grows"
    return said + (f": drained in {span(found.drained_in)}" if found.drained_in and found.backlog else "")


def _budgets(found: Steering) -> Iterable[tuple[str, str]]:
    for one in found.budgets:
        whose = "all" if one.scope == "*" else one.scope
        yield (
            f"{one.unit} of {whose}",
            f"{one.share:.0%} gone, {one.forecast:.0%} by its renewal at {out.when(one.renews_at)}",
        )


def _show_held(one: Held) -> None:
    out.talk(f"{one.agent} is held at {one.level} {_until(one.until)}.")


def _show_changes(found: list[Change]) -> None:
    if not found:
        out.talk("No level was changed in that time.")
        return
    out.table(
        ["when", ("backlog", "right"), "changed to", ("because", "rest")],
        [(one.at, one.backlog, out.flat(one.changed), "; ".join(one.alarms.values()) or "nothing presses") for one in found],
    )


def _show_simulated(found: Simulated) -> None:
    said = ", ".join(f"{name}={value:g}" for name, value in found.thresholds.items()) or "the policy as it was"
    out.say(f"{many(found.samples, 'decision')} from {out.when(found.since)} under {said}.", style="bold")
    out.table(
        ["worker", "role", ("changes", "right"), ("simulated", "right"), ("in a dwell", "right"), "hours", "simulated hours"],
        [
            (one.agent, one.role, one.changes_recorded, one.changes_simulated, one.most_in_a_dwell_simulated,
             out.flat(one.hours_recorded), out.flat(one.hours_simulated))
            for one in found.agents
        ],
    )  # fmt: skip
    if found.backlog is not None:
        one = found.backlog
        drained = f"drained {out.when(one.drained_at)}" if one.drained_at else "not drained by the end"
        out.say(
            f"Backlog: {one.peak:,} at {out.when(one.peak_at)}, {drained}; enrichment paused for {one.paused_h:.1f} h meanwhile."
        )
    if found.differences:
        out.say()
        out.table(
            ["when", "worker", "recorded", "simulated", ("why", "rest")],
            [(one.at, one.agent, one.recorded, one.simulated, one.why) for one in found.differences],
        )
    out.talk(
        "It flaps: more than one change within a dwell." if found.flapped else "Nobody changes more than once within a dwell."
    )
    if found.differences_in_all > len(found.differences):
        out.talk(f"{found.differences_in_all - len(found.differences):,} more differences are not shown.")
    if found.unreadable:
        out.talk(f"{many(found.unreadable, 'decision')} could not be read (purged, or of another version) and were left out.")
