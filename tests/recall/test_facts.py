"""Scoring what is known, cutting what does not bear on the question, and saying when it holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from thoth_substrate.recall.facts import MARGIN, fact_lines, note, rank_facts
from thoth_substrate.recall.knowledge import Knowledge, Known
from thoth_substrate.recall.names import names_in
from thoth_substrate.recall.question import understand
from thoth_substrate.recall.rank import Background, Scene, Weights
from thoth_substrate.recall.search import Wording

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
SINCE = datetime(2024, 3, 9, 23, 30, tzinfo=UTC)
SCENE = Scene(Weights(), Background(0.1, 0.05, 100), NOW)
WORDS = Wording(["porto", "live"], [4.0, 2.0], [True, True], 2, 2)
KNOWN = Known(1, "fact", "Maya lives in Porto.", 0.9, SINCE, None, True, False, 8.0, 0b11, 0.2, True, 0.0, 0.1, 0.05,
              [UUID(int=1), UUID(int=2)], [0, 3])  # fmt: skip
QUESTION = understand("Does Maya live in Porto?", NOW)


def test_words_likeness_and_the_entity_asked_about_add_up() -> None:
    [fact] = rank_facts(QUESTION, Knowledge([KNOWN], WORDS, Background(0.1, 0.05, 100)), SCENE)
    assert fact.bears
    assert fact.parts["similarity"] == pytest.approx(2.0)
    assert (fact.parts["cover"], fact.parts["who"]) == (2.0, 2.0)
    assert fact.score == pytest.approx(sum(fact.parts.values()))


def test_where_an_entity_is_named_facts_of_others_stand_back() -> None:
    other = replace(KNOWN, row_id=2, named=False)
    ranked = rank_facts(QUESTION, Knowledge([other, KNOWN], WORDS), SCENE)
    assert [fact.known.row_id for fact in ranked] == [1, 2]
    nobody = rank_facts(QUESTION, Knowledge([other], WORDS), SCENE)
    assert nobody[0].parts["who"] == 1.0


def test_what_neither_holds_the_words_nor_is_alike_is_cut_whatever_its_rank() -> None:
    weak = replace(KNOWN, mask=0, keyword=0.0, similarity=0.12)
    [fact] = rank_facts(QUESTION, Knowledge([weak], WORDS), SCENE)
    assert not fact.bears
    assert fact_lines([fact], NOW) == []


def test_what_is_much_weaker_than_the_best_is_cut() -> None:
    weaker = replace(KNOWN, row_id=2, similarity=0.2 - 0.05 * (MARGIN + 0.5))
    ranked = rank_facts(QUESTION, Knowledge([KNOWN, weaker], WORDS), SCENE)
    assert [(fact.known.row_id, fact.bears) for fact in ranked] == [(1, True), (2, False)]


def test_without_vectors_words_alone_decide() -> None:
    [fact] = rank_facts(QUESTION, Knowledge([replace(KNOWN, similarity=None)], WORDS), replace(SCENE, background=None))
    assert fact.bears
    assert "similarity" not in fact.parts


def test_a_fact_of_the_period_asked_for_leads() -> None:
    asked = understand("Where did Maya live in March 2024?", NOW, SINCE, NOW)
    later = replace(KNOWN, row_id=2, valid_from=datetime(2025, 9, 1, tzinfo=UTC))
    ranked = rank_facts(asked, Knowledge([later, KNOWN], WORDS), SCENE)
    assert ranked[0].known.row_id == 1
    assert ranked[0].parts["date"] > 0


def test_a_line_names_its_row_and_what_it_rests_on() -> None:
    [line] = fact_lines(rank_facts(QUESTION, Knowledge([KNOWN], WORDS), SCENE), NOW)
    assert (line.row_id, line.slice_id, [cited.passage_no for cited in line.sources]) == (1, UUID(int=1), [0, 3])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "since 2024-03"),
        ({"valid_to": datetime(2025, 1, 2, tzinfo=UTC)}, "2024-03 until 2025-01"),
        ({"valid_to": datetime(2027, 1, 2, tzinfo=UTC)}, "until 2027-01"),
        ({"functional": False}, "9 Mar 2024"),
        ({"kind": "pattern", "functional": False}, ""),
        ({"confidence": 0.44}, "since 2024-03, confidence 0.4"),
        ({"negated": True}, "not so, since 2024-03"),
        ({"negated": True, "statement": "Maya doesn't live in Porto."}, "since 2024-03"),
    ],
)
def test_when_it_holds_is_said_in_few_words(changes: dict[str, object], said: str) -> None:
    assert note(replace(KNOWN, **changes), NOW) == said  # type: ignore[arg-type]


def test_names_are_stretches_of_words_as_aliases_are_compared() -> None:
    found = names_in("What did Amparo Ruiz's sister tell Søren about the U.S. visa?")
    assert {"amparo ruiz", "amparo", "ruiz", "u s visa", "visa"} & set(found) >= {"amparo ruiz", "amparo", "ruiz", "visa"}
    assert not {"what", "the", "did"} & set(found)


def test_names_in_scripts_without_spaces_are_found_inside_runs() -> None:
    assert "王小明" in names_in("王小明住在哪里？")


def test_a_question_of_megabytes_holds_a_bounded_number_of_names() -> None:
    assert len(names_in("word " * 400_000)) < 300
    assert len(names_in("字" * 400_000)) < 300
