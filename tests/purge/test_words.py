"""What a text is worth when some of its sources are purged."""

from __future__ import annotations

import pytest

from thoth_substrate.purge.words import (
    Named,
    NamedAnew,
    Purged,
    Told,
    beginning,
    betrays,
    named_anew,
    statement_anew,
    unescaped,
    words,
    words_in,
)

SECRET = words("My sister Zinaida moved to Porto and I love chess")
PURGED = Purged(SECRET, words("Zinaida Porto"))


def told(statement: str, left: str, *, subject: str = "Maya", target: str = "chess", founded: bool = True) -> Told:
    return Told(subject, "likes", target, False, statement, words(left), founded)


@pytest.mark.parametrize(
    ("statement", "left", "founded", "anew"),
    [
        ("Maya loves chess.", "I love chess", True, "Maya loves chess."),
        ("Maya adores chess.", "I love chess", True, "Maya adores chess."),  # first said by what is left, in its own words
        ("Maya adores chess.", "I love chess", False, "Maya likes chess"),  # first said by the purged: a paraphrase of what?
        ("Maya loves chess.", "I love chess", False, "Maya loves chess."),
        ("Maya loves chess, as Zinaida does.", "I love chess", True, "Maya likes chess"),
        ("Maya loves chess.", "I love it", True, None),  # nothing left names it
        ("Maya loves chess.", "Zinaida and I love chess", True, "Maya loves chess."),
    ],
)
def test_a_fact_says_what_is_left_says(statement: str, left: str, founded: bool, anew: str | None) -> None:
    assert statement_anew(told(statement, left, founded=founded), PURGED) == anew


def test_a_denial_stays_one() -> None:
    denied = Told("Maya", "lives_in", "Lisbon", True, "Maya left Lisbon for Porto.", words("I am not in Lisbon"), True)
    assert statement_anew(denied, PURGED) == "Maya not lives in Lisbon"


def test_a_value_in_the_model_s_own_words_is_not_the_purged_one_s() -> None:
    diet = Told("Maya", "diet", "vegetarian", False, "Maya is vegetarian.", words("I eat no meat"), True)
    assert statement_anew(diet, PURGED) == "Maya is vegetarian."


def named(name: str, aliases: tuple[str, ...], summary: str, left: str, *statements: str) -> Named:
    return Named(name, aliases, summary, words(left), statements)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            named("Maya", ("Maya", "Zinaida's sister"), "A person.", "Maya is a person"),
            NamedAnew("Maya", "A person.", ("Zinaida's sister",)),
        ),
        (named("Zinaida", ("Zinaida", "Zina"), "", "Zina came"), NamedAnew("Zina", "", ("Zinaida",))),
        (named("Zinaida", ("Zinaida",), "", "She came"), None),
        (
            named("Maya", ("Maya",), "Maya has a sister.", "I live here", "Maya lives here.", "Maya knows Zinaida."),
            NamedAnew("Maya", "Maya lives here", ()),
        ),
    ],
)  # fmt: skip
def test_an_entity_keeps_the_names_and_sentences_that_what_is_left_has(before: Named, after: NamedAnew | None) -> None:
    assert named_anew(before, PURGED) == after


def test_words_are_found_in_whatever_holds_them() -> None:
    reply = {"text": '[{"statement": "See\\nZinaida, Ren\\u00e9 and\\tPorto"}]', "more": [{"zinaida": 1}]}
    assert {"zinaida", "rene", "porto"} <= words_in(reply)
    assert unescaped("as it is") == "as it is"
    assert beginning("  WHERE is\nZinaida? ") == "where is zinaida?"
    assert betrays("Porto", SECRET, words("Lisbon"))
    assert not betrays("Porto", SECRET, words("Porto"))
