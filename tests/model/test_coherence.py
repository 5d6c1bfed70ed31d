"""How parts become one number."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from thoth_substrate.model.coherence import WEIGHTS, Coherence, Part, coherent, from_json, share, to_json

AT = datetime(2026, 5, 15, 12, tzinfo=UTC)


def test_a_share_without_observations_is_no_evidence() -> None:
    assert share(0, 0) == Part(1.0, 0)
    assert share(3, 4) == Part(0.75, 4)
    assert share(5, 4) == Part(1.0, 4)


def test_parts_without_observations_do_not_count() -> None:
    parts = {"integrity": Part(0.5, 10), "contradiction": Part(1.0, 0)}
    assert coherent(parts).score == pytest.approx(0.5)


def test_the_mean_is_weighted() -> None:
    parts = {"integrity": Part(1.0, 1), "freshness": Part(0.0, 1)}
    assert coherent(parts).score == pytest.approx(WEIGHTS["integrity"] / (WEIGHTS["integrity"] + WEIGHTS["freshness"]))


def test_nothing_measured_has_no_score() -> None:
    nothing = coherent({name: Part(1.0, 0) for name in WEIGHTS})
    assert nothing.score is None
    assert nothing.weakest is None


def test_it_is_kept_and_read_again() -> None:
    measured = coherent({"integrity": Part(0.9, 7), "coverage": Part(0.25, 4)}, AT)
    assert from_json(measured.score, to_json(measured), AT) == measured
    assert measured.weakest == "coverage"


def test_what_another_version_kept_is_read_as_far_as_it_can_be() -> None:
    assert from_json(0.5, {"integrity": {"value": 1, "observations": 2}, "note": "x"}, None) == Coherence(
        0.5, {"integrity": Part(1.0, 2)}
    )
