"""Compose: from ranked lines to a block inside the token budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from thoth_substrate.inject.fold import Fingerprint, fingerprint, is_repeat
from thoth_substrate.inject.render import CLOSE, NOTICE, OPEN, Headers, group_key, line_text, render
from thoth_substrate.model.projection import Cited, Kind, Line, Missing
from thoth_substrate.model.tokens import count

FIRST_HANDLE, HANDLES = 100, 900
FACTS_SHARE = 0.25  # of the budget, at most: facts say that something is so, quotes how it was said
SPREAD = 7919  # rows are numbered one after another, handles need not be
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
    """Token costs as lines are added: a new group pays for its header once. Facts may take only a share of it."""

    def __init__(self, total: int, headers: Headers) -> None:
        self._left = total - count(f"{OPEN}\n{NOTICE}\n{CLOSE}")
        self._left_for_facts = int(total * FACTS_SHARE)
        self._headers = headers
        self._groups: set[tuple[str, str]] = set()

    def take(self, line: Line) -> bool:
        """Pay for the line if there is enough left."""
        if line.kind is not Kind.QUOTE:
            return self._take_fact(count(line_text(line) + "\n"))
        key = group_key(line)
        cost = count(line_text(line) + "\n")
        if key not in self._groups:
            cost += count(self._headers.of(line) + "\n")
        if cost > self._left:
            return False
        self._left -= cost
        self._groups.add(key)
        return True

    def give_back(self, fact: Line) -> None:
        """A fact that was paid for goes after all."""
        self._take_fact(-count(line_text(fact) + "\n"))

    def _take_fact(self, cost: int) -> bool:
        if cost > min(self._left, self._left_for_facts):
            return False
        self._left -= cost
        self._left_for_facts -= cost
        return True


class _Facts:
    """The facts that are kept, each with what it rests on and is not quoted yet."""

    def __init__(self) -> None:
        self._unquoted: dict[str, tuple[Line, set[Cited]]] = {}
        self._of: dict[Cited, list[str]] = {}

    def add(self, fact: Line) -> None:
        self._unquoted[fact.handle] = fact, set(fact.sources)
        for cited in fact.sources:
            self._of.setdefault(cited, []).append(fact.handle)

    def quoted(self, line: Line) -> list[Line]:
        """The facts that go, since all they rest on stands in the block now."""
        cited, gone = Cited(line.slice_id, line.passage_no), []
        for handle in self._of.get(cited, ()):
            fact, left = self._unquoted[handle]
            left.discard(cited)
            if not left:
                gone.append(fact)
        return gone


def compose(ranked: Sequence[Line], budget_tokens: int) -> Composed:
    """Take lines in the order given while they fit, skipping what does not and trying the next; fold repeats; give handles.

    Facts come before quotes, and may take a quarter of the budget; one whose sources are all quoted in the end is folded
    away and its tokens go to quotes: the words themselves say it better. The count of the finished block is exact; should
    joining cost more than its parts, the last lines taken go again.
    """
    numbered = with_handles(ranked)
    budget, facts = _Budget(budget_tokens, Headers([line for line in numbered if line.kind is Kind.QUOTE])), _Facts()
    kept: dict[tuple[str, int], Line] = {}
    prints: dict[object, list[Fingerprint]] = {}
    folded = skipped = 0
    for line in numbered:
        mark = fingerprint(line)
        if any(is_repeat(mark, other) for other in prints.get(mark.exact, ())):
            folded += 1
            continue
        if not budget.take(line):
            skipped += 1
            continue
        kept[line.handle, line.passage_no] = line
        prints.setdefault(mark.exact, []).append(mark)
        if line.kind is not Kind.QUOTE:
            facts.add(line)
            continue
        for fact in facts.quoted(line):
            del kept[fact.handle, fact.passage_no]
            budget.give_back(fact)
            folded += 1
    return _fitted(list(kept.values()), budget_tokens, folded, skipped)


def _fitted(kept: list[Line], budget_tokens: int, folded: int, skipped: int) -> Composed:
    block = render(kept)
    while kept and count(block) > budget_tokens:
        kept.pop()
        skipped += 1
        block = render(kept)
    return Composed(block, tuple(kept), count(block) if block else 0, folded, skipped)


def with_handles(lines: Sequence[Line]) -> list[Line]:
    """Three-digit handles (one token each) that depend on the slice or fact, so that the same memory keeps its number.

    Two passages of one slice share a handle; slices whose numbers collide move to the next free one, in rank order.
    """
    first, space = (FIRST_HANDLE, HANDLES) if len(lines) <= MANY_LINES else (FIRST_LONG_HANDLE, LONG_HANDLES)
    taken: dict[int, UUID | int] = {}
    numbered = []
    for line in lines:
        named = line.slice_id if line.row_id is None else line.row_id
        number = (line.slice_id.int if line.row_id is None else line.row_id * SPREAD) % space
        while taken.setdefault(number, named) != named:
            number = (number + 1) % space
        numbered.append(replace(line, handle=str(first + number)))
    return numbered


def with_free_handles(gone: Sequence[Missing], lines: Sequence[Line]) -> tuple[Missing, ...]:
    """Handles for slices that cannot be shown any more, none of them that of a line."""
    taken = {line.handle for line in lines}
    numbered = []
    for one in gone:
        number = one.slice_id.int % HANDLES
        while str(FIRST_HANDLE + number) in taken:
            number = (number + 1) % HANDLES
        taken.add(str(FIRST_HANDLE + number))
        numbered.append(replace(one, handle=str(FIRST_HANDLE + number)))
    return tuple(numbered)
