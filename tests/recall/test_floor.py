"""The floor: nothing is said where nothing is known."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from thoth_substrate.recall.calibration import questions
from thoth_substrate.recall.floor import Floor, Signs, calibrate, judge, raised

VAIN = [Signs(0.36 + 0.001 * n, 0.76, 0.1 + 0.001 * n, 0.3) for n in range(100)]
FLOOR = calibrate(VAIN)


def test_asking_in_vain_is_below_the_floor_and_a_hit_above_it() -> None:
    assert not judge(Signs(0.37, 0.76, 0.1, 0.4), FLOOR).enough
    assert judge(Signs(0.55, 0.76, 0.9, 1.0), FLOOR).enough


def test_a_question_that_is_like_every_question_needs_more() -> None:
    signs = Signs(0.46, 0.70, 0.2, 0.5)
    assert judge(signs, FLOOR).enough
    assert not judge(Signs(0.46, 0.86, 0.2, 0.5), FLOOR).enough


def test_the_share_of_bundled_questions_that_pass_is_the_quantile_s_rest() -> None:
    passed = sum(judge(signs, FLOOR).enough for signs in VAIN)
    assert 10 <= passed <= 20


def test_without_vectors_words_decide() -> None:
    assert judge(Signs(None, 0.0, 0.9, 1.0), FLOOR).enough
    assert not judge(Signs(None, 0.0, 0.0, 0.2), FLOOR).enough


def test_an_uncalibrated_tenant_refuses_only_the_clearly_foreign() -> None:
    assert judge(Signs(0.3, 0.7, 0.0, 0.1), None).enough
    assert judge(Signs(0.3, 0.7, 0.2, 0.0), None).enough
    assert judge(Signs(0.9, 0.7, 0.0, 0.0, standing_out=3.0), None).enough
    assert not judge(Signs(0.9, 0.7, 0.0, 0.0, standing_out=1.0), None).enough


def test_the_operator_s_shift_moves_the_floor() -> None:
    signs = Signs(0.44, 0.76, 0.4, 0.5)
    assert judge(signs, FLOOR, -50.0).enough
    assert not judge(signs, FLOOR, +50.0).enough


@pytest.mark.parametrize("stored", [None, {}, {"sample": [1]}])
def test_a_row_without_a_level_is_no_floor(stored: dict[str, object] | None) -> None:
    assert Floor.read(stored) is None


def test_the_bundled_questions_are_many_and_distinct() -> None:
    assert len(questions()) == len(set(questions())) >= 100


# ── What is known ───────────────────────────────────────────────────────────────────────────────────────────────────

FACTS_IN_VAIN = [replace(signs, fact_best=0.30 + 0.001 * n, fact_cover=0.1) for n, signs in enumerate(VAIN)]
KNOWING = calibrate(FACTS_IN_VAIN)
SAID_NOTHING = Signs(0.37, 0.76, 0.1, 0.4)


def test_a_fact_carries_the_decision_where_nothing_that_was_said_does() -> None:
    found = judge(replace(SAID_NOTHING, fact_best=0.55, fact_cover=0.8), KNOWING)
    assert found.enough
    assert {"evidence", "level", "fact_evidence", "fact_level"} <= set(found.detail)
    assert not judge(replace(SAID_NOTHING, fact_best=0.33, fact_cover=0.1), KNOWING).enough


def test_asking_in_vain_among_facts_passes_seldom() -> None:
    among_facts = [replace(SAID_NOTHING, fact_best=signs.fact_best, fact_cover=signs.fact_cover) for signs in FACTS_IN_VAIN]
    assert sum(judge(signs, KNOWING).enough for signs in among_facts) <= 9


def test_facts_change_nothing_for_what_was_said() -> None:
    assert (KNOWING.mean, KNOWING.deviation, KNOWING.level) == (FLOOR.mean, FLOOR.deviation, FLOOR.level)
    assert FLOOR.fact_level is None


def test_before_facts_are_calibrated_their_words_must_cover_the_question() -> None:
    for floor in (None, FLOOR):
        foreign = replace(SAID_NOTHING, cover=0.0, known=0.0)
        assert judge(replace(foreign, fact_best=0.9, fact_cover=0.45), floor).enough
        assert not judge(replace(foreign, fact_best=0.9, fact_cover=0.3), floor).enough


def test_a_stored_floor_is_read_as_it_was_written_and_one_from_before_there_was_knowledge_too() -> None:
    assert Floor.read(asdict(KNOWING)) == KNOWING
    before = {"mean": 1, "deviation": 2, "level": 3, "keyword_level": 4}
    assert Floor.read(before) == Floor(1, 2, 3, 4)


def test_low_coherence_raises_the_floor_and_good_one_leaves_it() -> None:
    assert raised(0.1, None) == 0.1
    assert raised(0.1, 0.95) == 0.1
    assert raised(0.1, 0.2) == pytest.approx(0.6)
