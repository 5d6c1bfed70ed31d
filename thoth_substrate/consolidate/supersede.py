"""What a new fact does to those held before: pure, on the facts of one subject and one predicate.

Two times are kept apart. A change in the world ends a fact's validity: the form without an end is retracted, a form with the
end takes its place, and the mind's past beliefs stay readable. A mistake of the mind (a correction) is retracted and nothing
takes its place but what is right. Only the same functional predicate supersedes; an older event learned later is put where
it belongs and never becomes current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from thoth_substrate.consolidate.predicates import NEVER_CHANGES
from thoth_substrate.consolidate.quotes import Found

Kind = Literal["contradicted", "corrected"]
SUPERSEDED, ENDED, NEGATED = "superseded", "ended", "ended: it is said to be so no longer"
CONTRADICTED, CORRECTED, RESTATED = "contradicted", "corrected", "restated: known since an earlier time"


@dataclass(eq=False, slots=True)
class Fact:
    """A relationship in the mind, as stored or about to be. `row_id` is negative until it has a number of its own.

    `subject` and `root` are entities that stand for themselves; `root` is None for a value. `mentions` are event times at
    which it was said to be so. `from_id` names the stored row whose citations it inherits. `by_person`: somebody outside
    said it, not the agent itself. `retired` holds why.
    """

    row_id: int
    subject: int
    predicate: str
    root: int | None
    object_text: str
    object_norm: str
    negated: bool
    functional: bool
    statement: str
    valid_from: datetime
    valid_to: datetime | None
    stated: float
    confidence: float
    by_person: bool
    slices: frozenset[UUID] = frozenset()
    mentions: frozenset[datetime] = frozenset()
    agent: str = ""
    model: str = ""
    decision_id: UUID | None = None
    from_id: int | None = None
    superseded_by: int | None = None
    retired: str | None = None
    quotes: list[Found] = field(default_factory=list)
    embedding: Sequence[float] | None = None

    @property
    def stored(self) -> bool:
        return self.row_id > 0

    @property
    def living(self) -> bool:
        return self.retired is None

    def holds_at(self, at: datetime) -> bool:
        """Whether it was so in the world at that instant."""
        return self.valid_from <= at and (self.valid_to is None or at < self.valid_to)

    def heard_after(self, at: datetime) -> datetime | None:
        """When it was first said to be so after that instant, within the time in which it holds."""
        return min((said for said in self.mentions if said > at and self.holds_at(said)), default=None)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A proposed fact that was resolved and checked. `event_time` is its source's; `dated`: the source itself dates it."""

    fact: Fact
    event_time: datetime
    dated: bool = False
    ends: bool = False
    corrects: bool = False

    @property
    def order(self) -> tuple[datetime, int]:
        """What was said first comes first; of one moment first what ends, then what is, then what puts right."""
        return self.event_time, 3 if self.corrects else 0 if self.ends else 1 if self.fact.negated else 2


@dataclass(frozen=True, slots=True)
class Event:
    """What befell a fact, for calibration. `by` is the row that did it."""

    row_id: int
    kind: Kind
    by: int


