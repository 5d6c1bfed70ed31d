"""What the Parser makes of a reply: every kind of nonsense costs that item, and no more."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from tests.workers.test_fragments import source
from thoth_substrate.llm.chat import Outcome
from thoth_substrate.llm.structure import read_reply
from thoth_substrate.model.knowledge import Quote
from thoth_workers.agent import Reply
from thoth_workers.crew.parsed import NO_REASON, Parsed, ParserReply, parsed
from thoth_workers.fragments import Portion, portions

FIRST, SECOND = UUID(int=1), UUID(int=2)


def two_slices() -> list[Portion]:
    return list(portions([source(1, "I live in Lisbon."), source(2, "Bob works at Acme.", "Bob")], 1500, judged={}))


def read(value: dict[str, Any], asked: list[Portion] | None = None) -> Parsed:
    """A reply as it would be read."""
    reply = ParserReply.model_validate({"passages": [], **value})
    return parsed(asked or two_slices(), [Reply(Outcome.OK, reply, "")], ())


def quote(passage: str = "p1", text: str = "I live in Lisbon.") -> list[dict[str, str]]:
    return [{"passage": passage, "text": text}]


def fact(**given: Any) -> dict[str, Any]:
    return {"subject": "Ana", "predicate": "lives_in", "object": "Lisbon", "quotes": quote(), **given}


def test_ids_become_slices_and_passages() -> None:
    found = read(
        {
            "passages": [{"id": "p1", "verdict": "extracted"}, {"id": "p2", "verdict": "Nothing"}],
            "entities": [{"name": "Lisbon", "kind": "Place", "quotes": quote()}],
            "facts": [fact(confidence=0.9)],
            "slices": [{"id": "s1", "importance": 0.8, "topics": ["Moving", " moving "], "summary": "Ana lives  in Lisbon."}],
        }
    ).proposals
    assert [(v.slice_id, v.passage_no, v.outcome, v.reason) for v in found.verdicts] == [
        (FIRST, 0, "extracted", ""), (SECOND, 0, "nothing", NO_REASON)
    ]  # fmt: skip
    assert [(e.name, e.kind, e.quotes) for e in found.entities] == [
        ("Lisbon", "place", (Quote(FIRST, "I live in Lisbon."),)), ("Ana", "", (Quote(FIRST, "I live in Lisbon."),))
    ]  # fmt: skip
    [digest] = found.digests
    assert (digest.slice_id, digest.importance, digest.topics, digest.summary) == (
        FIRST,
        0.8,
        ("moving",),
        "Ana lives in Lisbon.",
    )


def test_an_id_that_does_not_exist_drops_that_item_alone() -> None:
    """faults: an index or id that does not exist."""
    found = read(
        {
            "passages": [{"id": "p7", "verdict": "nothing"}, {"id": "p1", "verdict": "nothing", "reason": "x"}],
            "facts": [fact(quotes=quote("p9", "words of nobody")), fact()],
            "slices": [{"id": "s5"}, {"id": "s2", "importance": 0.1}],
        }
    )
    assert found.unknown_ids == 3
    assert len(found.proposals.relationships) == 1
    assert [v.passage_no for v in found.proposals.verdicts] == [0]
    assert [d.slice_id for d in found.proposals.digests] == [SECOND]


def test_a_quote_is_given_to_the_fragment_that_holds_it() -> None:
    found = read({"facts": [fact(quotes=quote("p2")), fact(quotes=quote("p9"))]}).proposals
    assert [f.quotes for f in found.relationships] == [(Quote(FIRST, "I live in Lisbon."),)] * 2


def test_i_is_the_speaker_of_what_is_quoted() -> None:
    [stated] = read({"facts": [fact(subject="I", quotes=quote())]}).proposals.relationships
    assert (stated.subject, stated.object) == ("Ana", "Lisbon")
    [stated] = read(
        {"facts": [fact(subject="Acme", object="me", quotes=quote("p2", "Bob works at Acme."))]}
    ).proposals.relationships
    assert stated.object == "Bob"


def test_dates_that_do_not_exist_or_run_backwards_are_left_out() -> None:
    stated = read(
        {
            "facts": [
                fact(valid_from="last year"),
                fact(valid_from="2024-05", valid_to="2023"),
                fact(valid_from="2020", valid_to="2021"),
            ]
        }
    ).proposals.relationships
    assert [(f.valid_from and f.valid_from.year, f.valid_to and f.valid_to.year) for f in stated] == [
        (None, None), (2024, None), (2020, 2021)
    ]  # fmt: skip


@pytest.mark.parametrize(("said", "means"), [(0.7, 0.7), (85, 0.85), (-1, 0.0), (1e9, 1.0), (float("nan"), 0.6)])
def test_confidences_are_within_their_bounds(said: float, means: float) -> None:
    [stated] = read({"facts": [fact(confidence=said)]}).proposals.relationships
    assert stated.confidence == means


@pytest.mark.parametrize(
    "given", [{"subject": "…"}, {"predicate": " "}, {"object": ""}, {"quotes": []}, {"quotes": quote(text="  ")}]
)
def test_a_fact_without_its_parts_is_none(given: dict[str, Any]) -> None:
    assert read({"facts": [fact(**given)]}).proposals.relationships == ()


def test_a_reply_that_could_not_be_used_fails_its_own_passages_only() -> None:
    asked = list(portions([source(1, "One."), source(2, "Two.")], 1, judged={}))
    good = Reply(Outcome.OK, ParserReply.model_validate({"passages": [{"id": "p1", "verdict": "nothing", "reason": "-"}]}), "")
    found = parsed(asked, [Reply(Outcome.FAILED, None, "prose", reason="there is no JSON in the reply"), good], ())
    assert [(v.slice_id, v.outcome) for v in found.proposals.verdicts] == [(FIRST, "failed"), (SECOND, "nothing")]
    assert found.unasked == ()


def test_what_could_not_be_asked_is_not_judged() -> None:
    asked = list(portions([source(1, "One."), source(2, "Two.")], 1, judged={}))
    good = Reply(Outcome.OK, ParserReply.model_validate({"passages": [{"id": "p1", "verdict": "nothing"}]}), "")
    found = parsed(asked, [good, Reply(Outcome.BUDGET_SPENT, None, "")], ())
    assert found.unasked == (SECOND,)
    assert [v.slice_id for v in found.proposals.verdicts] == [FIRST]


def test_a_slice_of_many_portions_has_one_digest() -> None:
    text = "One sentence of a certain length stands here. " * 60
    asked = list(portions([source(1, text)], 1, judged={}))
    replies = [
        Reply(Outcome.OK, ParserReply.model_validate(
            {"passages": [], "slices": [{"id": "s1", "importance": n / 10, "topics": [f"t{n}"], "summary": f"Part {n}."}]}), "")
        for n in range(len(asked))
    ]  # fmt: skip
    [digest] = parsed(asked, replies, ()).proposals.digests
    assert digest.importance == (len(asked) - 1) / 10
    assert digest.summary.startswith("Part 0. Part 1.")


def test_a_reply_that_judges_nothing_is_a_failed_one() -> None:
    assert read_reply(ParserReply, "{}").value is None
    assert read_reply(ParserReply, '{"facts": []}').value is None


def test_one_bad_item_never_discards_its_neighbours() -> None:
    """faults: a schema ignored."""
    text = '{"passages": [{"id": "p1", "verdict": "nothing"}, 7, {"id": "p2"}], "facts": [{"subject": 1}], "slices": "none"}'
    found = read_reply(ParserReply, text)
    assert found.value is not None
    assert [one.id for one in found.value.passages] == ["p1"]
