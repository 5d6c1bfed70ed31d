"""Compose: from ranked lines to a block inside the token budget. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from thoth_substrate.inject.fold import Fingerprint, is_repeat
from thoth_substrate.inject.render import CLOSE, NOTICE, OPEN, Headers, group_key, line_text, render, said
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
        self._groups: set[tuple[str, date]] = set()

    def take(self, line: Line, handle: str) -> bool:
        """Pay for a quote if there is enough left."""
        text, key = f"{handle} {said(line)}\n", group_key(line)
        if _too_long(text, self.left):
            return False
        cost = count(text)
        if key not in self._groups:
            cost += count(self._headers.of(line) + "\n")
        if cost > self.left:
            return False
        self.left -= cost
        self._groups.add(key)
        return True

    def take_fact(self, fact: Line, handle: str) -> bool:
        """Pay for a fact if there is enough left, and enough for facts."""
        text, left = f"{handle} {said(fact)}\n", min(self.left, self._left_for_facts)
        if _too_long(text, left):
            return False
        cost = count(text)
        if cost > left:
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
        self._prints: defaultdict[str, list[Fingerprint]] = defaultdict(list)

    def quote(self, line: Line, handle: str) -> None:
        """Take a quote, unless it repeats one or does not fit. Facts that rest on nothing unquoted any more go."""
        mark = Fingerprint(line)
        if self._repeats(mark) or not self._paid(self.budget.take(line, handle), mark):
            return
        self.quotes.append(replace(line, handle=handle))
        self._quoted.add(Cited(line.slice_id, line.passage_no))
        for fact in [fact for fact in self.facts.values() if self._says_nothing_new(fact)]:
            self.budget.give_back(self.facts.pop(fact.handle))
            self.folded += 1

    def fact(self, line: Line, handle: str) -> None:
        """Take a fact, unless quotes say it or it repeats one or does not fit."""
        if self._says_nothing_new(line):
            self.folded += 1
            return
        mark = Fingerprint(line)
        if not self._repeats(mark) and self._paid(self.budget.take_fact(line, handle), mark):
            self.facts[handle] = replace(line, handle=handle)

    def _says_nothing_new(self, fact: Line) -> bool:
        return bool(fact.sources) and self._quoted.issuperset(fact.sources)

    def _repeats(self, mark: Fingerprint) -> bool:
        repeats = any(is_repeat(mark, other) for other in self._prints[mark.speaker])
        self.folded += repeats
        return repeats

    def _paid(self, taken: bool, mark: Fingerprint) -> bool:
        if taken:
            self._prints[mark.speaker].append(mark)
        else:
            self.skipped += 1
        return taken


def _too_long(text: str, left: int) -> bool:
    """Whether a text surely does not fit, without counting its tokens: none of them reaches into a second word."""
    return len(text) > left and len(text.split()) > left


def facts_share(budget_tokens: int) -> int:
    """Tokens that facts may take of a budget."""
    return max(int(budget_tokens * FACTS_SHARE), FACTS_TOKENS)


def compose(ranked: Sequence[Line], budget_tokens: int) -> Composed:
    """Take lines in rank order while they fit, skipping what does not and trying the next; fold repeats; give handles.

    Quotes go first, until what is left is the share of facts; then facts; then quotes again. So the words that answer
    stand there, and a fact takes room only for what no quote says: one whose sources are all quoted is folded away. The
    count of the finished block is exact; should its headers cost more than was reckoned, the last lines taken go again.
    """
    numbered = list(zip(ranked, handles_of(ranked), strict=True))
    facts = [(line, handle) for line, handle in numbered if line.kind is not Kind.QUOTE]
    quotes = [(line, handle) for line, handle in numbered if line.kind is Kind.QUOTE]
    writing = _Writing(_Budget(budget_tokens, Headers(line for line, _ in quotes)))
    left = facts_share(budget_tokens) if facts else 0
    while quotes and writing.budget.left > left:
        writing.quote(*quotes.pop(0))
    for fact, handle in facts:
        writing.fact(fact, handle)
    for line, handle in quotes:
        writing.quote(line, handle)
    return _fitted([*writing.facts.values(), *writing.quotes], budget_tokens, writing)


def _fitted(kept: list[Line], budget_tokens: int, writing: _Writing) -> Composed:
    skipped, pieces = writing.skipped, render(kept)
    while kept and _tokens(pieces) > budget_tokens:
        kept.pop()
        skipped += 1
        pieces = render(kept)
    return Composed("\n".join(pieces), tuple(kept), _tokens(pieces), writing.folded, skipped)


def _tokens(pieces: Sequence[str]) -> int:
    """Of the whole block, exactly: no token reaches over a line's end into the digit, letter or `<` that begins a piece."""
    return sum(count(piece if piece == CLOSE else f"{piece}\n") for piece in pieces)


def handles_of(lines: Sequence[Line]) -> list[str]:
    """Three-digit handles (one token each) that depend on the slice or fact, so that the same memory keeps its number.

    Two passages of one slice share a handle; slices whose numbers collide move to the next free one, in rank order.
    """
    first, space = (FIRST_HANDLE, HANDLES) if len(lines) <= MANY_LINES else (FIRST_LONG_HANDLE, LONG_HANDLES)
    taken: dict[int, UUID | int] = {}
    handles = []
    for line in lines:
        named = line.slice_id if line.row_id is None else line.row_id
        number = (line.slice_id.int if line.row_id is None else line.row_id * SPREAD) % space
        while taken.setdefault(number, named) != named:
            number = (number + 1) % space
        handles.append(str(first + number))
    return handles


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
