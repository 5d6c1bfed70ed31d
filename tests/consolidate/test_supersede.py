"""What a new fact does to those held before: a change, a mistake, the same again, and history learned in any order."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.consolidate.supersede import Claimed, Fact, Timeline

BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
_numbers = itertools.count(-1, -1)
_ids = itertools.count(1)


def at(days: float) -> datetime:
    return BEGAN + timedelta(days=days)


def claim(target: str, since: float, until: float | None = None, **more: object) -> Claimed:
    """A functional fact said on the day since which it holds, by a person, in a slice of its own."""
    plain = {name: more.pop(name) for name in ("ends", "corrects", "dated", "said") if name in more}
    values = {"negated": False, "functional": True, "by_person": True, "slices": frozenset({UUID(int=next(_ids))})} | more
    said = at(float(plain.pop("said", since)))  # type: ignore[arg-type]
    fact = Fact(
        next(_numbers), 1, "lives_in", None, target, target.casefold(), statement=f"Maya lives in {target}.", stated=0.9,
        valid_from=at(since), valid_to=None if until is None else at(until), confidence=0.9,
        mentions=frozenset({at(since)} if until else {at(since), said}), **values,  # type: ignore[arg-type]
    )  # fmt: skip
    return Claimed(fact, said, **plain)  # type: ignore[arg-type]


class Memory:
    """Timelines as promotion makes them, one after another: what lives is stored with a number, what was retired is kept."""

    def __init__(self) -> None:
        self.living: list[Fact] = []
        self.retired: list[Fact] = []
        self.last = Timeline([], itertools.count(-1))
        self._next = itertools.count(1)

    def learns(self, *claims: Claimed) -> Timeline:
        self.last = Timeline(self.living, itertools.count(-10_000_000 - next(_ids) * 100, -1))
        self.last.take(claims)
        self.retired += [f for f in self.last.facts if not f.living]
        self.living = [f for f in self.last.facts if f.living]
        for fact in self.last.facts:
            if not fact.stored:
                fact.row_id, fact.from_id = next(self._next), None
        return self.last

    @property
    def shown(self) -> list[tuple[str, int, int | None]]:
        ordered = sorted(self.living, key=lambda f: (f.valid_from, f.valid_to or datetime.max.replace(tzinfo=UTC)))
        return [(f"{'not ' * f.negated}{f.object_text}", _days(f.valid_from), _end(f.valid_to)) for f in ordered]


def _end(when: datetime | None) -> int | None:
    return None if when is None else _days(when)


def _days(when: datetime) -> int:
    return (when - BEGAN).days


def test_a_change_in_the_world_ends_the_old_and_keeps_it() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Paris", 100))
    assert memory.shown == [("Berlin", 0, 100), ("Paris", 100, None)]
    (old,) = memory.retired
    assert old.retired == "superseded"
    assert memory.last.outcomes == [], "the world changed, nobody was wrong"


def test_back_again_is_a_new_time_of_the_same() -> None:
    memory = Memory()
    for target, since in (("Berlin", 0), ("Paris", 100), ("Berlin", 200)):
        memory.learns(claim(target, since))
    assert memory.shown == [("Berlin", 0, 100), ("Paris", 100, 200), ("Berlin", 200, None)]


def test_an_older_fact_learned_later_never_becomes_current() -> None:
    memory = Memory()
    memory.learns(claim("Paris", 100))
    memory.learns(claim("Berlin", 0))
    assert memory.shown == [("Berlin", 0, 100), ("Paris", 100, None)]
    assert memory.retired == []


def test_what_lay_between_is_put_between() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Paris", 200))
    memory.learns(claim("Rome", 100))
    assert memory.shown == [("Berlin", 0, 100), ("Rome", 100, 200), ("Paris", 200, None)]


def test_a_time_that_was_told_whole_is_cut_out_of_what_went_on() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Oslo", 50, 80, said=300, dated=True))
    assert memory.shown == [("Berlin", 0, 50), ("Oslo", 50, 80), ("Berlin", 80, None)]


def test_the_same_again_makes_no_row() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    for days in range(1, 49):
        memory.learns(claim("Berlin", days))
        assert len(memory.last.corroborated) == 1
    assert memory.shown == [("Berlin", 0, None)]
    assert memory.retired == []


def test_the_same_known_to_begin_earlier_is_restated() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 100))
    memory.learns(claim("Berlin", 0))
    assert memory.shown == [("Berlin", 0, None)]
    assert [f.retired for f in memory.retired] == ["restated: known since an earlier time"]


def test_what_is_not_functional_supersedes_nothing() -> None:
    memory = Memory()
    memory.learns(claim("Acme", 0, functional=True))
    memory.learns(claim("Bakery", 10, functional=False))
    assert memory.shown == [("Acme", 0, None), ("Bakery", 10, None)]
    memory.learns(claim("Globex", 20, functional=True))
    assert memory.shown == [("Acme", 0, 20), ("Bakery", 10, None), ("Globex", 20, None)]


def test_two_objects_of_one_breath_stand_beside_each_other() -> None:
    memory = Memory()
    one = frozenset({UUID(int=7)})
    memory.learns(claim("Acme", 0, slices=one), claim("Bakery", 0, slices=one))
    assert memory.shown == [("Acme", 0, None), ("Bakery", 0, None)]


def test_two_objects_of_one_time_from_two_sources_contradict_each_other() -> None:
    memory = Memory()
    memory.learns(claim("Acme", 0))
    memory.learns(claim("Globex", 0))
    assert memory.shown == [("Globex", 0, None)]
    assert [e.kind for e in memory.last.outcomes] == ["contradicted"]
    assert memory.retired[0].retired == "contradicted by what was learned later"


def test_an_end_without_a_beginning_is_kept_and_ends_what_is_learned_later() -> None:
    memory = Memory()
    memory.learns(claim("Acme", 100, ends=True))
    assert memory.shown == [("Acme", 100, 100)]
    memory.learns(claim("Globex", 50))
    assert memory.shown == [("Globex", 50, None), ("Acme", 100, 100)], "it bounds nobody else"
    other = Memory()
    other.learns(claim("Acme", 100, ends=True))
    other.learns(claim("Acme", 0))
    assert other.shown == [("Acme", 0, 100)]


def test_an_end_closes_what_runs() -> None:
    memory = Memory()
    memory.learns(claim("Acme", 0))
    memory.learns(claim("Acme", 70, ends=True))
    assert memory.shown == [("Acme", 0, 70)]
    assert memory.retired[0].retired == "ended"
    memory.learns(claim("Acme", 70, ends=True))
    assert memory.shown == [("Acme", 0, 70)], "told again"


def test_an_end_that_is_dated_closes_at_its_date() -> None:
    memory = Memory()
    memory.learns(claim("Acme", 0))
    memory.learns(claim("Acme", 40, ends=True, dated=True, said=90))
    assert memory.shown == [("Acme", 0, 40)]


def test_a_negation_closes_what_was_so_and_yields_to_what_is_so_again() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Berlin", 50, negated=True))
    assert memory.shown == [("Berlin", 0, 50), ("not Berlin", 50, None)]
    memory.learns(claim("Berlin", 90))
    assert memory.shown == [("Berlin", 0, 50), ("not Berlin", 50, 90), ("Berlin", 90, None)]


def test_an_older_negation_learned_later_leaves_the_newer_fact_current() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 50))
    memory.learns(claim("Berlin", 0, negated=True))
    assert memory.shown == [("not Berlin", 0, 50), ("Berlin", 50, None)]


def test_a_correction_takes_the_time_of_what_was_never_so() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Bern", 30, corrects=True))
    assert memory.shown == [("Bern", 0, None)]
    assert memory.retired[0].retired is not None
    assert memory.retired[0].retired.startswith("corrected")
    assert [e.kind for e in memory.last.outcomes] == ["corrected"]


def test_a_correction_that_denies_leaves_nothing_in_its_place() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Berlin", 30, corrects=True, negated=True))
    assert memory.shown == [("not Berlin", 0, None)]
    assert [e.kind for e in memory.last.outcomes] == ["corrected"]


def test_only_a_person_corrects_and_the_agent_overturns_no_person() -> None:
    """faults: the agent's own refuted conclusions coming back as authority."""
    memory = Memory()
    memory.learns(claim("Berlin", 0))
    memory.learns(claim("Bern", 30, corrects=True))
    for again in (claim("Berlin", 60, by_person=False), claim("Berlin", 60, by_person=False, corrects=True),
                  claim("Bern", 60, by_person=False, negated=True), claim("Bern", 60, by_person=False, ends=True)):  # fmt: skip
        assert memory.learns(again).refused == [again]
        assert memory.shown == [("Bern", 0, None)]
    memory.learns(claim("Paris", 90))
    assert memory.shown[-1] == ("Paris", 90, None), "a person may always"


