"""Understanding a question without a model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from thoth_substrate.recall.question import asked_about, is_trivial, understand

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("text", ["ok", "Thanks!", "thank you", "/compact", "…", "", "  ", "👍", "got it, thanks", "谢谢"])
def test_prompts_that_ask_nothing_are_trivial(text: str) -> None:
    assert is_trivial(text)


@pytest.mark.parametrize(
    "text", ["why?", "what did I say about Lisbon", "/home/me/notes.md has what in it?", "port 5432", "no milk today"]
)
def test_prompts_that_ask_something_are_not(text: str) -> None:
    assert not is_trivial(text)


def test_the_terms_of_a_question_are_distinct_and_bounded() -> None:
    question = understand("word " * 3 + " ".join(f"t{n}" for n in range(500)), NOW)
    assert question.terms[0] == "word"
    assert len(question.terms) == len(set(question.terms)) == 48


def test_a_lone_surrogate_and_a_nul_do_not_raise() -> None:
    """faults: a lone surrogate as content and as query; a NUL."""
    assert "abc" in understand("\ud83d abc\x00", NOW).terms


@pytest.mark.parametrize(
    ("text", "actors", "expected"),
    [
        ("What does Caroline paint?", {"Caroline": True, "Melanie": True}, "Caroline"),
        ("What does Mel paint?", {"Caroline": True, "Mel": True}, "Mel"),
        ("What do Caroline and Melanie share?", {"Caroline": True, "Melanie": True}, None),
        ("Where did I park?", {"Maya": True, "Thoth": False}, "Maya"),
        ("Where did I park?", {"Maya": True, "Ben": True, "Thoth": False}, None),
        ("What colour is the sky?", {"Maya": True, "Ben": True}, None),
    ],
)
def test_the_one_person_a_question_is_about(text: str, actors: dict[str, bool], expected: str | None) -> None:
    assert asked_about(understand(text, NOW), actors) == expected


def test_when_questions_are_known_in_several_languages() -> None:
    assert all(understand(text, NOW).asks_when for text in ("When did we move?", "¿Cuándo fue?", "Wann war das?", "いつですか"))
    assert not understand("What did we move?", NOW).asks_when


def test_words_of_asking_are_no_terms_unless_there_is_nothing_else() -> None:
    assert understand("Can you list the order in which I mentioned my trips?", NOW).terms == ("trip",)
    assert understand("What did you say?", NOW).terms == ("say",)
