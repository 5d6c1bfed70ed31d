"""Promotion under claim: never twice, never lost, and only what stands in a source that is still there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from tests.consolidate.support import MAKER, Mind, day, entity, fact, nothing, quoted
from tests.support import ASSISTANT, Said, count, dies_after
from thoth_substrate.consolidate.attempts import LONGEST_WAIT
from thoth_substrate.consolidate.claim import Claim, fail, release_claim, renew, retry
from thoth_substrate.errors import DatabaseUnavailable
from thoth_substrate.fade.forget import forget
from thoth_substrate.model.knowledge import DigestProposal, Proposals, Quote, RelationshipProposal, VerdictProposal

LONG = " ".join(f"Sentence number {n} tells that house {n} is painted in colour {n}." for n in range(45))


async def _one(mind: Mind, text: str = "I live in Berlin.", **said: object) -> tuple[UUID, Claim, Proposals]:
    """A slice heard and claimed, and a fact that quotes it."""
    (slice_id,) = await mind.hears(Said(text, **said))  # type: ignore[arg-type]
    taken = await mind.claims()
    assert taken is not None
    return slice_id, taken, Proposals((), (quoted(fact("Maya", "lives_in", "Berlin"), slice_id, text),))


async def test_a_promoted_slice_is_consolidated_cited_and_may_fade(mind: Mind) -> None:
    slice_id, taken, proposals = await _one(mind, at=day("2023-03-01"))
    digest = DigestProposal(slice_id, 0.8, ("Home", "home", "x\x00y"), "Where Maya lives.")
    promoted = await mind.promotes(taken, replace(proposals, digests=(digest,)))
    assert (promoted.entities, promoted.relationships, promoted.consolidated, promoted.lost) == (2, 1, (slice_id,), ())
    assert mind.state(slice_id) == "consolidated"
    assert mind.queued() == []
    assert mind.rows("select releasable from thoth.substrate_salience") == [(True,)]
    cited = mind.rows(
        "select c.quote, c.passage_no, c.quote_start, c.event_time, c.session_id, c.actor, c.content_hash = s.content_hash,"
        " c.decision_id from thoth.substrate_citations c join thoth.substrate_slices s using (tenant_id, slice_id)"
    )
    assert cited == [("I live in Berlin.", 0, 0, day("2023-03-01"), "s1", "user", True, MAKER.decision_id)] * 3
    assert mind.rows("select outcome, reason from thoth.substrate_verdicts") == [("extracted", "")]
    assert mind.rows("select topics, summary from thoth.substrate_digests") == [(["home", "xy"], "Where Maya lives.")]
    assert len(mind.rows("select entity_id from thoth.substrate_unassociated")) == 2


async def test_a_second_promotion_under_the_same_claim_writes_nothing(mind: Mind) -> None:
    slice_id, taken, proposals = await _one(mind)
    await mind.promotes(taken, proposals)
    before = [count(mind.sql, table) for table in ("substrate_relationships", "substrate_citations", "substrate_entities")]
    again = await mind.promotes(taken, proposals)
    assert again.lost == (slice_id,)
    assert (again.entities, again.relationships, again.citations) == (0, 0, 0)
    assert before == [count(mind.sql, t) for t in ("substrate_relationships", "substrate_citations", "substrate_entities")]


async def test_what_was_forgotten_since_it_was_read_is_not_promoted(mind: Mind) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    gone, stays = await mind.hears(Said("I live in Berlin."), Said("I like tea."))
    taken = await mind.claims()
    assert taken is not None
    await forget(mind.db, mind.tenant, gone)
    facts = (
        quoted(fact("Maya", "lives_in", "Berlin"), gone, "I live in Berlin"),
        quoted(fact("Maya", "likes", "tea", object_is_entity=False), stays, "I like tea"),
    )
    promoted = await mind.promotes(taken, Proposals((), facts))
    assert promoted.lost == (gone,)
    assert promoted.consolidated == (stays,)
    assert promoted.quotes_dropped == 1
    assert [row[0] for row in mind.facts()] == ["tea"]
    assert mind.queued() == []
    assert mind.rows("select slice_id from thoth.substrate_citations where slice_id = %s", gone) == []


async def test_a_source_that_is_not_what_was_read_is_lost(mind: Mind) -> None:
    slice_id, taken, proposals = await _one(mind)
    mind.sql.execute("update thoth.substrate_slices set content_hash = '\\x00'")
    promoted = await mind.promotes(taken, proposals)
    assert promoted.lost == (slice_id,)
    assert mind.facts() == []


async def test_an_expired_claim_is_taken_by_another_and_the_first_one_is_refused(mind: Mind) -> None:
    slice_id, first, proposals = await _one(mind)
    assert await mind.claims() is None, "it is held"
    mind.clock.advance(timedelta(minutes=6))
    second = await mind.claims()
    assert second is not None
    assert second.token != first.token
    assert (await mind.promotes(first, proposals)).lost == (slice_id,)
    assert mind.facts() == []
    assert await renew(mind.db, mind.tenant, first.token, [slice_id], timedelta(minutes=5)) == 0
    assert (await fail(mind.db, mind.tenant, first.token, [slice_id], "late")).lost == (slice_id,)
    assert (await mind.promotes(second, proposals)).consolidated == (slice_id,)


async def test_an_expired_claim_that_nobody_took_still_counts(mind: Mind) -> None:
    slice_id, taken, proposals = await _one(mind)
    mind.clock.advance(timedelta(hours=1))
    assert (await mind.promotes(taken, proposals)).consolidated == (slice_id,)


async def test_of_a_claim_that_was_split_only_what_is_still_ours_is_promoted(mind: Mind) -> None:
    one, two = await mind.hears(Said("I live in Berlin."), Said("I like tea."))
    taken = await mind.claims()
    assert taken is not None
    mind.sql.execute("update thoth.substrate_unconsolidated set claim = %s where slice_id = %s", (uuid4(), one))
    facts = (quoted(fact("Maya", "lives_in", "Berlin"), one, "Berlin"), quoted(fact("Maya", "likes", "tea"), two, "tea"))
    promoted = await mind.promotes(taken, Proposals((), facts))
    assert (promoted.lost, promoted.consolidated) == ((one,), (two,))
    assert mind.queued() == [one]


async def test_a_fact_without_a_quote_that_stands_is_not_written(mind: Mind) -> None:
    slice_id, taken, _ = await _one(mind)
    invented = quoted(fact("Maya", "owns", "Yacht"), slice_id, "I bought a yacht")
    promoted = await mind.promotes(taken, Proposals((), (invented, fact("Maya", "is", "x"))))
    assert (promoted.relationships, promoted.quotes_dropped, promoted.entities) == (0, 1, 0)
    assert promoted.detail["failed"] == [str(slice_id)]
    assert mind.state(slice_id) == "unconsolidated"
    assert mind.rows("select attempts, failure, claim from thoth.substrate_unconsolidated") == [(1, "no verdict", None)]
    assert mind.rows("select outcome, reason from thoth.substrate_verdicts") == [("failed", "no verdict")]


async def test_a_slice_is_partial_until_each_passage_is_settled(mind: Mind) -> None:
    (slice_id,) = await mind.hears(Said(LONG))
    taken = await mind.claims()
    assert taken is not None
    numbers = [span.passage_no for span in taken.sources[0].passages]
    assert len(numbers) >= 3
    first = quoted(fact("House 0", "painted", "colour 0", object_is_entity=False), slice_id, "house 0 is painted in colour 0")
    said = (
        VerdictProposal(slice_id, numbers[0], "nothing", "cited all the same"),
        VerdictProposal(slice_id, numbers[1], "nothing", "only houses"),
        *(VerdictProposal(slice_id, n, "extracted") for n in numbers[2:]),
    )
    promoted = await mind.promotes(taken, Proposals((), (first,), (), said))
    assert (promoted.partial, promoted.consolidated) == ((slice_id,), ())
    assert mind.state(slice_id) == "partial"
    verdicts = mind.rows("select outcome, reason from thoth.substrate_verdicts order by passage_no")
    assert verdicts[:2] == [("extracted", ""), ("nothing", "only houses")]
    assert {row[0] for row in verdicts[2:]} == {"failed"}
    assert await mind.claims() is None, "it waits"
    mind.clock.advance(LONGEST_WAIT)
    taken = await mind.claims()
    assert taken is not None
    rest = tuple(VerdictProposal(slice_id, n, "nothing", "houses again") for n in numbers[2:])
    promoted = await mind.promotes(taken, Proposals((), (), (), rest))
    assert promoted.consolidated == (slice_id,), "what was settled before stays settled"
    assert mind.queued() == []
    assert mind.rows("select consolidation_attempts from thoth.substrate_slices where slice_id = %s", slice_id) == [(2,)]


async def test_nothing_to_keep_is_a_result_and_silence_is_not(mind: Mind) -> None:
    greeting, other = await mind.hears(Said("Hello!"), Said("Good morning!"))
    taken = await mind.claims()
    assert taken is not None
    verdicts = nothing([source for source in taken.sources if source.slice_id == greeting], "")
    promoted = await mind.promotes(taken, Proposals((), (), (), verdicts))
    assert promoted.consolidated == (greeting,)
    assert mind.queued() == [other]
    assert mind.rows("select reason from thoth.substrate_verdicts where outcome = 'nothing'") == [("no reason was given",)]


async def test_extracted_counts_only_when_something_cites_it(mind: Mind) -> None:
    slice_id, taken, _ = await _one(mind)
    said = (VerdictProposal(slice_id, 0, "extracted"),)
    assert (await mind.promotes(taken, Proposals((), (), (), said))).consolidated == ()
    assert mind.rows("select failure from thoth.substrate_unconsolidated") == [
        ("said to be extracted, and nothing that is held quotes it",)
    ]


async def test_a_models_words_do_not_get_into_the_queue(mind: Mind) -> None:
    slice_id, taken, _ = await _one(mind)
    said = (VerdictProposal(slice_id, 0, "failed", "he said he lives in Berlin"),)
    await mind.promotes(taken, Proposals((), (), (), said))
    assert mind.rows("select failure from thoth.substrate_unconsolidated") == [("the model's reply on it could not be used",)]


async def test_a_slice_without_text_is_settled_by_itself(mind: Mind) -> None:
    slice_id, taken, _ = await _one(mind, " \n ")
    promoted = await mind.promotes(taken, Proposals())
    assert promoted.consolidated == (slice_id,)
    assert mind.rows("select passage_no, outcome, reason from thoth.substrate_verdicts") == [
        (-1, "nothing", "there is no text in it")
    ]


async def test_a_slice_that_fails_for_ever_becomes_a_dead_letter_and_can_be_revived(mind: Mind) -> None:
    """faults: one poisoned item that fails identically forever."""
    poisoned, _, _ = await _one(mind)
    for attempt in range(1, 4):
        mind.clock.advance(2 * LONGEST_WAIT)
        taken = await mind.claims()
        assert taken is not None
        failed = await fail(mind.db, mind.tenant, taken.token, [poisoned], "the reply was no JSON", attempts_most=3)
        assert failed.retried == ((poisoned,) if attempt < 3 else ())
    assert failed.dead == (poisoned,)
    assert mind.queued() == []
    assert mind.state(poisoned) == "unconsolidated", "nothing was lost, nothing was called done"
    assert mind.rows("select agent, slice_id, attempts, failure from thoth.substrate_dead_letters") == [
        ("parser", poisoned, 3, "the reply was no JSON")
    ]
    assert await retry(mind.db, mind.tenant, "summarizer") == 0
    assert await retry(mind.db, mind.tenant, "parser") == 1
    assert mind.queued() == [poisoned]
    assert count(mind.sql, "substrate_dead_letters") == 0
    taken = await mind.claims()
    assert taken is not None
    assert (await mind.promotes(taken, Proposals((), (), (), nothing(taken.sources)))).consolidated == (poisoned,)


async def test_what_promotion_cannot_settle_ends_among_the_dead_letters_too(mind: Mind) -> None:
    mind.attempts_most = 2
    slice_id, taken, _ = await _one(mind)
    assert (await mind.promotes(taken, Proposals())).detail["failed"] == [str(slice_id)]
    mind.clock.advance(LONGEST_WAIT)
    taken = await mind.claims()  # type: ignore[assignment]
    assert (await mind.promotes(taken, Proposals())).detail["dead"] == [str(slice_id)]
    assert mind.queued() == []


async def test_a_dead_letter_that_was_forgotten_is_laid_to_rest(mind: Mind) -> None:
    slice_id, taken, _ = await _one(mind)
    await fail(mind.db, mind.tenant, taken.token, [slice_id], "no", attempts_most=1)
    await forget(mind.db, mind.tenant, slice_id)
    assert await retry(mind.db, mind.tenant) == 0
    assert mind.queued() == []
    assert count(mind.sql, "substrate_dead_letters") == 0


async def test_a_claim_given_back_counts_no_attempt(mind: Mind) -> None:
    """faults: an endpoint down for hours: no growing pile, no retry storm."""
    slice_id, taken, _ = await _one(mind)
    assert await release_claim(mind.db, mind.tenant, taken.token) == 1
    again = await mind.claims()
    assert again is not None
    assert [source.slice_id for source in again.sources] == [slice_id]
    assert mind.rows("select attempts from thoth.substrate_unconsolidated") == [(0,)]


async def test_one_fact_stated_49_times_is_one_row_with_49_citations(mind: Mind) -> None:
    """faults: one fact stated 49 times."""
    texts = [f"{n}: I live in Berlin." for n in range(49)]
    ids = await mind.hears(*(Said(text, at=day("2023-03-01") + timedelta(days=(n * 17) % 49)) for n, text in enumerate(texts)))
    for _ in range(4):
        taken = await mind.claims(limit_rows=13)
        assert taken is not None
        here = [(source.slice_id, source.text) for source in taken.sources]
        await mind.promotes(taken, Proposals((), tuple(quoted(fact("Maya", "lives_in", "Berlin"), *one) for one in here)))
    assert mind.facts() == [("Berlin", "2023-03-01", None, False)]
    living = mind.rows(
        "select r.relationship_id, count(c.slice_id) from thoth.substrate_relationships r"
        " join thoth.substrate_citations c on c.row_id = r.relationship_id where r.retracted_at is null group by 1"
    )
    assert [row[1] for row in living] == [49]
    assert mind.queued() == []
    assert len(ids) == 49
    assert count(mind.sql, "substrate_outcomes") == 0, "one conversation repeats itself"
    assert len(mind.rows("select 1 from thoth.substrate_statements where layer = 'relationship'")) == 1


async def test_only_another_session_corroborates_and_only_a_person(mind: Mind) -> None:
    outcomes = "select outcome, row_id = by_id from thoth.substrate_outcomes"
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), session="s1")
    mind.clock.advance(timedelta(hours=1))
    promoted = await mind.learns("Yes, Berlin.", fact("Maya", "lives_in", "Berlin"), session="s1")
    assert (promoted.corroborated, promoted.relationships) == (1, 0)
    assert mind.rows(outcomes) == []
    await mind.learns("You live in Berlin.", fact("Maya", "lives_in", "Berlin"), session="s2", stream=ASSISTANT)
    assert mind.rows(outcomes) == [], "recall makes the agent say again what it was told"
    await mind.learns("Berlin, as ever.", fact("Maya", "lives_in", "Berlin"), session="s3")
    assert mind.rows(outcomes) == [("corroborated", True)]
    await mind.learns("Berlin, still.", fact("Maya", "lives_in", "Berlin"), session="s4")
    assert mind.rows(outcomes) == [("corroborated", True)]


async def test_two_workers_that_meet_a_new_name_at_once_make_one_entity_of_it(mind: Mind) -> None:
    """faults: concurrent writers touching overlapping sets in opposite orders; two upserts of one document."""
    rounds = 4
    for number in range(rounds):
        texts = [(f"s{number}a", f"Maya{number} knows Tom{number}."), (f"s{number}b", f"Tom{number} knows Maya{number}.")]
        await mind.hears(*(Said(text, session=session) for session, text in texts))
        first, second = await mind.claims(limit_rows=1), await mind.claims(limit_rows=1)
        assert first is not None
        assert second is not None
        pairs = ((first, f"Maya{number}", f"Tom{number}"), (second, f"Tom{number}", f"Maya{number}"))
        await asyncio.gather(
            *(
                mind.promotes(
                    taken, Proposals((), (quoted(fact(a, "knows", b), taken.sources[0].slice_id, taken.sources[0].text),))
                )
                for taken, a, b in pairs
            )
        )
    assert mind.queued() == []
    names = [row[0] for row in mind.rows("select norm from thoth.substrate_entities order by norm")]
    assert names == sorted({f"maya{n}" for n in range(rounds)} | {f"tom{n}" for n in range(rounds)})
    assert len(mind.facts()) == 2 * rounds


@pytest.mark.parametrize("statements", [1, 4, 9, 14, 19, 24, 29])
async def test_killed_anywhere_it_did_nothing_or_all_and_can_be_done_again(
    mind: Mind, monkeypatch: pytest.MonkeyPatch, statements: int
) -> None:
    """faults: SIGKILL anywhere."""
    slice_id, taken, proposals = await _one(mind)
    await mind.promotes(taken, proposals)
    mind.clock.advance(timedelta(days=1))
    second, taken, _ = await _one(mind, "Now I live in Paris.")
    moved = Proposals((), (quoted(fact("Maya", "lives_in", "Paris"), second, "Paris"),))
    with monkeypatch.context() as patch:
        dies_after(patch, statements)
        try:
            await mind.promotes(taken, moved)
            died = False
        except DatabaseUnavailable:
            died = True
    assert mind.state(second) == ("unconsolidated" if died else "consolidated")
    assert len(mind.facts()) == (1 if died else 2)
    await mind.promotes(taken, moved)
    assert [row[0] for row in mind.facts()] == ["Berlin", "Paris"]
    assert [mind.state(one) for one in (slice_id, second)] == ["consolidated", "consolidated"]
    assert count(mind.sql, "substrate_relationships") == 3


async def test_what_models_write_does_no_harm(mind: Mind) -> None:
    """faults: a NUL in a model's reply; a lone surrogate; a number that is none."""
    slice_id, taken, _ = await _one(mind, "I live in Berlin, and 札幌 is far.")
    whole = (Quote(slice_id, "I live in Berlin"),)
    odd = (
        replace(fact("Ma\x00ya", "lives\x00 in", "Ber\x00lin", statement="Ma\x00 \ud83d"), confidence=float("nan"), quotes=whole),
        RelationshipProposal("Maya", "", "x", quotes=whole),
        RelationshipProposal("", "is", "x", quotes=whole),
        RelationshipProposal("Maya", "is", "  ", quotes=whole),
        RelationshipProposal("Maya", "scored", "🎉", object_is_entity=False, confidence=7.0, quotes=whole),
        replace(fact("Maya", "stayed", "there", object_is_entity=False), valid_from=day("2024-02-02"), valid_to=day("2024-01-01"),
                quotes=whole),
        RelationshipProposal("Maya", "visited", "札幌", quotes=(Quote(slice_id, "札幌"), Quote(UUID(int=3), "札幌"))),
        RelationshipProposal("Maya", "naive", "yes", False, valid_from=day("2024-02-02").replace(tzinfo=None), quotes=whole),
    )  # fmt: skip
    promoted = await mind.promotes(taken, Proposals((entity("\x00", taken.sources[0], "Berlin"),), odd))
    assert promoted.consolidated == (slice_id,)
    assert sorted(row[0] for row in mind.facts()) == ["Berlin", "there", "yes", "札幌", "🎉"]
    confidences = mind.rows("select stated_confidence from thoth.substrate_relationships order by object_text")
    assert {row[0] for row in confidences} == {0.5, 1.0}


