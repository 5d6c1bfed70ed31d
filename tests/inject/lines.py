"""Lines for the tests of injecting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from thoth_substrate.inject.compose import handles_of
from thoth_substrate.inject.render import render
from thoth_substrate.model.projection import Cited, Kind, Line

START = datetime(2026, 3, 4, 9, tzinfo=UTC)


def line(number: int, text: str, *, actor: str = "Maya", session: str = "s1", minutes: int | None = None, trust: float = 1.0,
         stream: str = "thoth.world.user_message.cli", passage_no: int = 0) -> Line:  # fmt: skip
    """A line of slice `number`, `minutes` after the start (its number by default)."""
    at = START + timedelta(minutes=number if minutes is None else minutes)
    return Line("", UUID(int=number), passage_no, session, actor, at, stream, text, 1.0 / (number + 1), 0.5, trust)


def fact(row_id: int, text: str, *sources: int, note: str = "", kind: Kind = Kind.FACT, minutes: int = 0) -> Line:
    """A fact that rests on the slices of those numbers."""
    cited = tuple(Cited(UUID(int=number), 0) for number in sources)
    first, at = cited[0].slice_id if cited else UUID(int=0), START + timedelta(minutes=minutes)
    return Line("", first, 0, "", "", at, "", text, 2.0, 0.0,
                kind=kind, row_id=row_id, sources=cited, note=note)  # fmt: skip


def numbered(lines: Sequence[Line]) -> list[Line]:
    """The lines with their handles, as if all were taken."""
    return [replace(line, handle=handle) for line, handle in zip(lines, handles_of(lines), strict=True)]


def rendered(*lines: Line) -> str:
    """A block of all the lines."""
    return "\n".join(render(numbered(lines)))
