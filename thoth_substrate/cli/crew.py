"""thoth substrate parser, associator, patterns, …: what each agent of the crew did lately. One factory for all of them."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typer

from thoth_substrate.cli import indexing, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.consolidate.claim import retry
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.crew import Deed, deeds
from thoth_substrate.views.resolve import short
from thoth_substrate.views.words import ago, many

GROUP = "thoth_substrate.agents"
AGENTS = {
    "parser": ("parser", "promotes slices to entities and facts"),
    "associator": ("associator", "weighs how entities hang together"),
    "patterns": ("patternfinder", "finds what holds across facts"),
    "critic": ("critic", "measures coherence and calibration"),
    "reflector": ("reflector", "draws insights across sessions"),
    "dreamer": ("dreamer", "explores what might be"),
    "summarizer": ("summarizer", "sums up old sessions"),
    "indexer": ("indexer", "keeps the subconscious index"),
}


@dataclass(frozen=True, slots=True)
class Retried:
    """How many dead letters of an agent wait for another attempt now."""

    agent: str
    revived: int


def register(parent: typer.Typer) -> None:
    for word, (agent, deed) in {**AGENTS, **_others()}.items():
        parent.add_typer(_group(word, agent, deed), name=word)


def _others() -> dict[str, tuple[str, str]]:
    """Agents that others have installed: the name of the entry point is the agent's."""
    points = importlib.metadata.entry_points(group=GROUP)
    return {point.name: (point.name, f"is an agent of {point.value}") for point in points if point.name not in AGENTS}


def _group(word: str, agent: str, deed: str) -> typer.Typer:
    group = typer.Typer(
        invoke_without_command=True, rich_markup_mode=None, help=f"Show what the agent did lately that {deed}."
    )  # fmt: skip
    recent = _recent(agent, deed)
    say = examples(f"thoth substrate {word}", f"thoth substrate {word} recent --limit 5 --json")

    def start(context: typer.Context, *, limit: Limit = 20, tenant: Tenant = None, json: Json = False) -> None:
        if context.invoked_subcommand is None:
            recent(limit=limit, tenant=tenant, json=json)

    start.__doc__ = f"Show what the agent did lately that {deed}: inputs, outputs, cost."
    group.callback(epilog=say)(answers(list[Deed])(start))
    group.command("recent", epilog=say)(answers(list[Deed])(recent))
    if agent == "parser":
        group.command("retry", epilog=examples(f"thoth substrate {word} retry"))(_retry)
    if agent == "indexer":
        indexing.register(group)
    return group


def _recent(agent: str, deed: str) -> Callable[..., None]:
    def recent(*, limit: Limit = 20, tenant: Tenant = None, json: Json = False) -> None:
        chosen = settings(tenant)
        found = ask(chosen, lambda db: deeds(db, chosen.tenant, agent=agent, limit_rows=limit))
        out.emit(found, as_json=json, show=lambda lines: _show(agent, lines))

    recent.__doc__ = f"List the newest decisions of the agent that {deed}: inputs, outputs, cost."
    return recent


@answers(Retried)
def _retry(*, tenant: Tenant = None, json: Json = False) -> None:
    """Try anew what the Parser gave up after its last attempt (its dead letters), from the first attempt."""
    chosen = settings(tenant)
    revived = ask(chosen, lambda db: retry(db, chosen.tenant))
    out.emit(Retried("parser", revived), as_json=json, show=lambda _: out.say(f"{many(revived, 'slice')} will be tried anew."))


def _show(agent: str, lines: list[Deed]) -> None:
    if not lines:
        out.talk(f"The {agent} has decided nothing here yet. `thoth substrate agents` says whether it runs.")
        return
    now = SystemClock().now()
    out.table(
        ["when", "decision", ("slices", "right"), "replies", "proposed", ("calls", "right"), ("tokens", "right"),
         ("USD", "right"), ("applied", "rest")],
        [
            (ago(line.at, now), short(line.decision_id), line.slices, out.flat(line.outcomes), out.flat(line.proposed),
             line.calls, line.tokens, f"{line.usd:.4f}", out.flat(_told(line.applied)))
            for line in lines
        ],
    )  # fmt: skip


def _told(applied: Any) -> Any:
    """What came of a decision, without what came to nothing, and without single rows' numbers."""
    if not isinstance(applied, Mapping):
        return applied
    return {key: value for key, value in applied.items() if value and key != "detail"} or "nothing"
