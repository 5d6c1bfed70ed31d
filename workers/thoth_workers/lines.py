"""Rows of knowledge as a model is shown them, in numbered lines, and the rows that it names in its reply. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

LONGEST_LINE = 300  # characters of a statement that are shown
_NUMBER = re.compile(r"(\d{1,6})\W*$")


def line(name: str, statement: str, since: datetime | None = None, until: datetime | None = None) -> str:
    """One row: `f3 (since 2023-05-08): Maya lives in Porto`."""
    span = " ".join(f"{word} {at.date().isoformat()}" for word, at in (("since", since), ("until", until)) if at is not None)
    return f"{name} ({span}): {short(statement)}" if span else f"{name}: {short(statement)}"


def short(text: str, most_chars: int = LONGEST_LINE) -> str:
    """A sentence on one line, cut at `most_chars`."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most_chars else f"{plain[: most_chars - 1]}…"


def named(said: Iterable[str | int], letter: str, ids: Sequence[int]) -> tuple[list[int], int]:
    """The rows that a model names (`f3`, `F3`, `[f3]`, 3), each once and in order, and how many names there is no row for."""
    found: list[int] = []
    unknown = 0
    for one in said:
        text = str(one).strip().lower()
        match = _NUMBER.search(text)
        other = text.lstrip("[(#").startswith(tuple("abcdefghijklmnopqrstuvwxyz".replace(letter, "")))
        place = int(match[1]) if match and not other else 0
        if 0 < place <= len(ids):
            found.append(ids[place - 1])
        else:
            unknown += 1
    return list(dict.fromkeys(found)), unknown
