"""thoth recall."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.model.projection import Line, Projection
from thoth_substrate.views.emptiness import why_empty
from thoth_substrate.views.resolve import short
from thoth_substrate.views.words import ago, many

LEAST_PART = 0.1


def register(app: typer.Typer) -> None:
    app.command(
        "recall",
        epilog=examples(
            'thoth recall "when did I move?"',
            'thoth recall "which port does staging use?" --explain',
            'thoth recall "what should I pack?" --budget 500 --json',
            'thoth recall "where do I live?" --as-of 2024-05-31',
        ),
    )(recall)


@answers(Projection)
def recall(
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="What to ask, as the next message of a turn would.")],
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say for each line which legs found it and what its score is made of.")
    ] = False,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="The conversation that asks: its own turns are left out.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(metavar="TOKENS", min=1, max=200_000, help="Longest block (else THOTH_RECALL_BUDGET_TOKENS).")
    ] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DATE", help="Ask the mind as it was: 2024-05-31, or 2024-05-31T18:00Z.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Ask the memory by hand: print the <memory-context> that a turn would get. Works while recall is switched off."""
    asked, then = " ".join(question), instant(as_of)
    if not asked.strip():
        raise BadInput("There is no question: the text is empty.")
    chosen = settings(tenant)
    with door.found(chosen) as server, door.substrate(chosen, server) as substrate:
        projection = substrate.recall_sync(asked, session=session, budget_tokens=budget, forced=True, as_of=then)
    out.emit(projection, as_json=json, show=show_explained if explain else show_block)


def instant(word: str | None) -> datetime | None:
    """The instant that a date means; a day means its end, UTC. Raises BadInput."""
    if word is None:
        return None
    try:
        found = datetime.fromisoformat(word.strip())
    except ValueError:
        raise BadInput(f"{word!r} is no date: give one such as 2024-05-31 or 2024-05-31T18:00Z.") from None
    if len(word.strip()) <= len("2024-05-31"):
        found += timedelta(days=1, microseconds=-1)
    return found.replace(tzinfo=found.tzinfo or UTC)


def show_block(projection: Projection) -> None:
    """The block, exactly as a turn would get it; when it is empty, why, on stderr."""
    if projection.block:
        out.say(projection.block)
    else:
        out.talk(why_empty(projection))
    show_missing(projection)


def show_missing(projection: Projection) -> None:
    """Of an answer as of then: what would have been quoted and has been released since."""
    for one in projection.missing:
        released = f"released on {out.when(one.released_at)}" if one.released_at else "released, and its month is gone"
        out.talk(f"Missing: {one.handle} {one.actor or 'somebody'}, {out.when(one.event_time)}: {released}.")


def show_explained(projection: Projection) -> None:
    """The block or why there is none, then each line's legs and the parts of its score, then each leg's time."""
    if projection.lines:
        out.say(projection.block)
        out.say()
        show_lines(projection.lines)
    else:
        out.say(why_empty(projection))
    out.say()
    show_legs(projection)
    show_missing(projection)
    show_sum(projection)


def show_lines(lines: tuple[Line, ...]) -> None:
    """Why each line is there."""
    now = SystemClock().now()
    out.table(
        ["line", "kind", "found by", ("score", "right"), ("made of", "wrap"), "age", "session or row"],
        [
            (
                line.handle,
                line.kind,
                " ".join(line.legs),
                f"{line.score:.2f}",
                parts(line),
                ago(line.event_time, now),
                line.session_id if line.row_id is None else f"row:{line.row_id}, rests on {many(len(line.sources), 'passage')}",
            )
            for line in lines
        ],
    )


def show_legs(projection: Projection) -> None:
    """How each leg ended, what it brought and how long it took."""
    out.table(
        ["leg", "state", ("rows", "right"), ("ms", "right"), "why"],
        [(leg.name, str(leg.state), leg.rows, f"{leg.took_ms:.1f}", leg.why) for leg in projection.legs],
    )


def show_sum(projection: Projection) -> None:
    """What it came to, and the name under which it is logged."""
    asked = f", recall {short(projection.recall_id)}" if projection.recall_id else ""
    out.say(f"{many(len(projection.lines), 'line')}, {projection.tokens:,} tokens, {projection.took_ms:.0f} ms{asked}")


def parts(line: Line) -> str:
    """The addends of a score, the greatest first; those that add next to nothing are left out."""
    greatest = sorted(line.parts.items(), key=lambda part: -abs(part[1]))
    return " ".join(f"{name} {value:+.2f}" for name, value in greatest if abs(value) >= LEAST_PART)