class Timeline:
    """The living facts of one subject and predicate, and what claims make of them. `numbers` gives negative ones to new rows."""

    def __init__(self, facts: Sequence[Fact], numbers: Iterator[int]) -> None:
        self.facts = list(facts)
        self.outcomes: list[Event] = []
        self.corroborated: list[tuple[Fact, Claimed]] = []
        self.refused: list[Claimed] = []
        self.superseded = 0
        self._numbers = numbers

    def take(self, claims: Sequence[Claimed]) -> None:
        """Work claims in, in the order in which they were said."""
        for claim in sorted(claims, key=lambda one: one.order):
            if self._is_outranked(claim):
                self.refused.append(claim)
            elif claim.ends and not claim.fact.negated:
                self._end(claim)
            else:
                self._assert(self._put_right(claim) if claim.corrects and claim.fact.by_person else claim)

    # ── what is there ───────────────────────────────────────────────────────────────────────────────────────────────

    def _alike(self, fact: Fact, *, negated: bool) -> list[Fact]:
        """Living facts with the same object, in the order of their validity."""
        found = [f for f in self.facts if f.living and f.negated == negated and _same_object(f, fact)]
        return sorted(found, key=lambda f: f.valid_from)

    def _rivals(self, fact: Fact) -> list[Fact]:
        """Living facts that cannot hold beside this one: its opposite, and another object of a functional predicate."""
        rivals = self._alike(fact, negated=not fact.negated)
        if fact.functional and not fact.negated:
            rivals += [f for f in self.facts if f.living and f.functional and not f.negated and not _same_object(f, fact)]
        return [f for f in rivals if f.valid_from != f.valid_to]  # only known to be over, it takes no time from others

    def _is_outranked(self, claim: Claimed) -> bool:
        """The agent's own words do not overturn what a person said: its refuted conclusions would come back as authority."""
        fact = claim.fact
        if fact.by_person:
            return False
        if claim.ends:
            return any(f.by_person and f.holds_at(_end_of(claim, f)) for f in self._alike(fact, negated=False))
        return any(f.by_person and f.holds_at(fact.valid_from) for f in self._rivals(fact))

    # ── what a claim does ───────────────────────────────────────────────────────────────────────────────────────────

    def _end(self, claim: Claimed) -> None:
        """It is so no longer. Told of what was never heard of, it is kept as a fact that is over."""
        fact, before = claim.fact, self._alike(claim.fact, negated=False)
        running = [f for f in before if f.valid_to is None and f.valid_from <= _end_of(claim, f)]
        if running:
            for one in running:
                end = _end_of(claim, one)
                self._resume(one, one.heard_after(end))
                closed = self._close(one, end, ENDED, None)
                closed.quotes += fact.quotes
                self.superseded += 1
            return
        end = fact.valid_to or claim.event_time
        over = [f for f in before if f.valid_to is not None and f.valid_from <= end <= f.valid_to]
        if over:
            self._corroborate(over[-1], claim)
        else:
            fact.valid_from, fact.valid_to = min(fact.valid_from, end) if claim.dated else end, end
            self.facts.append(fact)

    def _put_right(self, claim: Claimed) -> Claimed:
        """What was held was never so: it is retracted, and what is right takes its time."""
        fact = claim.fact
        wrong = [f for f in self._rivals(fact) if f.valid_to is None or f.valid_to > fact.valid_from]
        wrong = [f for f in wrong if f.valid_from <= max(fact.valid_from, claim.event_time)]
        for one in wrong:
            self._retire(one, f"{CORRECTED}: it was never so", fact, "corrected")
            self.superseded += 1
        if not wrong or claim.dated:
            return claim
        ends = [f.valid_to for f in wrong]
        fact.valid_from = min(fact.valid_from, *(f.valid_from for f in wrong))
        if all(ends):
            fact.valid_to = fact.valid_to or max(end for end in ends if end is not None)
        return claim

    def _assert(self, claim: Claimed) -> None:
        fact = claim.fact
        rivals = self._rivals(fact)
        if any(_said_together(one, fact) for one in rivals):
            fact.functional = False  # two objects told in one breath stand beside each other
            rivals = self._rivals(fact)
        if fact.predicate in NEVER_CHANGES and rivals:
            self._choose(rivals, claim)
            return
        later = _next(rivals, fact.valid_from)
        alike = self._alike(fact, negated=fact.negated)
        if (there := next((f for f in alike if f.holds_at(fact.valid_from)), None)) is not None:
            self._confirm(there, claim)
            return
        after = next((f for f in alike if f.valid_from >= fact.valid_from), None)
        if after is not None and _reaches(fact, after) and (later is None or later >= after.valid_from):
            self._make_room(rivals, fact, after.valid_from, after)
            self._start_earlier(after, claim)
            return
        if later is not None and (fact.valid_to is None or later < fact.valid_to):
            fact.valid_to = later
            fact.superseded_by = next(f.row_id for f in rivals if later in (f.valid_from, f.heard_after(fact.valid_from)))
        self.facts.append(fact)
        self._make_room(rivals, fact, fact.valid_to, fact)

    def _confirm(self, there: Fact, claim: Claimed) -> None:
        """The same again: one more citation, no new row. It may tell an end that was not known."""
        end = claim.fact.valid_to
        if end is not None and there.valid_to is None and end >= there.valid_from:
            closed = self._close(there, end, ENDED, None)
            closed.quotes += claim.fact.quotes
            self.superseded += 1
        else:
            self._corroborate(there, claim)

    def _start_earlier(self, after: Fact, claim: Claimed) -> None:
        if after.valid_from == claim.fact.valid_from:
            self._corroborate(after, claim)
            return
        if after.stored:
            earlier = self._copy(after, claim.fact.valid_from, after.valid_to)
            after.retired, after.superseded_by = RESTATED, earlier.row_id
            self.facts.append(earlier)
        else:
            after.valid_from, earlier = claim.fact.valid_from, after
        self._corroborate(earlier, claim)

    def _corroborate(self, fact: Fact, claim: Claimed) -> None:
        fact.quotes += claim.fact.quotes
        fact.slices |= claim.fact.slices
        fact.mentions |= claim.fact.mentions
        fact.by_person |= claim.fact.by_person
        self.corroborated.append((fact, claim))

    def _make_room(self, rivals: Sequence[Fact], fact: Fact, until: datetime | None, by: Fact) -> None:
        """Take from each rival the time from the fact's beginning to `until`: what is left before and after stays."""
        for one in rivals:
            ends_before = one.valid_to is not None and one.valid_to <= fact.valid_from
            starts_after = until is not None and one.valid_from >= until
            if ends_before or starts_after or not one.living:
                continue
            self.superseded += 1
            self._resume(one, until)
            if one.valid_from >= fact.valid_from:
                self._retire(one, f"{CONTRADICTED} by what was learned later", by, "contradicted")
            else:
                self._close(one, fact.valid_from, NEGATED if fact.negated else SUPERSEDED, by)

    def _resume(self, fact: Fact, at: datetime | None) -> None:
        """What goes on after an interruption goes on as a row of its own."""
        if at is not None and (fact.valid_to is None or at < fact.valid_to):
            self.facts.append(self._copy(fact, at, fact.valid_to))

    def _choose(self, rivals: Sequence[Fact], claim: Claimed) -> None:
        """Of what never changes one is mistaken, and what was said last counts."""
        fact = claim.fact
        newer = next((f for f in rivals if f.valid_from > fact.valid_from or f.heard_after(fact.valid_from)), None)
        self.facts.append(fact)
        if newer is not None:
            self._retire(fact, f"{CONTRADICTED} by what was said later", newer, "contradicted")
            return
        for one in rivals:
            self._retire(one, f"{CONTRADICTED} by what was said later", fact, "contradicted")
            self.superseded += 1

    def _close(self, fact: Fact, at: datetime, reason: str, by: Fact | None) -> Fact:
        """Give a fact its end. A stored one is retracted in its old form; what nobody has read yet is simply changed."""
        if not fact.stored:
            fact.valid_to = max(at, fact.valid_from)
            fact.superseded_by = by.row_id if by else fact.superseded_by
            return fact
        closed = self._copy(fact, fact.valid_from, max(at, fact.valid_from))
        closed.superseded_by = by.row_id if by else None
        fact.retired, fact.superseded_by = reason, by.row_id if by else closed.row_id
        self.facts.append(closed)
        return closed

    def _retire(self, fact: Fact, reason: str, by: Fact, kind: Kind) -> None:
        fact.retired, fact.superseded_by = reason, by.row_id
        self.outcomes.append(Event(fact.row_id, kind, by.row_id))

    def _copy(self, fact: Fact, start: datetime, end: datetime | None) -> Fact:
        """The same fact for another time, with the same citations."""
        return replace(
            fact, row_id=next(self._numbers), valid_from=start, valid_to=end, quotes=list(fact.quotes), retired=None,
            from_id=fact.row_id if fact.stored else fact.from_id,
        )  # fmt: skip


def _same_object(one: Fact, other: Fact) -> bool:
    return (one.root is not None and one.root == other.root) or one.object_norm == other.object_norm


def _next(rivals: Sequence[Fact], at: datetime) -> datetime | None:
    """When, after that instant, one of these begins, or is said to be so again."""
    starts = [f.valid_from for f in rivals if f.valid_from > at]
    heard = [said for f in rivals if f.holds_at(at) and (said := f.heard_after(at)) is not None]
    return min(starts + heard, default=None)


def _said_together(one: Fact, other: Fact) -> bool:
    """Whether two objects were told of by the same slice as of one time."""
    return one.negated == other.negated and one.valid_from == other.valid_from and bool(one.slices & other.slices)


def _reaches(fact: Fact, after: Fact) -> bool:
    """Whether the fact's time may run on until the same fact's later time begins."""
    return fact.valid_to is None or fact.valid_to >= after.valid_from


def _end_of(claim: Claimed, running: Fact) -> datetime:
    """When a fact ended: at the end that was told, else at a beginning told that lies within it, else when it was said."""
    told = claim.fact
    if told.valid_to is not None:
        return told.valid_to
    if claim.dated and told.valid_from > running.valid_from:
        return told.valid_from
    return claim.event_time
