"""The floor: nothing is said where nothing is known."""

from __future__ import annotations

import pytest

from thoth_substrate.recall.calibration import questions
from thoth_substrate.recall.floor import Floor, Signs, calibrate, judge

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
