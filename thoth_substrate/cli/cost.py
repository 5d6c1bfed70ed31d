"""thoth substrate cost."""

from __future__ import annotations

from typing import Annotated

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.budgets import Budget
from thoth_substrate.views.cost import By, Cost, CostShare
from thoth_substrate.views.cost import cost as read
from thoth_substrate.views.slices import since
from thoth_substrate.views.words import many

WAYS: tuple[By, ...] = ("agent", "model", "day")


def register(group: typer.Typer) -> None:
    group.command("cost", epilog=examples("thoth substrate cost", "thoth substrate cost --by day --since 30d --json"))(cost)


@answers(Cost)
def cost(
    *,
    by: Annotated[str, typer.Option("--by", metavar="WHAT", help="agent, model or day.")] = "agent",
    since_: Annotated[str, typer.Option("--since", metavar="WHEN", help="How far back: 2h, 7d, or a date.")] = "1d",
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Show what the calls to models cost, tokens and money, failed ones too, and what is left of the budgets."""
    way = next((one for one in WAYS if one == by), None)
    if way is None:
        raise BadInput(f"{by!r} is no way to sum up costs; there are {', '.join(WAYS)}.")
    chosen, start = settings(tenant), since(since_, SystemClock().now())
    out.emit(ask(chosen, lambda db: read(db, chosen, start, way)), as_json=json, show=_show)


def left(budget: Budget) -> str:
    """A budget in words."""
    of = f"{budget.limit:,.0f} tokens an hour" if budget.unit == "tokens_hour" else f"{budget.limit:.2f} USD a day"
    remains = f"{budget.left:,.0f}" if budget.unit == "tokens_hour" else f"{budget.left:.4f}"
    return f"{remains} left of {of}, renewed at {out.when(budget.renews_at)}"


def _show(found: Cost) -> None:
    if not found.lines:
        out.talk(f"No model was asked since {out.when(found.since)}.")
    else:
        out.table(
            [found.by, ("calls", "right"), ("failed", "right"), ("prompt", "right"), ("cached", "right"), ("completion", "right"),
             ("USD", "right"), ("mean ms", "right")],
            [_row(line) for line in (*found.lines, found.all)],
        )  # fmt: skip
    if any(line.unpriced for line in found.lines):
        out.talk("* no price is known for a model: set THOTH_PRICES, unless it is free.")
    if found.all.running:
        out.talk(f"{many(found.all.running, 'call')} run now and are not counted yet.")
    if found.budgets:
        out.say()
        out.pairs([("all" if one.scope == "*" else one.scope, left(one)) for one in found.budgets])


def _row(line: CostShare) -> tuple[object, ...]:
    price = f"{line.usd:.4f}" + ("*" if line.unpriced else "")
    return (
        line.name,
        line.calls,
        line.failed,
        line.prompt_tokens,
        line.cached_tokens,
        line.completion_tokens,
        price,
        round(line.latency_ms),
    )
