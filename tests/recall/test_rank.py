"""Ranking: relevance decides, salience and recency only break ties."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from thoth_substrate.model.passages import Flag
from thoth_substrate.recall.candidate import Candidate
from thoth_substrate.recall.question import understand
from thoth_substrate.recall.rank import Background, Scene, Weights, cover, rank

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
PLAIN = Candidate(1, UUID(int=1), 0, 1, 1, 1, "Maya", NOW - timedelta(days=30), 0, 1.0, 40, 1, 0.4, 0.0, 0, 0.5, False, 0.0, 0.0)
SCENE = Scene(Weights(), Background(0.4, 0.02, 1000), NOW, frozenset({1}))


def candidate(number: int, **changes: object) -> Candidate:
    """Candidates far apart: each in a session of its own unless told otherwise."""
    placed = {"passage_id": number, "slice_id": UUID(int=number), "session_no": number, **changes}
    return replace(PLAIN, **placed)  # type: ignore[arg-type]


def best(question: str, *found: Candidate, scene: Scene = SCENE, idf: tuple[float, ...] = ()) -> int:
    ranking = rank(understand(question, NOW), idf, found, scene)
    return found[ranking.order[0]].passage_id


def test_the_more_alike_leads() -> None:
    assert best("zzz", candidate(1, similarity=0.41), candidate(2, similarity=0.48)) == 2


def test_words_count_beside_meaning() -> None:
    hit = candidate(2, keyword=9.0, mask=1, keyword_total=20.0, keyword_squares=100.0)
    other = candidate(1, keyword_total=20.0, keyword_squares=100.0)
    assert best("lisbon", other, hit, idf=(5.0,)) == 2


def test_without_any_vector_words_alone_decide() -> None:
    bare = replace(SCENE, background=None)
    hit = candidate(2, similarity=None, keyword=9.0, mask=1, keyword_total=20.0, keyword_squares=100.0)
    assert (
        best("lisbon", candidate(1, similarity=None, keyword_total=20.0, keyword_squares=100.0), hit, scene=bare, idf=(5.0,)) == 2
    )


def test_freshness_and_salience_never_outvote_relevance() -> None:
    """faults: choosing by salience and looking for meaning only among what is salient."""
    old = candidate(1, similarity=0.46, event_time=NOW - timedelta(days=3000), salience=0.0)
    fresh = candidate(2, similarity=0.44, event_time=NOW, salience=1.0)
    assert best("zzz", old, fresh) == 1


@pytest.mark.parametrize("better", [{"salience": 0.9}, {"event_time": NOW}, {"pinned": True}])
def test_ties_are_broken_by_salience_recency_and_pins(better: dict[str, object]) -> None:
    assert best("zzz", candidate(1), candidate(2, **better)) == 2


def test_the_person_asked_about_leads_over_the_other() -> None:
    assert best("What does Maya like?", candidate(1, actor="Benjamin"), candidate(2, actor="Maya")) == 2


def test_the_period_asked_for_leads() -> None:
    in_july = candidate(2, event_time=datetime(2024, 7, 13, 9, tzinfo=UTC))
    assert best("What happened on 13 July 2024?", candidate(1), in_july) == 2


def test_a_when_question_prefers_a_passage_that_tells_a_time() -> None:
    assert best("When was it?", candidate(1), candidate(2, flags=int(Flag.TIME))) == 2


def test_the_answer_to_a_matching_question_rises() -> None:
    asked = candidate(1, session_no=1, seq=1, flags=int(Flag.QUESTION), similarity=0.5)
    answer = candidate(2, session_no=1, seq=2, similarity=0.4)
    stray = candidate(3, session_no=1, seq=9, similarity=0.4)
    ranking = rank(understand("zzz", NOW), (), [asked, answer, stray], SCENE)
    assert ranking.scores[1] > ranking.scores[2]


def test_terms_of_the_neighbours_count_as_cover_but_not_across_sessions() -> None:
    found = [
        candidate(1, session_no=1, seq=1, mask=1),
        candidate(2, session_no=1, seq=2, mask=2),
        candidate(3, session_no=2, seq=3),
    ]
    assert list(cover(found, (1.0, 1.0))) == [1.0, 1.0, 0.0]


def test_the_parts_of_a_score_add_up_to_it() -> None:
    found = [candidate(1, keyword=3.0, mask=1, keyword_total=9.0, keyword_squares=30.0, similarity=0.47, pinned=True)]
    ranking = rank(understand("When did I see lisbon", NOW), (2.0,), found, SCENE)
    assert sum(ranking.parts_at([0])[0].values()) == pytest.approx(float(ranking.scores[0]), abs=0.01)
