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
FACTS_SHARE = 0.2  # of the budget, at most: facts say that something is so, quotes how it was said
FACTS_TOKENS = 40  # whatever the budget: a fact or two
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
        self.left = total - count(f"{OPEN}\n{NOTICE}\n{CLOSE}")
        self._left_for_facts = facts_share(total)
        self._headers = headers
        self._groups: set[tuple[str, str]] = set()

    def take(self, line: Line) -> bool:
        """Pay for a quote if there is enough left."""
        key = group_key(line)
        cost = count(line_text(line) + "\n")
        if key not in self._groups:
            cost += count(self._headers.of(line) + "\n")
        if cost > self.left:
            return False
        self.left -= cost
        self._groups.add(key)
        return True

    def take_fact(self, fact: Line) -> bool:
        """Pay for a fact if there is enough left, and enough for facts."""
        cost = count(line_text(fact) + "\n")
        if cost > min(self.left, self._left_for_facts):
            return False
        self.left -= cost
        self._left_for_facts -= cost
        return True

    def give_back(self, fact: Line) -> None:
        """A fact that was paid for goes after all."""
        cost = count(line_text(fact) + "\n")
        self.left += cost
        self._left_for_facts += cost


class _Writing:
    """The lines taken so far: quotes in order, facts by handle, and which passages stand there."""

    def __init__(self, budget: _Budget) -> None:
        self.budget = budget
        self.quotes: list[Line] = []
        self.facts: dict[str, Line] = {}
        self.folded = self.skipped = 0
        self._quoted: set[Cited] = set()
        self._prints: dict[object, list[Fingerprint]] = {}

    def quote(self, line: Line) -> None:
        """Take a quote, unless it repeats one or does not fit. Facts that rest on nothing unquoted any more go."""
        if self._repeats(line) or not self._paid(self.budget.take(line), line):
            return
        self.quotes.append(line)
        self._quoted.add(Cited(line.slice_id, line.passage_no))
        for fact in [fact for fact in self.facts.values() if self._says_nothing_new(fact)]:
            self.budget.give_back(self.facts.pop(fact.handle))
            self.folded += 1

    def fact(self, line: Line) -> None:
        """Take a fact, unless quotes say it or it repeats one or does not fit."""
        if self._says_nothing_new(line):
            self.folded += 1
        elif not self._repeats(line) and self._paid(self.budget.take_fact(line), line):
            self.facts[line.handle] = line

    def _says_nothing_new(self, fact: Line) -> bool:
        return bool(fact.sources) and self._quoted.issuperset(fact.sources)

    def _repeats(self, line: Line) -> bool:
        mark = fingerprint(line)
        repeats = any(is_repeat(mark, other) for other in self._prints.get(mark.exact, ()))
        self.folded += repeats
        return repeats

    def _paid(self, taken: bool, line: Line) -> bool:
        if taken:
            mark = fingerprint(line)
            self._prints.setdefault(mark.exact, []).append(mark)
        else:
            self.skipped += 1
        return taken


def facts_share(budget_tokens: int) -> int:
    """Tokens that facts may take of a budget."""
    return max(int(budget_tokens * FACTS_SHARE), FACTS_TOKENS)


def compose(ranked: Sequence[Line], budget_tokens: int) -> Composed:
    """Take lines in rank order while they fit, skipping what does not and trying the next; fold repeats; give handles.

    Quotes go first, until what is left is the share of facts; then facts; then quotes again. So the words that answer
    stand there, and a fact takes room only for what no quote says: one whose sources are all quoted is folded away. The
    count of the finished block is exact; should joining cost more than its parts, the last lines taken go again.
    """
    numbered = with_handles(ranked)
    facts = [line for line in numbered if line.kind is not Kind.QUOTE]
    quotes = [line for line in numbered if line.kind is Kind.QUOTE]
    writing = _Writing(_Budget(budget_tokens, Headers(quotes)))
    left = facts_share(budget_tokens) if facts else 0
    while quotes and writing.budget.left > left:
        writing.quote(quotes.pop(0))
    for fact in facts:
        writing.fact(fact)
    for line in quotes:
        writing.quote(line)
    return _fitted([*writing.facts.values(), *writing.quotes], budget_tokens, writing)


def _fitted(kept: list[Line], budget_tokens: int, writing: _Writing) -> Composed:
    skipped, block = writing.skipped, render(kept)
    while kept and count(block) > budget_tokens:
        kept.pop()
        skipped += 1
        block = render(kept)
    return Composed(block, tuple(kept), count(block) if block else 0, writing.folded, skipped)


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