def test_what_the_agent_says_gives_way_to_itself_and_to_anybody() -> None:
    memory = Memory()
    memory.learns(claim("Berlin", 0, by_person=False))
    memory.learns(claim("Paris", 10, by_person=False))
    assert memory.shown == [("Berlin", 0, 10), ("Paris", 10, None)]


def test_a_birthday_does_not_change_it_was_mistaken() -> None:
    memory = Memory()
    first, second = claim("1980", 0), claim("1981", 10)
    for one in (first, second):
        one.fact.predicate = "born_on"
    memory.learns(first)
    memory.learns(second)
    assert [(f.object_text, f.valid_to) for f in memory.living] == [("1981", None)]
    assert [e.kind for e in memory.last.outcomes] == ["contradicted"]


PLACES = st.sampled_from(["Berlin", "Paris", "Rome"])


@given(st.lists(st.tuples(PLACES, st.integers(0, 60)), min_size=1, max_size=9, unique_by=lambda one: one[1]), st.randoms())
def test_history_in_any_order_gives_the_same_present_and_the_same_past(history: list[tuple[str, int]], chance: object) -> None:
    """faults: history added out of order: an older fact learned later."""
    in_order, shuffled, at_once = Memory(), Memory(), Memory()
    for target, since in sorted(history, key=lambda one: one[1]):
        in_order.learns(claim(target, since))
    mixed = list(history)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    for target, since in mixed:
        shuffled.learns(claim(target, since))
    at_once.learns(*(claim(target, since) for target, since in mixed))
    assert _told(shuffled) == _told(in_order) == _told(at_once)
    newest = max(history, key=lambda one: one[1])[0]
    assert [f.object_text for f in in_order.living if f.valid_to is None] == [newest]
    for memory in (in_order, shuffled, at_once):
        spans = sorted(memory.living, key=lambda f: f.valid_from)
        assert all(one.valid_to is not None and one.valid_to <= two.valid_from for one, two in itertools.pairwise(spans))


