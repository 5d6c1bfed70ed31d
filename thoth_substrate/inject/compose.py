"""Compose: from ranked lines to a block inside the token budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from thoth_substrate.inject.fold import Fingerprint, fingerprint, is_repeat
from thoth_substrate.inject.render import CLOSE, NOTICE, OPEN, Headers, group_key, line_text, render
from thoth_substrate.model.projection import Line
from thoth_substrate.model.tokens import count

FIRST_HANDLE, HANDLES = 100, 900
MANY_LINES, FIRST_LONG_HANDLE, LONG_HANDLES = 600, 1000, 999_000


@dataclass(frozen=True, slots=True)
class Composed:
    """A block and what is in it. `folded` lines said what a kept one says; `skipped` did not fit the budget."""

    block: str
    lines: tuple[Line, ...]
    tokens: int
    folded: int
    skipped: int


class _Budget:
    """Token costs as lines are added: a new group pays for its header once."""

    def __init__(self, total: int, headers: Headers) -> None:
        self._left = total - count(f"{OPEN}\n{NOTICE}\n{CLOSE}")
        self._headers = headers
        self._groups: set[tuple[str, str]] = set()

    def take(self, line: Line) -> bool:
        """Pay for the line if there is enough left."""
        key = group_key(line)
        cost = count(line_text(line) + "\n")
        if key not in self._groups:
            cost += count(self._headers.of(line) + "\n")
        if cost > self._left:
            return False
        self._left -= cost
        self._groups.add(key)
        return True


def compose(ranked: Sequence[Line], budget_tokens: int) -> Composed:
    """Take lines in rank order while they fit, skipping what does not and trying the next; fold repeats; give handles.

    The count of the finished block is exact; should joining cost more than its parts, the last lines taken go again.
    """
    numbered = with_handles(ranked)
    budget = _Budget(budget_tokens, Headers(numbered))
    kept: list[Line] = []
    prints: dict[object, list[Fingerprint]] = {}
    folded = skipped = 0
    for line in numbered:
        mark = fingerprint(line)
        if any(is_repeat(mark, other) for other in prints.get(mark.exact, ())):
            folded += 1
        elif budget.take(line):
            kept.append(line)
            prints.setdefault(mark.exact, []).append(mark)
        else:
            skipped += 1
    block = render(kept)
    while kept and count(block) > budget_tokens:
        kept.pop()
        skipped += 1
        block = render(kept)
    return Composed(block, tuple(kept), count(block) if block else 0, folded, skipped)


def with_handles(lines: Sequence[Line]) -> list[Line]:
    """Three-digit handles (one token each) that depend on the slice, so that the same memory keeps its number.

    Two passages of one slice share a handle; slices whose numbers collide move to the next free one, in rank order.
    """
    first, space = (FIRST_HANDLE, HANDLES) if len(lines) <= MANY_LINES else (FIRST_LONG_HANDLE, LONG_HANDLES)
    taken: dict[int, UUID] = {}
    numbered = []
    for line in lines:
        number = line.slice_id.int % space
        while taken.setdefault(number, line.slice_id) != line.slice_id:
            number = (number + 1) % space
        numbered.append(replace(line, handle=str(first + number)))
    return numbered
