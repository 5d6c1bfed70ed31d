"""Lines: what is known of the best candidates, put beside their words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from thoth_substrate.recall.candidate import Candidate, Candidates
from thoth_substrate.recall.lines import Found, lines_of, wanted
from thoth_substrate.recall.log import leg_names
from thoth_substrate.recall.question import understand
from thoth_substrate.recall.rank import Background, Scene, Weights, rank
from thoth_substrate.recall.search import Text

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
MAYA = Candidate(7, UUID(int=7), 1, 1, 1, 4, "Maya", NOW - timedelta(days=9), 0, 0.7, 40, 3, 0.47, 3.0, 1, 0.3, True, 9.0, 30.0)
BEN = replace(
    MAYA, passage_id=5, slice_id=UUID(int=5), session_no=2, actor="Ben", legs=0, similarity=None, salience=None, trust=1.0
)
TEXTS = {7: Text(7, "s1", "thoth.world.note", False, "a parrot"), 5: Text(5, "s2", "thoth.world.email", False, "a cat")}


def found(*candidates: Candidate) -> Found:
    columns = Candidates.of(candidates)
    scene = Scene(Weights(), Background(0.4, 0.02, 1000), NOW, frozenset({1}))
    return Found(columns, rank(understand("When did Maya see lisbon", NOW), (2.0,), columns, scene))


def test_a_line_says_of_itself_what_candidate_and_ranking_say() -> None:
    told = found(MAYA, BEN)
    lines = lines_of(told, TEXTS)
    assert [line.actor for line in lines] == ["Maya", "Ben"]
    for line, place in zip(lines, told.ranking.order, strict=True):
        candidate, text = told.candidates[place], TEXTS[told.candidates[place].passage_id]
        assert (line.slice_id, line.passage_no, line.actor) == (candidate.slice_id, candidate.passage_no, candidate.actor)
        assert (line.event_time, line.trust, line.salience) == (candidate.event_time, candidate.trust, candidate.salience or 0.0)
        assert (line.session_id, line.stream, line.text) == (text.session_id, text.stream, text.text)
        assert (line.score, line.parts) == (round(float(told.ranking.scores[place]), 3), told.ranking.parts_at([place])[0])
        assert line.legs == leg_names(candidate.legs)


def test_lines_are_dated_for_their_reader() -> None:
    there = timezone(timedelta(hours=9))
    assert [line.event_time.hour for line in lines_of(found(MAYA), TEXTS, there)] == [21]


def test_a_passage_whose_text_is_gone_meanwhile_is_left_out() -> None:
    assert [line.actor for line in lines_of(found(MAYA, BEN), {5: TEXTS[5]})] == ["Ben"]
    assert lines_of(found(MAYA), {}) == lines_of(found(), {}) == []


def test_texts_are_wanted_in_rank_order() -> None:
    assert wanted(found(MAYA, BEN), 1500) == [7, 5]