async def test_a_new_confidence_is_recalibrated(mind: Mind) -> None:
    mind.sql.execute(
        "insert into thoth.substrate_calibration (tenant_id, agent, model, predicate, bin, scored, held, stated_sum, squares)"
        " values ('default', 'parser', 'scripted', '*', 9, 100, 20, 95, 60)"
    )
    await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin", confidence=0.95))
    ((stated, worth),) = mind.rows("select stated_confidence, confidence from thoth.substrate_relationships")
    assert stated == pytest.approx(0.95)
    assert worth == pytest.approx((20 + 10 * 0.95) / 110, abs=1e-3)


async def test_facts_are_found_by_their_words_and_names_and_no_longer_when_they_are_let_go(mind: Mind) -> None:
    await mind.learns(
        "I live in Berlin.", fact("Maya Lind", "lives_in", "Berlin", statement="She lives there."), at=day("2023-01-01")
    )
    agree = (
        "select (select array_agg(row(t.term, s.row_id, t.n, s.length)::text order by t.term, s.row_id)"
        "  from thoth.substrate_statements s cross join lateral unnest(s.terms, s.counts) t(term, n))"
        " is not distinct from (select array_agg(row(p.term, p.row_id, p.count, p.length)::text order by p.term, p.row_id)"
        "  from thoth.substrate_statement_postings p)"
    )
    terms = mind.rows("select terms, length from thoth.substrate_statements")
    assert terms == [(["berlin", "lind", "live", "maya"], 4)]
    assert mind.rows(agree) == [(True,)]
    await mind.learns("I live in Paris.", fact("Maya Lind", "lives_in", "Paris"))
    assert len(mind.rows("select 1 from thoth.substrate_statements")) == 2
    assert mind.rows(agree) == [(True,)]


async def test_another_tenants_claim_promotes_nothing(mind: Mind) -> None:
    """faults: an id from another tenant."""
    slice_id, taken, proposals = await _one(mind)
    other = replace(mind, tenant="other")
    assert (await other.promotes(taken, proposals)).lost == (slice_id,)
    assert count(mind.sql, "substrate_relationships") == 0
