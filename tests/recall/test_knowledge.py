"""Knowledge in recall, from end to end: facts lead, fold, outlive their slices, and cost nothing where there are none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from tests.recall.conftest import USER, settle
from tests.recall.known import Told, a_fact, a_pattern, an_entity, an_observation, embed_statements
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.fade.release import release
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.projection import EmptyReason, Kind, Line, Projection
from thoth_substrate.model.slice import Event
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.substrate import Substrate

PORT = "Which port is the staging database on?"


def slice_of(sql: psycopg.Connection, words: str) -> UUID:
    """The slice that says `words`."""
    row = sql.execute("select slice_id from thoth.substrate_slices where text like %s", [f"%{words}%"]).fetchone()
    assert row is not None
    found: UUID = row[0]
    return found


def facts(projection: Projection) -> list[Line]:
    return [line for line in projection.lines if line.kind is not Kind.QUOTE]


async def let_go(sql: psycopg.Connection, db: Database, slice_ids: list[UUID], clock: PinnedClock) -> None:
    """Let slices be consolidated and faded, and the curator release them."""
    sql.execute("update thoth.substrate_slices set consolidation_state = 'consolidated' where slice_id = any(%s)", [slice_ids])
    sql.execute("update thoth.substrate_salience set releasable = true where slice_id = any(%s)", [slice_ids])
    clock.advance(timedelta(days=400))
    await release(db, limit_rows=100)
    gone = sql.execute(
        "select count(*) from thoth.substrate_slices where consolidation_state = 'released' and slice_id = any(%s)", [slice_ids]
    ).fetchone()
    assert gone == (len(slice_ids),)


async def test_a_tenant_without_knowledge_is_not_asked_for_any(substrate: Substrate) -> None:
    projection = await substrate.recall(PORT)
    assert projection.lines
    assert "knowledge" not in {leg.name for leg in projection.legs}


async def test_a_released_slice_is_gone_and_its_fact_still_answers(
    substrate: Substrate, sql: psycopg.Connection, db: Database, clock: PinnedClock, embedder: LocalEmbedder
) -> None:
    biscuit = an_entity(sql, "Biscuit")
    vet = slice_of(sql, "The vet says")
    a_fact(sql, Told("Biscuit is allergic to chicken.", biscuit, functional=True), [vet])
    await embed_statements(sql, embedder)
    every = [row[0] for row in sql.execute("select slice_id from thoth.substrate_slices where stream_id > 0").fetchall()]
    await let_go(sql, db, every, clock)
    projection = await substrate.recall("What may Biscuit not eat?")
    assert "Biscuit is allergic to chicken. (since 2026-03)" in projection.block
    assert [line.kind for line in projection.lines] == [Kind.FACT]


async def test_a_fact_whose_source_is_quoted_anyway_is_folded_away(
    substrate: Substrate, sql: psycopg.Connection, embedder: LocalEmbedder
) -> None:
    a_fact(sql, Told("The staging database listens on port 5433.", an_entity(sql, "staging")), [slice_of(sql, "listens on port")])
    await embed_statements(sql, embedder)
    projection = await substrate.recall(PORT)
    assert "5433 now, not 5432" in projection.block
    assert not facts(projection)
    assert projection.detail["composed"]["folded"] >= 1


async def test_a_fact_that_rests_on_something_else_stands_first(
    substrate: Substrate, sql: psycopg.Connection, embedder: LocalEmbedder
) -> None:
    row = a_fact(sql, Told("The staging database listens on port 5433.", an_entity(sql, "staging")), [UUID(int=7)])
    await embed_statements(sql, embedder)
    projection = await substrate.recall(PORT)
    [fact] = facts(projection)
    assert (fact.row_id, fact.kind, projection.lines[0]) == (row, Kind.FACT, fact)
    assert projection.block.split("\n")[2] == f"{fact.handle} The staging database listens on port 5433. (1 Mar 2026)"
    assert fact.score == sum(fact.parts.values())


async def test_facts_that_do_not_bear_on_the_question_stay_out(
    substrate: Substrate, sql: psycopg.Connection, embedder: LocalEmbedder
) -> None:
    for number, text in enumerate(("Maya plays the cello.", "The cat sleeps all day.", "The boiler is broken.")):
        a_fact(sql, Told(text, an_entity(sql, f"thing {number}")), [UUID(int=number + 1)])
    await embed_statements(sql, embedder)
    assert not facts(await substrate.recall(PORT))


async def test_a_merged_entity_is_found_by_every_name_it_ever_had(substrate: Substrate, sql: psycopg.Connection) -> None:
    kept = an_entity(sql, "Amparo Ruiz", "אמפרו")
    merged = an_entity(sql, "Ampi", merged_into=kept)
    a_fact(sql, Told("She keeps bees on the roof.", merged), [UUID(int=1)])
    a_fact(sql, Told("She has a brother in Vigo.", kept), [UUID(int=2)])
    for question in ("What does Ampi do with bees?", "And what does Amparo Ruiz's roof have to do with bees?"):
        assert "She keeps bees on the roof." in (await substrate.recall(question)).block
    linked = await substrate.recall("Where is the brother of Ampi?")
    assert "She has a brother in Vigo." in linked.block


async def test_patterns_and_insights_are_told_apart_and_dreams_are_never_told(
    substrate: Substrate, sql: psycopg.Connection
) -> None:
    """A dream can propose a question or a test, never a fact."""
    supports = [a_fact(sql, Told(f"Zorbing in town {n}.", an_entity(sql, f"z{n}")), [UUID(int=n)]) for n in (1, 2)]
    a_pattern(sql, "Maya goes zorbing every spring.", supports)
    a_pattern(sql, "Zorbing keeps Maya calm.", supports, kind="insight")
    an_observation(sql, "Would Maya stop zorbing if it rained?", "dream")
    projection = await substrate.recall("When does Maya go zorbing?")
    kinds = {line.text: line.kind for line in facts(projection)}
    assert kinds["Maya goes zorbing every spring."] is Kind.PATTERN
    assert kinds["Zorbing keeps Maya calm."] is Kind.INSIGHT
    assert "rained" not in projection.block


async def test_shown_facts_reinforce_the_slices_they_rest_on_once(
    substrate: Substrate, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: recall that reinforces what it shows, so that it shows it again."""
    dog = slice_of(sql, "lemon cake")
    a_fact(sql, Told("Maya owns a xylophone.", an_entity(sql, "xylophone")), [dog, UUID(int=9)])
    clock.advance(timedelta(days=10))
    for _ in range(3):
        assert facts(await substrate.recall("xylophone?", budget_tokens=120))
    await substrate.logged()
    moved = sql.execute("select count(*) from thoth.substrate_salience_events where slice_id = %s", [dog]).fetchone()
    assert moved == (1,)


