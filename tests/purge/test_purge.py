"""Purging: nothing of what was said is left anywhere, and everything else still stands."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from tests.consolidate.support import MAKER, Mind, fact
from tests.purge.support import PRIVATE, PUBLIC, WORDS, Life, dump, live, vectors
from tests.support import ASSISTANT, USER, Said, dies_after, index_agrees
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseUnavailable, UnknownSlice
from thoth_substrate.model.knowledge import Proposals, Quote
from thoth_substrate.purge import receipts
from thoth_substrate.purge.purge import of_session, purge, resume
from thoth_substrate.views import audit


@pytest.fixture
async def life(mind: Mind) -> Life:
    return await live(mind)


def found(sql: psycopg.Connection) -> list[str]:
    """Lines of a dump that hold a word of what was purged."""
    return [line for line in dump(sql).splitlines() if any(word in line.lower() for word in WORDS)]


async def test_nothing_of_a_purged_conversation_is_left_in_the_whole_database(
    db: Database, sql: psycopg.Connection, mind: Mind, life: Life
) -> None:
    """Show 7, and faults: forget that leaves it in vectors, summaries, logs, exports."""
    theirs = vectors(sql, [*life.secret, life.summaries[PRIVATE]])
    assert len(found(sql)) > 20
    assert theirs
    receipt = await purge(db, "default", await of_session(db, "default", PRIVATE))
    assert found(sql) == []
    dumped = dump(sql)
    assert [vector for vector in theirs if vector in dumped] == []
    assert [str(one) for one in life.secret if not receipt.gone] == []
    assert receipt.state == "done"
    verified = await receipts.verify(db, "default", receipt.purge_id)
    assert (verified.well, dict(verified.left)) == (True, {})
    index_agrees(sql)


async def test_what_the_other_conversation_said_still_stands(
    db: Database, sql: psycopg.Connection, mind: Mind, life: Life
) -> None:
    before = {
        str(row) for row in mind.rows("select slice_id, text, payload from thoth.substrate_slices where session_id = %s", PUBLIC)
    }
    await purge(db, "default", life.secret)
    after = {
        str(row) for row in mind.rows("select slice_id, text, payload from thoth.substrate_slices where session_id = %s", PUBLIC)
    }
    assert before == after
    assert sorted(fact[0] for fact in mind.facts()) == ["Acme", "Lisbon", "chess"]
    assert {fact[2] for fact in mind.facts()} == {None}, "the move to Porto was never told: Lisbon has no end"
    ((maya,),) = mind.rows("select summary from thoth.substrate_entities where name = 'Maya'")
    assert set(maya.split(". ")) < {"Maya lives in Lisbon", "Maya works at Acme", "Maya loves chess"}
    assert life.pattern in {row[0] for row in mind.rows("select pattern_id from thoth.substrate_patterns")}
    asked = mind.rows("select query_excerpt from thoth.substrate_recall_log where query_excerpt <> ''")
    assert asked == [("Where do I work?",)]


async def test_what_no_person_of_another_session_confirms_any_more_counts_as_confirmed_no_longer(
    db: Database, mind: Mind
) -> None:
    """By promotion's own rule: that the agent said it again in a session of its own confirms nothing."""
    outcomes = "select outcome from thoth.substrate_outcomes"
    for session, stream in (("s1", USER), ("s2", ASSISTANT), ("s3", USER), ("s4", USER)):
        await mind.learns("I live in Berlin.", fact("Maya", "lives_in", "Berlin"), session=session, stream=stream)
        mind.clock.advance(timedelta(hours=1))
    assert mind.rows(outcomes) == [("corroborated",)]
    await purge(db, "default", await of_session(db, "default", "s4"))
    assert mind.rows(outcomes) == [("corroborated",)], "s3 confirms it still"
    await purge(db, "default", await of_session(db, "default", "s3"))
    assert mind.rows(outcomes) == [], "the agent's own words are left beside the first"
    assert [one[0] for one in mind.facts()] == ["Berlin"]


async def test_rows_that_lose_their_last_support_are_gone_wholly(db: Database, mind: Mind, life: Life) -> None:
    await purge(db, "default", life.secret)
    names = {row[0] for row in mind.rows("select name from thoth.substrate_entities")}
    assert not names & {"Zinaida", "Vladivostok", "Porto"}
    assert mind.rows("select 1 from thoth.substrate_patterns where pattern_id = %s", life.lonely) == []
    assert mind.rows("select 1 from thoth.substrate_observations where observation_id = %s", life.dream) == []
    assert len(mind.rows("select 1 from thoth.substrate_observations")) == 1
    assert [row[0] for row in mind.rows("select alias from thoth.substrate_entity_aliases where norm like '%%zina%%'")] == []


