"""thoth demo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import typer

from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, settings
from thoth_substrate.cli.perceiving import perceiving
from thoth_substrate.cli.progress import bars
from thoth_substrate.cli.recall import show_lines
from thoth_substrate.cli.settle import Settled, calibrate, settle
from thoth_substrate.db.pool import Database
from thoth_substrate.demo import Question, demo_events, questions
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.projection import Projection
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate
from thoth_substrate.views.emptiness import why_empty
from thoth_substrate.views.words import many

TENANT = "demo"
BUDGET_TOKENS = 260  # a handful of lines: the default of 1500 would fill screens
DURABLE_TIMEOUT_S = 60.0
NEXT = (
    "That was a year of Maya's conversations, in tenant demo, apart from yours. What next:",
    '  thoth recall "what about the dog?" --tenant demo --explain     ask it something yourself',
    "  thoth substrate --tenant demo                                  look at what it holds",
    "  thoth import FILE                                              give it your own: Claude Code, ChatGPT, JSONL",
    "  thoth up                                                       run it beneath your agent",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the demo and what memory had to say; `as_expected` compares it with what is known of the sample."""

    question: str
    as_expected: bool
    projection: Projection


def register(app: typer.Typer) -> None:
    app.command("demo", epilog=examples("thoth demo", "thoth demo --json"))(demo)


@answers(list[Asked])
def demo(*, json: Json = False) -> None:
    """See what it does: import a bundled conversation, ask three questions, and see each answer with its reasons and times.

    Needs no key and no database of your own. Safe to repeat: the conversation is not taken twice.
    """
    chosen = settings(TENANT)
    with door.found(chosen) as server:
        out.talk(f"{door.where(server)}. Tenant {TENANT}, home {chosen.home_dir}.")
        settled = door.on(chosen, server, lambda db: _fill(chosen, db))
        if settled.why:
            out.talk(f"Asked by words alone for now: {settled.why}")
        with door.substrate(chosen, server) as substrate:
            asked = [one for question in questions() for one in _ask(substrate, question, quiet=json)]
    if json:
        out.print_json(asked)
    else:
        out.talk("\n".join(NEXT))


async def _fill(chosen: Settings, db: Database) -> Settled:
    """The sample conversation, perceived (again: nothing is added) and settled."""
    async with perceiving(chosen, db) as perceiver:
        for event in demo_events(SystemClock().now()):
            perceiver.perceive(event, tenant_id=TENANT)
        if not await perceiver.durable(DURABLE_TIMEOUT_S):
            raise DatabaseUnavailable("The sample conversation waits in the journal: the database did not take it.")
    embedder = on_account(chosen, db, choose(chosen))
    with bars() as shown:
        settled = await settle(db, chosen, embedder, TENANT, shown)
        await calibrate(db, embedder, shown)
    return settled


def _ask(substrate: Substrate, question: Question, *, quiet: bool) -> Iterator[Asked]:
    projection = substrate.recall_sync(question.question, tenant=TENANT, budget_tokens=BUDGET_TOKENS, forced=True)
    if not quiet:
        _show(question, projection)
    found = all(part in projection.block for part in question.expects)
    yield Asked(question.question, found and bool(projection.lines) == bool(question.expects), projection)


def _show(question: Question, projection: Projection) -> None:
    out.say()
    out.say(f"— {question.question}", style="bold cyan")
    if projection.lines:
        out.say(projection.block)
        show_lines(projection.lines)
    else:
        out.say(why_empty(projection))
    took = ", ".join(f"{leg.name} {leg.took_ms:.0f}" for leg in projection.legs if leg.took_ms)
    out.say(f"{many(len(projection.lines), 'line')}, {projection.tokens:,} tokens, {projection.took_ms:.0f} ms in all ({took})")