async def test_what_was_known_and_shown_stands_in_the_log(substrate: Substrate, sql: psycopg.Connection) -> None:
    row = a_fact(sql, Told("Maya owns a xylophone.", an_entity(sql, "xylophone")), [UUID(int=9)])
    projection = await substrate.recall("Who owns a xylophone?")
    await substrate.logged()
    logged = sql.execute("select shown, candidates from thoth.substrate_recall_log where recall_id = %s", [projection.recall_id])
    shown, candidates = logged.fetchone() or ([], {})
    [fact] = facts(projection)
    assert [line for line in shown if line.get("row_id")] == [
        {"handle": fact.handle, "kind": "fact", "row_id": row, "rests_on": [str(UUID(int=9))], "score": fact.score}
    ]
    [candidate] = candidates["facts"]
    assert (candidate["row_id"], candidate["bears"], candidate["kept"]) == (row, True, True)
    assert candidate["parts"]["cover"] > 0


async def test_low_coherence_raises_the_floor(substrate: Substrate, sql: psycopg.Connection, opened: object) -> None:
    a_fact(sql, Told("Maya owns a xylophone.", an_entity(sql, "xylophone")), [UUID(int=9)])
    an_observation(sql, "", "coherence", score=0.2)
    sql.execute(
        "insert into thoth.substrate_floors select 'default', model, now(), 11, %s from thoth.substrate_embedding_models",
        ['{"mean": 0, "deviation": 1, "level": 1, "keyword_level": 1, "fact_mean": 0, "fact_deviation": 1, "fact_level": 1}'],
    )
    assert (await substrate.recall(PORT)).detail["floor"]["level"] == 1.5


async def test_a_calibrated_floor_lets_a_released_slice_s_fact_answer_and_nothing_foreign(
    substrate: Substrate, sql: psycopg.Connection, db: Database, clock: PinnedClock, embedder: LocalEmbedder
) -> None:
    ledger = [Event(USER, f"Day {n}: the shop sold {n * 3} pairs of shoes and {n} hats.", "ledger", "Maya") for n in range(60)]
    for event in ledger:
        await substrate.perceive(event)
    assert await substrate.durable(60)
    await settle(db, embedder)
    for number, what in enumerate(("shoes", "hats", "gloves", "belts", "socks")):
        for day in range(8):
            a_fact(sql, Told(f"The shop sold {number + day} {what} on day {day}.", an_entity(sql, what)), [UUID(int=number)])
    vet = slice_of(sql, "The vet says")
    a_fact(sql, Told("Biscuit the dog is allergic to chicken.", an_entity(sql, "Biscuit")), [vet])
    await embed_statements(sql, embedder)
    await Calibrator(embedder).tenant(db, "default", embedder.model.name)
    dog = [row[0] for row in sql.execute("select slice_id from thoth.substrate_slices where session_id = 'dog'").fetchall()]
    await let_go(sql, db, dog, clock)
    answer = await substrate.recall("What is Biscuit the dog allergic to?")
    assert "allergic to chicken" in answer.block
    foreign = await substrate.recall("Who won the chess world championship in 1972?")
    assert foreign.empty_reason is EmptyReason.BELOW_FLOOR, foreign.detail