async def test_the_diary_is_whole_although_its_payloads_went(
    db: Database, sql: psycopg.Connection, mind: Mind, life: Life
) -> None:
    await purge(db, "default", life.secret)
    verdict = await audit.verify(db, "default")
    assert (verdict.well, verdict.purged) == (True, 2)
    kept = mind.rows("select slice_id from thoth.substrate_slices where session_id = 'diary' and payload is not null")
    assert life.decisions["open"] in {row[0] for row in kept}


async def test_a_fact_that_both_told_is_said_in_words_of_what_is_left(db: Database, mind: Mind) -> None:
    """It was first said in the purged conversation; the other confirmed it."""
    (first,) = await mind.hears(Said("My teacher Ludmilla says I play chess well, I love chess.", actor="maya", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    told = fact("Maya", "likes", "chess", statement="Maya loves chess since Ludmilla taught her.", object_is_entity=False,
                quotes=(Quote(first, "I love chess"),))  # fmt: skip
    await mind.promotes(taken, Proposals((), (told,)))
    await mind.learns("I love chess.", fact("Maya", "likes", "chess", object_is_entity=False), actor="maya", session=PUBLIC)
    await purge(db, "default", [first])
    ((statement, text),) = mind.rows(
        "select r.statement, (select string_agg(term, ' ' order by term) from thoth.substrate_statement_postings p"
        " where p.row_id = r.relationship_id) from thoth.substrate_relationships r where retracted_at is null"
    )
    assert statement == "Maya likes chess"
    assert "ludmilla" not in text
    assert mind.rows("select count(*) from thoth.substrate_outcomes where row_id = by_id") == [(0,)]


async def test_a_fact_whose_object_only_the_purged_named_goes_and_its_other_source_is_promoted_anew(
    db: Database, mind: Mind
) -> None:
    first, second = await mind.hears(
        Said("I moved to Lisbon.", actor="maya", session=PRIVATE), Said("I am happy to live there.", actor="maya", session=PUBLIC)
    )
    taken = await mind.claims()
    assert taken is not None
    home = fact(
        "Maya", "lives_in", "Lisbon", quotes=(Quote(first, "I moved to Lisbon"), Quote(second, "I am happy to live there"))
    )
    await mind.promotes(taken, Proposals((), (home,)))
    assert mind.state(second) == "consolidated"
    receipt = await purge(db, "default", [first])
    assert mind.facts() == []
    assert (mind.state(second), mind.queued()) == ("partial", [second])
    assert receipt.anew["substrate_unconsolidated"] == 1


async def test_what_was_superseded_by_the_purged_holds_again(db: Database, mind: Mind) -> None:
    await mind.learns("I live in Lisbon.", fact("Maya", "lives_in", "Lisbon"), actor="maya", session=PUBLIC)
    mind.clock.advance(timedelta(days=10))
    (moved,) = await mind.hears(Said("I moved to Porto.", actor="maya", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    await mind.promotes(taken, Proposals((), (fact("Maya", "lives_in", "Porto", quotes=(Quote(moved, "I moved to Porto"),)),)))
    assert [(one[0], one[2]) for one in mind.facts()] == [("Lisbon", "2026-05-25"), ("Porto", None)]
    await purge(db, "default", [moved])
    assert [(one[0], one[2]) for one in mind.facts()] == [("Lisbon", None)]


async def test_an_end_that_only_the_purged_told_is_taken_back(db: Database, mind: Mind) -> None:
    await mind.learns("I work at Acme.", fact("Maya", "works_at", "Acme"), actor="maya", session=PUBLIC)
    mind.clock.advance(timedelta(days=10))
    (left,) = await mind.hears(Said("I no longer work at Acme.", actor="maya", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    ended = fact("Maya", "works_at", "Acme", ends=True, quotes=(Quote(left, "I no longer work at Acme"),))
    await mind.promotes(taken, Proposals((), (ended,)))
    assert [(one[0], one[2]) for one in mind.facts()] == [("Acme", "2026-05-25")]
    await purge(db, "default", [left])
    assert [(one[0], one[2]) for one in mind.facts()] == [("Acme", None)]


@pytest.mark.parametrize("statements", range(3, 120, 9))
async def test_killed_anywhere_it_is_finished_by_the_next_run(
    statements: int, db: Database, sql: psycopg.Connection, mind: Mind, life: Life
) -> None:
    """faults: killed half-way through a cascade."""
    with pytest.MonkeyPatch.context() as patch:
        dies_after(patch, statements)
        with pytest.raises(DatabaseUnavailable):
            await purge(db, "default", life.secret)
    if not mind.rows("select 1 from thoth.substrate_purges"):
        await purge(db, "default", life.secret)
    await resume(db, "default")
    assert found(sql) == []
    ((purge_id, state),) = mind.rows("select purge_id, receipt ->> 'state' from thoth.substrate_purges")
    assert state == "done"
    assert (await receipts.verify(db, "default", purge_id)).well
    assert await resume(db, "default") == []


async def test_a_worker_that_promotes_from_it_at_the_same_time_finds_it_forgotten(db: Database, mind: Mind) -> None:
    """faults: forgetting races with a consolidation in flight."""
    (one,) = await mind.hears(Said("Zinaida lives in Vladivostok.", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    proposals = Proposals((), (fact("Zinaida", "lives_in", "Vladivostok", quotes=(Quote(one, "lives in Vladivostok"),)),))
    _, promoted = await asyncio.gather(purge(db, "default", [one]), mind.promotes(taken, proposals))
    late = await mind.promotes(taken, proposals)
    assert late.lost == (one,)
    assert (mind.facts(), mind.rows("select 1 from thoth.substrate_citations"), mind.queued()) == ([], [], [])
    assert promoted.relationships in (0, 1)
    assert found(mind.sql) == []


async def test_it_waits_for_a_promotion_that_holds_the_slice_and_takes_back_what_that_made(db: Database, mind: Mind) -> None:
    """faults: forgetting races with a consolidation in flight; here the promotion is first."""
    (one,) = await mind.hears(Said("Zinaida lives in Vladivostok.", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    proposals = Proposals((), (fact("Zinaida", "lives_in", "Vladivostok", quotes=(Quote(one, "lives in Vladivostok"),)),))
    from thoth_substrate.consolidate.promote import promote

    async with db.tenant("default") as tx:
        await promote(tx, "default", taken.token, taken.sources, proposals, MAKER)
        purging = asyncio.ensure_future(purge(db, "default", [one]))
        while not mind.rows("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"):
            await asyncio.sleep(0)
        assert not purging.done()
    await purging
    assert found(mind.sql) == []
    assert mind.rows("select 1 from thoth.substrate_entities") == []


async def test_forgotten_and_released_slices_can_be_purged_too(
    db: Database, sql: psycopg.Connection, mind: Mind, life: Life
) -> None:
    from thoth_substrate.fade.forget import forget
    from thoth_substrate.fade.release import release

    for one in life.secret:
        await forget(db, "default", one)
    await release(db, limit_rows=100)
    assert mind.state(life.secret[0]) == "released"
    await purge(db, "default", await of_session(db, "default", PRIVATE))
    assert found(sql) == []


async def test_purged_twice_nothing_more_goes(db: Database, mind: Mind, life: Life) -> None:
    await purge(db, "default", life.secret)
    again = await purge(db, "default", life.secret)
    assert (again.state, dict(again.gone), dict(again.anew)) == ("done", {}, {})


async def test_the_receipt_holds_no_content(db: Database, mind: Mind, life: Life) -> None:
    receipt = await purge(db, "default", life.secret)
    ((stored,),) = mind.rows("select receipt from thoth.substrate_purges")
    assert set(stored) == {"state", "gone", "anew", "rows", "done_at"}
    assert {"substrate_slices", "substrate_citations", "substrate_relationships", "substrate_entities", "diary"} <= set(
        receipt.gone
    )
    assert receipt.gone["substrate_slices"] == len(life.secret) + 1, "its summary, too"
    assert all(isinstance(n, int) for counts in (receipt.gone, receipt.anew) for n in counts.values())


async def test_a_receipt_that_is_no_longer_true_says_so(db: Database, sql: psycopg.Connection, mind: Mind, life: Life) -> None:
    receipt = await purge(db, "default", life.secret)
    sql.execute(
        "insert into thoth.substrate_verdicts (tenant_id, slice_id, passage_no, outcome, agent)"
        " values ('default', %s, 0, 'nothing', 'x')",
        (life.secret[0],),
    )
    verified = await receipts.verify(db, "default", receipt.purge_id)
    assert (verified.well, dict(verified.left)) == (False, {"substrate_verdicts": 1})


async def test_what_cannot_be_purged_is_refused_before_anything_goes(db: Database, mind: Mind, life: Life) -> None:
    with pytest.raises(UnknownSlice, match="nothing was purged"):
        await purge(db, "default", [life.secret[0], UUID(int=5)])
    with pytest.raises(BadInput, match="entry of the diary"):
        await purge(db, "default", [life.secret[0], life.decisions["secret"]])
    with pytest.raises(BadInput, match="no slice of a session nowhere"):
        await of_session(db, "default", "nowhere")
    assert mind.rows("select 1 from thoth.substrate_purges") == []
    with pytest.raises(UnknownSlice):
        await purge(db, "somebody", [life.secret[0]])
