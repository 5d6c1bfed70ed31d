"""thoth awareness: the line; lookup, read, list, show, note, extend, forget."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

import typer

from thoth_substrate.awareness import keep
from thoth_substrate.awareness.keep import Concept
from thoth_substrate.awareness.line import line
from thoth_substrate.awareness.lookup import Found
from thoth_substrate.awareness.lookup import lookup as look_up
from thoth_substrate.awareness.note import note_by_hand
from thoth_substrate.awareness.read import Reading
from thoth_substrate.awareness.read import read as read_at
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.tokens import count
from thoth_substrate.views.resolve import short
from thoth_substrate.views.words import ago, many

NOTHING = "Nothing is going on that the Indexer knows of. `thoth substrate indexer run` lets it read now."
group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="A topic's number, as list and lookup show it.")]
Days = Annotated[float, typer.Option("--days", metavar="N", min=0.01, help="For how many days it matters, from now.")]


@dataclass(frozen=True, slots=True)
class Line:
    """The line (empty when nothing is going on), its length, and the longest that it may be, in tokens (cl100k)."""

    line: str
    tokens: int
    cap_tokens: int


@dataclass(frozen=True, slots=True)
class Taken:
    """A topic that was taken away, as it was."""

    forgotten: Concept


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="awareness")


@group.callback(epilog=examples("thoth awareness", "thoth awareness lookup boiler", "thoth awareness list --json"))
@answers(Line)
def awareness(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Print what is going on in one line of keywords, as every agent is told it: the last day's first, as many as fit."""
    if context.invoked_subcommand is not None:
        return
    chosen = settings(tenant)
    said = ask(chosen, lambda db: line(db, chosen.tenant, cap_tokens=chosen.awareness_tokens))
    out.emit(Line(said, count(said), chosen.awareness_tokens), as_json=json, show=_show_line)


@group.command(epilog=examples("thoth awareness lookup boiler landlord", "thoth awareness lookup boyler --json"))
@answers(list[Found])
def lookup(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Also other forms of a word, and near spellings.")],
    *,
    limit: Limit = 10,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Look words up: the topics that they belong to, and pointers to where those were met."""
    chosen = settings(tenant)
    found = ask(chosen, lambda db: look_up(db, chosen.tenant, " ".join(words), limit_rows=limit))
    out.emit(found, as_json=json, show=_show_found)


@group.command(
    epilog=examples("thoth awareness read conversation:thoth.world.note/chat-12@2026-05-14T09:00:00Z/2026-05-14T18:00:00Z")
)
@answers(Reading)
def read(
    pointer: Annotated[str, typer.Argument(metavar="POINTER", help="As lookup prints it: type:ref, with @from/to for a window.")],
    *,
    limit: Limit = 200,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Read what was said where a pointer leads, in order; of what was released what remains, and where to look."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: read_at(db, chosen.tenant, pointer, limit_rows=limit)), as_json=json, show=_show_reading)


@group.command("list", epilog=examples("thoth awareness list", "thoth awareness list --limit 200 --json"))
@answers(list[Concept])
def list_(*, limit: Limit = 50, tenant: Tenant = None, json: Json = False) -> None:
    """List the topics that are going on, the last noted first: their keywords, where they were met, when they expire."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: keep.concepts(db, chosen.tenant, limit_rows=limit)), as_json=json, show=_show_topics)


@group.command(epilog=examples("thoth awareness show 4711"))
@answers(Concept)
def show(number: Number, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show one topic: all of its keywords and pointers, and the decision that noted it."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: keep.concept(db, chosen.tenant, number)), as_json=json, show=_show_one)


@group.command(epilog=examples("thoth awareness note 'boiler repair' ortega --source 'mail:<4711@example.org>' --days 30"))
@answers(Concept)
def note(
    keywords: Annotated[list[str], typer.Argument(metavar="KEYWORDS", help="One to three words each, in English.")],
    *,
    source: Annotated[
        list[str] | None, typer.Option("--source", metavar="POINTER", help="Where it was met, here or outside; repeat it.")
    ] = None,
    days: Days = 7.0,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Note a topic by hand. One that overlaps a topic there is extends it."""
    chosen = settings(tenant)

    async def work(db: Database) -> Concept:
        noted = await note_by_hand(db, chosen.tenant, keywords, source or [], timedelta(days=days))
        return await keep.concept(db, chosen.tenant, noted.concept_ids[0])

    out.emit(ask(chosen, work), as_json=json, show=_show_one)


@group.command(epilog=examples("thoth awareness extend 4711 --days 30"))
@answers(Concept)
def extend(number: Number, *, days: Days, tenant: Tenant = None, json: Json = False) -> None:
    """Keep a topic for longer. It is never shortened: forget it instead."""
    chosen = settings(tenant)
    out.emit(
        ask(chosen, lambda db: keep.extend(db, chosen.tenant, number, timedelta(days=days))), as_json=json, show=_show_one
    )  # fmt: skip


@group.command(epilog=examples("thoth awareness forget 4711"))
@answers(Taken)
def forget(number: Number, *, tenant: Tenant = None, json: Json = False) -> None:
    """Take a topic away with its keywords and pointers. What it pointed to stays where it is."""
    chosen = settings(tenant)
    taken = Taken(ask(chosen, lambda db: keep.forget(db, chosen.tenant, number)))
    out.emit(taken, as_json=json, show=lambda one: out.say(f"Gone: {', '.join(one.forgotten.keywords)}."))


def _show_line(said: Line) -> None:
    if said.line:
        out.say(said.line)
    else:
        out.talk(NOTHING)


def _show_found(found: list[Found]) -> None:
    if found:
        _show_topics([one.concept for one in found])
    else:
        out.talk("Nothing that is going on has these words. `thoth recall` asks the whole memory.")


def _show_topics(found: list[Concept]) -> None:
    if not found:
        out.talk(NOTHING)
        return
    now = SystemClock().now()
    for one in found:
        out.say(f"{one.concept_id}  {', '.join(one.keywords)}  (expires {ago(one.expires_at, now)})")
        for source in one.sources:
            out.say(f"  {source.pointer}")


def _show_one(one: Concept) -> None:
    now = SystemClock().now()
    out.pairs([
        ("topic", str(one.concept_id)), ("keywords", ", ".join(one.keywords)), ("spoken of", ago(one.last_at, now)),
        ("noted", ago(one.renewed_at, now)), ("expires", ago(one.expires_at, now)),
        ("decision", short(one.decision_id) if one.decision_id else "by hand"),
        ("met at", "\n".join(source.pointer for source in one.sources) or "nowhere"),
    ])  # fmt: skip


def _show_reading(found: Reading) -> None:
    for one in found.slices:
        text = one.text if one.state == "kept" else f"({one.state}{'; known of it:' if one.facts else ''})"
        out.say(f"{out.when(one.event_time)}  {one.actor or one.stream.rpartition('.')[2]}: {text}")
        for fact in one.facts:
            out.say(f"    {fact}")
    if found.more:
        out.talk(f"There is more in this window: --limit shows more than {many(len(found.slices), 'slice')}.")
    if found.where:
        out.talk(found.where)
