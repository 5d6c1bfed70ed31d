"""thoth substrate embed: status, reembed, retry."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.progress import bars
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose, explain
from thoth_substrate.embed.reembed import EmbedProgress
from thoth_substrate.embed.reembed import reembed as anew
from thoth_substrate.embed.reembed import retry as try_again
from thoth_substrate.errors import BadInput
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.views.embedding import EmbedStatus
from thoth_substrate.views.embedding import status as read
from thoth_substrate.views.words import many

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Status:
    """Embedding at a glance, and who would make vectors in this process."""

    embedder: str
    status: EmbedStatus


@dataclass(frozen=True, slots=True)
class Retried:
    """How many passages will be tried again."""

    passages: int


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="embed")


@group.callback(epilog=examples("thoth substrate embed", "thoth substrate embed retry"))
@answers(Status)
def embed(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Look after the vectors: who makes them, what waits, what failed; make them anew with another model; try again."""
    if context.invoked_subcommand is None:
        status(tenant=tenant, json=json)


@group.command(epilog=examples("thoth substrate embed status", "thoth substrate embed status --json"))
@answers(Status)
def status(*, tenant: Tenant = None, json: Json = False) -> None:
    """Show who makes the vectors, how many there are of each model, what waits, and what failed and why."""
    chosen = settings(tenant)
    found = ask(chosen, lambda db: read(db, chosen.tenant))
    out.emit(Status(explain(chosen), found), as_json=json, show=_show)


@group.command(epilog=examples("thoth substrate embed reembed", "THOTH_EMBED_PROVIDER=openai thoth substrate embed reembed"))
@answers(EmbedProgress)
def reembed(*, json: Json = False) -> None:
    """Change over to the model that the settings ask for: make every vector anew, of every tenant, then drop the old ones.

    Safe to interrupt: run it again, or let `thoth up` go on. Recall works meanwhile, by words where vectors are missing.
    """
    chosen = settings()
    embedder = choose(chosen)
    if embedder is None:
        raise BadInput(f"There is no model to change over to. {explain(chosen)}")

    async def work(db: Database) -> EmbedProgress:
        paid = on_account(chosen, db, embedder) or embedder
        with bars() as shown:
            return await anew(
                db, paid, batch_rows=chosen.embed_batch_rows,
                tell=lambda now: shown.move("embedding", now.embedded, now.embedded + now.waiting),
            )  # fmt: skip

    done = ask(chosen, work)
    out.emit(done, as_json=json, show=_show_progress)
    if done.paused or done.waiting:
        raise typer.Exit(1)


@group.command(epilog=examples("thoth substrate embed retry"))
@answers(Retried)
def retry(*, json: Json = False) -> None:
    """Let every passage that failed be tried again at once, those given up too. The embedder of `thoth up` does it."""
    again = Retried(ask(settings(), try_again))
    out.emit(again, as_json=json, show=lambda answer: out.say(f"{many(answer.passages, 'passage')} will be tried again."))


def _show_progress(done: EmbedProgress) -> None:
    out.say(f"{done.model}: {done.embedded:,} of {many(done.passages, 'passage')} embedded, {done.waiting:,} waiting.")
    if done.given_up:
        out.say(f"{many(done.given_up, 'passage')} given up: thoth substrate embed status says why.")
    if done.paused:
        out.talk(f"It stopped: {done.paused}")
    elif not done.waiting and not done.old_vectors:
        out.say("No vector of another model is left.")


def _show(answer: Status) -> None:
    found, queue = answer.status, answer.status.queue
    share = f"it has made vectors of {found.embedded:,} of {many(found.passages, 'passage')}"
    out.pairs(
        [
            ("provider", answer.embedder),
            ("model in use", f"{found.active}; {share}" if found.active else "none yet"),
            (
                "waiting",
                f"{many(queue.waiting, 'passage')}" + (f", {queue.failing:,} of them failed before" if queue.failing else ""),
            ),
            ("given up", f"{many(queue.given_up, 'passage')}" + ("; thoth substrate embed retry" if queue.given_up else "")),
        ]
    )
    if len(found.models) > 1:
        out.table(
            ["model", ("dimensions", "right"), ("passages", "right"), ("vectors", "right"), ""],
            [(one.model, one.dimensions, one.passages, one.vectors, "in use" if one.active else "") for one in found.models],
        )
    if found.failures:
        out.table(
            [("passages", "right"), ("given up", "right"), "what the last attempt said"],
            [(one.passages, one.given_up, one.failure) for one in found.failures],
        )