async def test_a_floor_is_calibrated_again_once_knowledge_was_measured(
    substrate: Substrate, sql: psycopg.Connection, db: Database, clock: PinnedClock, embedder: LocalEmbedder
) -> None:
    sql.execute("update thoth.substrate_text_stats set passages = 100")
    sql.execute("update thoth.substrate_vector_stats set turns = 100")
    calibrator = Calibrator(embedder)
    assert await calibrator.run(db) == 1
    clock.advance(timedelta(hours=2))
    assert await calibrator.run(db) == 0
    a_fact(sql, Told("Maya owns a xylophone.", an_entity(sql, "xylophone")), [UUID(int=9)])
    row = an_observation(sql, "", "coherence", score=0.9)
    sql.execute("update thoth.substrate_observations set observed_at = %s where observation_id = %s", [clock.now(), row])
    assert await calibrator.run(db) == 1
    assert await calibrator.run(db) == 0


# ── As of ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_as_of_only_what_had_been_perceived_is_there(
    substrate: Substrate, clock: PinnedClock, sql: psycopg.Connection
) -> None:
    """All of LIFE was perceived at the pinned noon: an hour earlier nothing was there."""
    now = await substrate.recall(PORT, as_of=clock.now() + timedelta(seconds=1))
    assert "5433" in now.block
    assert now.as_of == clock.now() + timedelta(seconds=1)
    assert not (await substrate.recall(PORT, as_of=clock.now() - timedelta(hours=1))).lines


async def test_as_of_each_date_the_fact_that_held_then_answers(substrate: Substrate, sql: psycopg.Connection) -> None:
    """A moved city: the older row was given up in the old form when the newer was learned."""
    june, august = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 8, 1, tzinfo=UTC)
    maya = an_entity(sql, "Maya")
    lived = "Maya lives in Vladivostok."
    a_fact(sql, Told(lived, maya, functional=True, retracted=june), [UUID(int=1)])
    a_fact(sql, Told(lived, maya, functional=True, until=june, asserted=june), [UUID(int=1)])
    a_fact(sql, Told("Maya lives in Murmansk.", maya, functional=True, since=june, asserted=june), [UUID(int=2)])

    async def told(**when: datetime) -> str:
        return (await substrate.recall("In which city, Vladivostok or Murmansk, does Maya live?", **when)).block

    before = await told(as_of=datetime(2026, 5, 20, tzinfo=UTC))
    assert "Vladivostok. (since 2026-03)" in before
    assert "Murmansk" not in before
    after = await told(as_of=august)
    assert "Murmansk. (since 2026-06)" in after
    assert "Vladivostok" not in after


async def test_as_of_salience_is_what_it_was(substrate: Substrate, sql: psycopg.Connection, clock: PinnedClock) -> None:
    port = slice_of(sql, "listens on port")
    then = clock.now() + timedelta(hours=1)
    clock.advance(timedelta(days=28))
    await substrate.used([port])
    now = {line.slice_id: line.salience for line in (await substrate.recall(PORT)).lines}
    past = {line.slice_id: line.salience for line in (await substrate.recall(PORT, as_of=then)).lines}
    assert past[port] > 0.99
    assert now[port] < 0.6


async def test_as_of_what_was_released_since_is_reported_missing_by_handle(
    substrate: Substrate, sql: psycopg.Connection, db: Database, clock: PinnedClock
) -> None:
    then = clock.now() + timedelta(hours=1)
    vet = slice_of(sql, "The vet says")
    a_fact(sql, Told("Biscuit is allergic to chicken.", an_entity(sql, "Biscuit")), [vet])
    await let_go(sql, db, [vet], clock)
    projection = await substrate.recall("What is Biscuit allergic to?", as_of=then)
    [gone] = projection.missing
    assert (gone.slice_id, gone.actor) == (vet, "Maya")
    assert gone.handle not in {line.handle for line in projection.lines}
    await substrate.logged()
    moved = sql.execute("select count(*) from thoth.substrate_salience_events where cause = 'surfaced'").fetchone()
    assert moved == (0,)
