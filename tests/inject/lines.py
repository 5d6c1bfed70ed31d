"""Lines for the tests of injecting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from thoth_substrate.model.projection import Line

START = datetime(2026, 3, 4, 9, tzinfo=UTC)


def line(number: int, text: str, *, actor: str = "Maya", session: str = "s1", minutes: int | None = None, trust: float = 1.0,
         stream: str = "thoth.world.user_message.cli", passage_no: int = 0) -> Line:  # fmt: skip
    """A line of slice `number`, `minutes` after the start (its number by default)."""
    at = START + timedelta(minutes=number if minutes is None else minutes)
    return Line("", UUID(int=number), passage_no, session, actor, at, stream, text, 1.0 / (number + 1), 0.5, trust)
