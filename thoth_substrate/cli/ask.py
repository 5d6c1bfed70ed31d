"""thoth ask."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

import typer

from thoth_substrate.ask.asker import MOST_ROWS, RECENT_ROWS, Question
from thoth_substrate.ask.sources import Answer, Cited, Filters, Mode, SourceKind
from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.recall import instant
from thoth_substrate.errors import BadInput
from thoth_substrate.house import House
from thoth_substrate.integrations.asking import Asking
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.resolve import SHORT_ID_CHARS
from thoth_substrate.views.slices import since as moment
from thoth_substrate.views.words import many

_LONG_MARK = re.compile(r"\[memory:([0-9a-f-]{36})\]")


def register(app: typer.Typer) -> None:
    app.command(
        "ask",
        epilog=examples(
            'thoth ask "which port does staging use?"',
            'thoth ask "recap my last meeting with Maya"',
            'thoth ask "what happened on 1 February?" --json',
            'thoth ask "what should I know?" --mode recent --weighted',
            'thoth ask "what was decided?" --person Maya --since 30d --source notes/work',
        ),
    )(ask)


@answers(Answer)
def ask(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="What to ask.")],
    *,
    mode: Annotated[
        Mode, typer.Option("--mode", help="recent: the newest, no search; search: by recall; auto: recent while all of it fits.")
    ] = Mode.AUTO,
    since: Annotated[str | None, typer.Option("--since", metavar="WHEN", help="Not older than: 7d, or 2024-02-01.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Up to the end of: 2024-02-29.")] = None,
    person: Annotated[str | None, typer.Option("--person", metavar="NAME", help="Who spoke or is named.")] = None,
    topic: Annotated[str | None, typer.Option("--topic", metavar="WORDS", help="What it is about.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Where it is from: a stream's source, an import's, a folder.")
    ] = None,
    stream: Annotated[str | None, typer.Option("--stream", metavar="NAME", help="On which stream.")] = None,
    min_importance: Annotated[
        float,
        typer.Option("--min-importance", min=0.0, max=1.0, help="At least so important, as the Parser says (0.5: ordinary)."),
    ] = 0.0,
    weighted: Annotated[bool, typer.Option("--weighted", help="Of the newest, prefer those that matter more.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=MOST_ROWS, help="How many of the newest memories recent takes.")
    ] = RECENT_ROWS,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="Ask the mind as it was then.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Ask the memory a question: an answer with citations, or "I don't know"; without a model, the passages that bear on it.

    Every citation is checked: it was put to the model, and it is there. What a citation names, `thoth substrate show` shows.
    """
    start = moment(since, SystemClock().now()) if since else None
    filters = Filters(start, instant(until), person, topic, source, stream, min_importance)
    if filters.since and filters.until and filters.since >= filters.until:
        raise BadInput(f"Nothing lies between --since {since} and --until {until}.")
    chosen = settings(tenant)
    asked = Question(" ".join(question), chosen.tenant, mode, filters, limit, weighted, instant(as_of))
    with door.found(chosen) as server, door.substrate(chosen, server) as substrate:
        answer = asyncio.run(_asked(House(chosen, substrate, server.dsn, SystemClock()), asked))
    out.emit(answer, as_json=json, show=_show)


async def _asked(house: House, question: Question) -> Answer:
    asking = Asking(house)
    try:
        return await (await asking.asker()).ask(question)
    finally:
        await asking.close()
        await house.close()


def _show(answer: Answer) -> None:
    """The answer and what it cites; in the place of an answer, the passages, and on stderr why."""
    if answer.answer:
        out.say(out.many_lines(_LONG_MARK.sub(lambda mark: f"[memory:{mark[1][:SHORT_ID_CHARS]}]", answer.answer)))
        if answer.citations:
            out.say()
    for one in answer.citations:
        out.say(_line(one))
    if not answer.answer:
        found = many(len(answer.citations), "passage") if answer.citations else "nothing"
        out.talk(f"No answer, but {found} that may bear on it. {answer.why}")
    elif answer.why:
        out.talk(answer.why)
    if answer.removed:
        out.talk(f"{many(answer.removed, 'citation')} named nothing that was shown, and went.")
    if answer.left_out:
        out.talk(f"{many(answer.left_out, 'source')} found no room (THOTH_ASK_WINDOW_TOKENS).")


def _line(one: Cited) -> str:
    """`[memory:019e2a3b-4c5d-7001] 2024-02-01 Maya: what she said`."""
    if one.kind is SourceKind.MEMORY:
        return f"[memory:{one.id[:SHORT_ID_CHARS]}] {one.at.date()} {out.one_line(one.who)}: {out.one_line(one.text)}"
    return f"[{one.kind}:{one.id}] {one.at.date()}: {out.one_line(one.text)}"