def _told(memory: Memory) -> list[str | None]:
    """What was so on each day."""
    return [next((f.object_text for f in memory.living if f.holds_at(at(days))), None) for days in range(62)]


@given(
    st.lists(
        st.tuples(PLACES, st.integers(0, 30), st.booleans(), st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=12
    )
)
def test_whatever_is_said_no_two_functional_facts_hold_at_once(said: list[tuple[str, int, bool, bool, bool, bool]]) -> None:
    memory = Memory()
    for target, since, negated, ends, corrects, by_person in said:
        memory.learns(claim(target, since, negated=negated, ends=ends, corrects=corrects, by_person=by_person))
    for days in range(32):
        holding = [f for f in memory.living if f.functional and f.holds_at(at(days)) and f.valid_from != f.valid_to]
        assert len({f.object_norm for f in holding if not f.negated}) <= 1
        positive, negative = ({f.object_norm for f in holding if f.negated is sign} for sign in (False, True))
        assert not positive & negative
        assert len(holding) == len({(f.object_norm, f.negated) for f in holding}), "one row for one fact"
    assert all(f.valid_to is None or f.valid_to >= f.valid_from for f in memory.last.facts)


@pytest.mark.parametrize("times", [1, 49])
def test_the_same_fact_out_of_order_is_one_living_row(times: int) -> None:
    """faults: one fact stated 49 times."""
    memory = Memory()
    for number in range(times):
        memory.learns(claim("Berlin", (number * 17) % times))
    assert memory.shown == [("Berlin", 0, None)]
