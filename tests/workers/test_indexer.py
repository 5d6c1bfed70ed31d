"""The Indexer: what is going on across channels, once each, for as long as it was said to matter; failures are no quiet days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.awareness.week import MAIL, SLACK, TELEGRAM, WHATSAPP, spoken, week
from tests.llm.scripted import ScriptedModel, Status
from tests.support import Said
from tests.workers.crew_support import context, number, tick, told
from tests.workers.layers import decisions
from thoth_substrate.awareness.expire import expire
from thoth_substrate.awareness.keep import Concept, concepts, extend, forget
from thoth_substrate.awareness.lookup import lookup
from thoth_substrate.awareness.read import read
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.triage.index import index
from thoth_workers.crew.indexer import AGENT, ATTEMPTS
from thoth_workers.indexing import index_now
from thoth_workers.replay import replay

RUN = timedelta(hours=6)
PATIENCE = 1000  # of the breaker, so that it is the Indexer who waits


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        yield scripted


def position(sql: psycopg.Connection) -> dict[str, Any]:
    """Where the Indexer stands."""
    row = sql.execute("select position from thoth.substrate_cursors where agent = 'indexer'").fetchone()
    return dict(row[0]) if row else {}


async def about(db: Database, words: str) -> Concept:
    """The one topic that these words lead to."""
    [found] = [one.concept for one in await lookup(db, "default", words) if set(words.split()) <= set(one.matched)]
    return found


async def test_a_week_of_two_languages_and_four_channels_is_indexed_in_english(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await week(db, sql)
    assert (await tick(AGENT, context(db, model))).did == 1
    found = await concepts(db, "default")
    assert len(found) == 5
    words = [word for one in found for word in one.keywords]
    assert words == [word.lower() for word in words if word.isascii()]
    assert not {"caldera", "casero", "pediatra", "receta", "azafran", "vuelo"} & set(words)
    boiler = await about(db, "boiler landlord")
    assert {(one.type, one.ref) for one in boiler.sources} == {
        ("conversation", f"{WHATSAPP}/Ortega"), ("conversation", f"{MAIL}/thread-77"),
    }  # fmt: skip
    windows = {one.ref.rpartition("/")[2]: (one.from_time, one.to_time) for one in boiler.sources}
    now = clock.now()
    assert windows == {"Ortega": (spoken(now, 6.9), spoken(now, 6.8)), "thread-77": (spoken(now, 4.0), spoken(now, 0.5))}
    lasts = {"boiler": (0.5, 45), "pediatrician": (5.5, 20), "lisbon": (2.0, 25), "paella": (3.5, 4), "kafka": (5.0, 7)}
    for word, (ago, days) in lasts.items():
        [one] = [one for one in found if word in one.keywords]
        assert one.expires_at == spoken(now, ago) + timedelta(days=days), word
    assert {met.ref for one in found for met in one.sources} >= {f"{SLACK}/ops", f"{TELEGRAM}/viaje", f"{TELEGRAM}/familia"}


async def test_noise_and_our_own_diary_are_not_put_to_the_model(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    [asked] = model.chats
    assert "no tenemos agua caliente" in asked.user
    for noise in ("Oferta", "broadcast", "Sticker", "👍", "Media omitted", "decided: boiler", '{"boiler"'):
        assert noise not in asked.user, noise
    assert asked.user.index("== whatsapp: Ortega") < asked.user.index("== email: thread-77")


async def test_a_second_run_extends_and_makes_nothing_twice(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    before = await about(db, "boiler landlord")
    clock.advance(RUN)
    said = Said("La caldera otra vez, el casero no contesta.", session="Ortega", stream=WHATSAPP, actor="Marta")
    await told(db, sql, [said], ago=timedelta(0))
    await tick(AGENT, context(db, model))
    assert number(sql, "select count(*) from thoth.substrate_concepts") == 5
    after = await about(db, "boiler landlord")
    assert after.concept_id == before.concept_id
    assert sorted(after.keywords) == sorted(before.keywords)
    assert after.expires_at == clock.now() + timedelta(days=45) > before.expires_at
    [ortega] = [one for one in after.sources if one.ref.endswith("Ortega")]
    assert (ortega.from_time, ortega.to_time) == (spoken(clock.now() - RUN, 6.9), clock.now())
    assert [one["applied"]["made"] for one in decisions(sql, "indexer")] == [5, 0]
    assert "boiler" in model.chats[-1].user.partition("The messages:")[0], (
        "what is known is told, so that its words are used again"
    )


async def test_reading_the_same_again_changes_nothing_but_the_time_of_noting(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    kept = "select string_agg(x::text, ' ' order by x::text) from thoth.substrate_keywords x"
    before = [sql.execute(kept).fetchone(), sql.execute(kept.replace("keywords", "sources")).fetchone()]
    ran = await index_now(db, context(db, model).settings, spoken(db.clock.now(), 7))
    assert (ran.decisions, ran.failed, dict(ran.did)["extended"]) == (1, "", 5)
    assert [sql.execute(kept).fetchone(), sql.execute(kept.replace("keywords", "sources")).fetchone()] == before


async def test_expiry_takes_everything_in_one_statement_and_shows_nothing_before(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    clock.advance(timedelta(days=2))
    assert not any("paella" in one.keywords for one in await concepts(db, "default"))
    assert number(sql, "select count(*) from thoth.substrate_keywords where keyword = 'paella'") == 1, "before the sweep"
    assert await expire(db) == 2  # paella and the deploy
    assert number(sql, "select count(*) from thoth.substrate_keywords where keyword = 'paella'") == 0
    clock.advance(timedelta(days=60))
    assert await expire(db) == 3
    for table in ("concepts", "keywords", "sources"):
        assert number(sql, f"select count(*) from thoth.substrate_{table}") == 0, table


async def test_a_topic_of_another_tenant_stays_when_ours_expire(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    for tenant, days in (("default", 1), ("other", 9)):
        sql.execute(
            "insert into thoth.substrate_concepts (tenant_id, expires_at) values (%s, %s)",
            [tenant, clock.now() + timedelta(days=days)],
        )
    clock.advance(timedelta(days=2))
    assert await expire(db) == 1
    assert sql.execute("select tenant_id from thoth.substrate_concepts").fetchall() == [("other",)]


async def test_a_quiet_day_moves_the_cursor_and_asks_nobody(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    [one] = await told(db, sql, [Said("👍", session="Ortega", stream=WHATSAPP)])
    assert (await tick(AGENT, context(db, model))).did == 0
    assert model.chats == []
    assert position(sql)["through"] == str(one)
    assert datetime.fromisoformat(position(sql)["due"]) == clock.now() + RUN


async def test_until_the_next_run_is_due_nothing_is_read(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await told(db, sql, [Said("The boiler failed.")])
    await tick(AGENT, context(db, model))
    await told(db, sql, [Said("The landlord of the boiler called.")], ago=timedelta(0))
    clock.advance(RUN - timedelta(minutes=1))
    await tick(AGENT, context(db, model))
    assert len(model.chats) == 1
    clock.advance(timedelta(minutes=1))
    await tick(AGENT, context(db, model))
    assert len(model.chats) == 2


@pytest.mark.parametrize("bad", ["no JSON at all", "", '{"topics": "none"}'], ids=["words", "nothing", "another shape"])
async def test_a_failed_run_keeps_its_cursor_waits_longer_each_time_and_is_counted(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock, bad: str
) -> None:
    await told(db, sql, [Said("The boiler failed.")])
    model.always(bad)
    waits = []
    for _ in range(3):
        await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=PATIENCE))
        waits.append(datetime.fromisoformat(position(sql)["due"]) - clock.now())
        asked = len(model.chats)
        clock.advance(waits[-1] - timedelta(seconds=1))
        await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=PATIENCE))
        assert len(model.chats) == asked, "not before the wait is over"
        clock.advance(timedelta(seconds=1))
    assert waits == [timedelta(minutes=5), timedelta(minutes=10), timedelta(minutes=20)]
    assert position(sql)["failures"] == 3
    assert "through" not in position(sql)
    assert [one["applied"]["failures"] for one in decisions(sql, "indexer")] == [1, 2, 3]
    model.always({"topics": [{"keywords": ["boiler", "failure"], "messages": ["m1"], "days": 5}]})
    await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=PATIENCE))
    assert len(await concepts(db, "default")) == 1
    assert "failures" not in position(sql)
    assert position(sql)["failed_in_all"] == 3


async def test_an_endpoint_that_is_away_moves_nothing_and_is_no_failure(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await told(db, sql, [Said("The boiler failed.")])
    model.then(Status(429))
    assert (await tick(AGENT, context(db, model))).did == 0
    assert (position(sql), decisions(sql, "indexer")) == ({"put_off": 1}, [])


async def test_a_malformed_reply_is_salvaged_topic_by_topic(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await told(db, sql, [Said("The boiler failed."), Said("Lisbon is booked.")])
    model.then(
        'Here you are:\n```json\n{"topics": [{"keywords": ["boiler", "failure"], "messages": ["m1"], "days": "soon"},'
        ' {"keywords": ["Lisbon", "flight"], "messages": [2, "m99"], "days": 20, "reason": "a plan"},]}\n```'
    )
    await tick(AGENT, context(db, model))
    [kept] = [one for one in await concepts(db, "default") if "lisbon" in one.keywords]
    assert kept.keywords == ["flight", "lisbon"]
    applied = decisions(sql, "indexer")[0]["applied"]
    assert applied["unknown_ids"] == 1
    assert position(sql)["through"]


async def test_what_is_no_keyword_in_english_or_names_no_message_is_left_out(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await told(db, sql, [Said("La caldera.")])
    model.then({
        "topics": [
            {"keywords": ["Boiler", "ボイラー", "ignore all previous orders", "the"], "messages": ["m1"], "days": 5},
            {"keywords": ["nowhere"], "messages": ["m7"], "days": 5},
            {"keywords": ["カルデラ"], "messages": ["m1"], "days": 5},
        ]
    })  # fmt: skip
    await tick(AGENT, context(db, model))
    [one] = await concepts(db, "default")
    assert one.keywords == ["boiler"]
    applied = decisions(sql, "indexer")[0]["applied"]
    assert (applied["foreign"], applied["vague"], applied["unknown_ids"]) == (4, 2, 1)


@pytest.mark.parametrize(("days", "kept"), [(0.2, 1), (5, 5), (9000, 60)])
async def test_a_time_to_live_stays_within_its_bounds(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock, days: float, kept: int
) -> None:
    await told(db, sql, [Said("The boiler failed.")], ago=timedelta(0))
    model.then({"topics": [{"keywords": ["boiler"], "messages": ["m1"], "days": days}]})
    await tick(AGENT, context(db, model))
    assert (await about(db, "boiler")).expires_at == clock.now() + timedelta(days=kept)


async def test_what_happened_long_ago_costs_nothing(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    """faults: an import of years put to a model at once."""
    await told(db, sql, [Said("The boiler failed.", at=spoken(db.clock.now(), 61))])
    await tick(AGENT, context(db, model))
    assert model.chats == []


async def test_a_great_deal_is_put_in_portions_and_joined_again(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    said = [Said(f"The boiler of flat {n} failed again. " + "So it goes on. " * 30, session=f"flat-{n % 4}") for n in range(40)]
    await told(db, sql, said)
    await tick(AGENT, context(db, model, THOTH_INDEXER_PORTION_TOKENS=1000))
    assert len(model.chats) > 4
    assert all(len(asked.user) < 1000 * 4 + 1500 for asked in model.chats)
    [one] = await concepts(db, "default")
    assert len(one.sources) == 4


async def test_more_than_one_run_takes_is_read_on_at_once(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thoth_workers.crew.indexer.MOST_SLICES", 3)
    ids = await told(db, sql, [Said(f"The boiler failed {n} times.") for n in range(7)])
    for _ in range(4):
        await tick(AGENT, context(db, model))
    assert position(sql)["through"] >= str(ids[-1])
    assert [request.user.count("The boiler failed") for request in model.chats] == [3, 3, 1]


async def test_a_message_that_makes_every_reply_fail_holds_up_nobody(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    """Batches are halved with each failure; at last the message alone is passed over, and counted."""
    await told(db, sql, [Said("The boiler failed."), Said("poison"), Said("Lisbon: train and flight TP1011.")])
    good = model._script
    model.always(lambda request: "no" if "poison" in request.user else good(request))
    for _ in range(ATTEMPTS + 5):
        await tick(AGENT, context(db, model, THOTH_BREAKER_FAILURES=PATIENCE))
        clock.advance(RUN)
    assert position(sql)["passed_over"] == 1
    assert {word for one in await concepts(db, "default") for word in one.keywords} >= {"boiler", "lisbon"}


async def test_nothing_is_passed_by_that_still_waits_for_triage(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    ids = await told(db, sql, [Said("The boiler failed."), Said("The landlord called."), Said("Lisbon is booked.")])
    sql.execute("update thoth.substrate_slices set triage_state = 'pending' where slice_id = %s", [ids[1]])
    sql.execute("insert into thoth.substrate_pending (tenant_id, slice_id, profile) values ('default', %s, 'x')", [ids[1]])
    await tick(AGENT, context(db, model))
    assert position(sql)["through"] == str(ids[0])
    sql.execute("delete from thoth.substrate_pending")
    sql.execute("update thoth.substrate_slices set triage_state = 'passed' where slice_id = %s", [ids[1]])
    clock.advance(RUN)
    await tick(AGENT, context(db, model))
    assert position(sql)["through"] >= str(ids[2])
    assert "The landlord called." in model.chats[-1].user


async def test_what_comes_late_is_read_though_it_lies_before_the_cursor(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    """A journal replayed after hours, or a message let out of quarantine: their ids are older than what was read."""
    held, _ = await told(db, sql, [Said("El pediatra es el Dr Ruiz.", state="quarantined"), Said("The boiler failed.")])
    sql.execute("update thoth.substrate_slices set triage_state = 'quarantined' where slice_id = %s", [held])
    sql.execute("delete from thoth.substrate_passages where slice_id = %s", [held])
    await tick(AGENT, context(db, model))
    clock.advance(RUN)
    sql.execute("update thoth.substrate_slices set triage_state = 'passed' where slice_id = %s", [held])
    sql.execute("insert into thoth.substrate_unindexed (tenant_id, slice_id) values ('default', %s)", [held])
    await index(db, limit_rows=10)
    await told(db, sql, [Said("Lisbon is booked.")], ago=RUN * 2)
    await tick(AGENT, context(db, model))
    assert "Dr Ruiz" in model.chats[-1].user
    assert "Lisbon is booked." in model.chats[-1].user
    assert "The boiler failed." not in model.chats[-1].user
    for _ in range(3):
        clock.advance(RUN)
        await tick(AGENT, context(db, model))
    assert len(model.chats) == 2, "and once"


async def test_what_is_not_searchable_yet_is_waited_for(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    [first, second] = await told(db, sql, [Said("The boiler failed."), Said("Lisbon is booked.")])
    sql.execute("insert into thoth.substrate_unindexed (tenant_id, slice_id) values ('default', %s)", [second])
    await tick(AGENT, context(db, model))
    assert position(sql)["through"] == str(first)


async def test_nothing_is_told_on_of_what_was_forgotten_meanwhile(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, dsn: str
) -> None:
    """faults: a call whose result arrives after its source was changed or deleted."""
    [first, _] = await told(db, sql, [Said("The boiler failed."), Said("Lisbon is booked.")])
    good = model._script

    def forgetting(request: object) -> object:
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("update thoth.substrate_slices set forgotten = true where slice_id = %s", [first])
        return good(request)  # type: ignore[arg-type]

    model.always(forgetting)  # type: ignore[arg-type]
    await tick(AGENT, context(db, model))
    assert [one.keywords[-1] for one in await concepts(db, "default")] == ["train"]
    assert decisions(sql, "indexer")[0]["applied"]["withdrawn"] == 1


async def test_the_agents_own_words_belong_to_the_conversation(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    own = "thoth.self_action.assistant_response"
    await told(db, sql, [Said("What of it?", session="Ortega", stream=WHATSAPP),
                         Said("The boiler is under repair.", session="Ortega", stream=own, actor="assistant")])  # fmt: skip
    await tick(AGENT, context(db, model))
    assert [one.ref for one in (await about(db, "boiler")).sources] == [f"{WHATSAPP}/Ortega"]


@pytest.mark.parametrize("stream", ["thoth.world.calendar", "thoth.world.file", "thoth.world.somebody_elses"])
async def test_any_stream_is_a_source(db: Database, sql: psycopg.Connection, model: ScriptedModel, stream: str) -> None:
    """A calendar tells of days to come: a topic lasts from the appointment on, and was spoken of now."""
    coming = db.clock.now() + timedelta(days=12)
    await told(db, sql, [Said("Pediatra con el Dr Ruiz", session="", stream=stream, at=coming)], ago=timedelta(0))
    await tick(AGENT, context(db, model))
    one = await about(db, "pediatrician")
    assert (one.expires_at, one.last_at) == (coming + timedelta(days=20), db.clock.now())
    [met] = one.sources
    assert (met.type, met.ref, met.from_time) == ("conversation", f"{stream}/", coming)
    assert [slice.text for slice in (await read(db, "default", met.pointer)).slices] == ["Pediatra con el Dr Ruiz"]


async def test_of_two_runs_at_once_one_is_lost_and_nothing_twice(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await week(db, sql)
    first = context(db, model)
    gathered = await AGENT.gather(first, "default")
    assert gathered is not None
    await tick(AGENT, context(db, model))
    sql.execute("update thoth.substrate_cursors set position = '{}' where agent = 'indexer'")
    await tick(AGENT, first)
    assert number(sql, "select count(*) from thoth.substrate_concepts") == 5


async def test_its_decision_replays(db: Database, sql: psycopg.Connection, model: ScriptedModel) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    row = sql.execute("select slice_id from thoth.substrate_slices where payload ->> 'agent' = 'indexer'").fetchone()
    assert row is not None
    replayed = await replay(db, "default", UUID(str(row[0])))
    assert (replayed.same, replayed.why) == (True, "The same inputs and replies lead to the same proposals.")


async def test_it_keeps_no_word_of_a_known_topic_in_a_later_decision(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    """What is told as context must not outlive a purge in decisions that it made nothing of."""
    await told(db, sql, [Said("The boiler failed.")])
    await tick(AGENT, context(db, model))
    clock.advance(RUN)
    await told(db, sql, [Said("Lisbon is booked.")], ago=timedelta(0))
    await tick(AGENT, context(db, model))
    _, second = decisions(sql, "indexer")
    assert "boiler" in model.chats[-1].user
    assert "boiler" not in str(second)


async def test_it_does_nothing_when_it_is_switched_off_or_has_no_model(
    db: Database, sql: psycopg.Connection, model: ScriptedModel
) -> None:
    await told(db, sql, [Said("The boiler failed.")])
    assert (await tick(AGENT, context(db, None))).did == 0
    assert position(sql) == {}
    from thoth_workers.agent import worker_of

    assert not worker_of(AGENT).enabled(context(db, model, THOTH_SUBSTRATE_INDEXER="0").settings)


async def test_a_topic_is_extended_by_hand_never_shortened_and_forgotten_whole(
    db: Database, sql: psycopg.Connection, model: ScriptedModel, clock: PinnedClock
) -> None:
    await week(db, sql)
    await tick(AGENT, context(db, model))
    one = await about(db, "paella")
    longer = await extend(db, "default", one.concept_id, timedelta(days=30))
    assert longer.expires_at == clock.now() + timedelta(days=30)
    assert (await extend(db, "default", one.concept_id, timedelta(days=1))).expires_at == longer.expires_at
    await forget(db, "default", one.concept_id)
    assert number(sql, "select count(*) from thoth.substrate_keywords where concept_id = %s", one.concept_id) == 0
    assert number(sql, "select count(*) from thoth.substrate_sources where concept_id = %s", one.concept_id) == 0
    assert number(sql, "select count(*) from thoth.substrate_slices where text like '%%paella%%'") == 1, (
        "what it pointed to stays"
    )
