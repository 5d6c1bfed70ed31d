"""`ThothStore`'s own life: times to live, exactness, what recall finds of it, tenants, threads and loops, a real graph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import psycopg
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, PutOp, SearchOp
from langgraph.store.postgres import PostgresStore

from tests.integrations.settling import settled
from tests.support_openai import Endpoint, vector_of
from thoth_substrate.boot import open_substrate
from thoth_substrate.errors import DatabaseUnavailable, StatementRefused
from thoth_substrate.integrations.langgraph import ThothStore
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate

NAMES = ("users", "mina")
KEY = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2


@pytest.fixture
def settings(tmp_path: Path, dsn: str) -> Settings:
    return load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_SUBSTRATE_RECALL=True, THOTH_EMBED_PROVIDER="none")


@pytest.fixture
def substrate(settings: Settings) -> Iterator[Substrate]:
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(30)
        yield substrate


@pytest.fixture
def store(substrate: Substrate) -> ThothStore:
    return ThothStore(substrate, index=None)


@pytest.fixture
def theirs(dsn: str) -> Iterator[Callable[..., PostgresStore]]:
    with psycopg.connect(dsn, autocommit=True, prepare_threshold=0, row_factory=psycopg.rows.dict_row) as connection:

        def made(**options: Any) -> PostgresStore:
            store = PostgresStore(connection, **options)
            store.setup()
            return store

        yield made


def _later(sql: psycopg.Connection, minutes: int) -> None:
    """Let time go by for both stores."""
    for table in ("thoth.substrate_items", "store"):
        sql.execute(f"update {table} set expires_at = expires_at - make_interval(mins => {minutes})".encode())


def _living(store: BaseStore) -> list[str]:
    return sorted(item.key for item in store.search(NAMES, limit=100, refresh_ttl=False))


READS: dict[str, Callable[[Any], Any]] = {
    "a read": lambda s: s.get(NAMES, "hour"),
    "a read that lets it be": lambda s: s.get(NAMES, "hour", refresh_ttl=False),
    "a search": lambda s: s.search(NAMES, filter={"n": 1}),
    "a search that lets it be": lambda s: s.search(NAMES, refresh_ttl=False),
    "put again": lambda s: s.put(NAMES, "hour", {"n": 2}, ttl=60),
    "put again for ever": lambda s: s.put(NAMES, "hour", {"n": 2}, ttl=None),
    "put again with the default": lambda s: s.put(NAMES, "hour", {"n": 2}),
    "nothing": lambda s: None,
}


@pytest.mark.parametrize("omit", [True, False], ids=["hidden", "shown until swept"])
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("refresh", [True, False], ids=["refreshed", "not refreshed"])
def test_times_to_live_are_postgres_store_s(
    read: str, refresh: bool, omit: bool, substrate: Substrate, theirs: Callable[..., PostgresStore], sql: psycopg.Connection
) -> None:
    ttl: Any = {"refresh_on_read": refresh, "omit_expired": omit, "default_ttl": 30}
    both: list[Any] = [ThothStore(substrate, index=None, ttl=ttl), theirs(ttl=ttl)]
    for store in both:
        store.put(NAMES, "hour", {"n": 1}, ttl=60)
        store.put(NAMES, "half", {"n": 1})
        store.put(NAMES, "ever", {"n": 1}, ttl=None)
    told: list[Any] = []
    for minutes in (20, 50, 50):
        _later(sql, minutes)
        for store in both:
            READS[read](store)
        told.append(
            [(_living(store), store.list_namespaces(), store.get(NAMES, "hour", refresh_ttl=False) is None) for store in both]
        )
        told.append([store.sweep_ttl() for store in both])
        told.append([_living(store) for store in both])
    assert [ours for ours, _ in told] == [of_theirs for _, of_theirs in told]


def test_the_sweeper_sweeps_until_it_is_stopped(substrate: Substrate, sql: psycopg.Connection) -> None:
    store = ThothStore(substrate, index=None, ttl={"default_ttl": 1})
    store.put(NAMES, "k", {"n": 1})
    _later_ours(sql, 5)
    ended = store.start_ttl_sweeper(sweep_interval_minutes=0.0005)
    while store.get(NAMES, "k", refresh_ttl=False) is not None:
        assert not ended.done()
    assert store.stop_ttl_sweeper(timeout=20)
    assert ended.result(timeout=20) is None
    assert ThothStore(substrate).start_ttl_sweeper().done()


def _later_ours(sql: psycopg.Connection, minutes: int) -> None:
    sql.execute("update thoth.substrate_items set expires_at = expires_at - make_interval(mins => %s)", [minutes])


def test_fractions_of_a_minute_live_as_long_as_they_say(substrate: Substrate, sql: psycopg.Connection) -> None:
    """PostgresStore rounds 0.4 to no time at all when it is refreshed: here we differ."""
    store = ThothStore(substrate, index=None)
    store.put(NAMES, "k", {"n": 1}, ttl=0.4)
    store.get(NAMES, "k", refresh_ttl=True)
    assert sql.execute("select ttl = interval '24 seconds', expires_at > now() from thoth.substrate_items").fetchall() == [
        (True, True)
    ]


def test_a_field_that_is_no_more_is_not_found_by_it(substrate: Substrate) -> None:
    """PostgresStore keeps the vectors of fields that a later put does not have: here we differ."""
    store = ThothStore(
        substrate, index={"dims": 16, "embed": lambda texts: [vector_of(t, 16) for t in texts], "fields": ["a", "b"]}
    )
    store.put(NAMES, "k", {"a": "tigers", "b": "lions"})
    store.put(NAMES, "k", {"a": "bears"})
    (found,) = store.search((), query="lions")
    assert found.score is not None
    assert found.score < 0.9


def test_a_value_is_given_back_as_it_was_put_secrets_and_all(
    store: ThothStore, sql: psycopg.Connection, substrate: Substrate
) -> None:
    """faults: API keys, passwords and card numbers inside messages: redacted in memory, exact in a host's own store."""
    value = {"note": f"the key is {KEY}", "deep": [None, True, 1.5, {"ü": "😀"}]}
    store.put(NAMES, "k", value)
    item = store.get(NAMES, "k")
    assert item is not None
    assert item.value == value
    assert asyncio.run(substrate.durable(30))
    (kept,) = sql.execute(
        "select text || payload::text from thoth.substrate_slices where metadata ->> 'key' = 'k'"
    ).fetchone() or ("",)
    assert "the key is" in kept
    assert KEY not in kept


def test_what_postgresql_cannot_hold_is_refused_and_nothing_is_kept(store: ThothStore) -> None:
    with pytest.raises(StatementRefused):
        store.batch([PutOp(NAMES, "a", {"x": 1}), PutOp(NAMES, "b", {"x": "nul \0"})])
    assert store.get(NAMES, "a") is None


def _slices(sql: psycopg.Connection) -> list[tuple[str, bool]]:
    rows = sql.execute("select coalesce(text, payload::text, ''), forgotten from thoth.substrate_slices order by slice_id")
    return [(text, forgotten) for text, forgotten in rows.fetchall()]


def test_recall_finds_what_was_put_until_it_is_deleted(store: ThothStore, substrate: Substrate, settings: Settings) -> None:
    store.put(NAMES, "pet", {"memory": "Mina keeps a parrot called Zazu"})
    store.put(NAMES, "hidden", {"memory": "Mina has a hidden walrus"}, index=False)
    settled(substrate, settings)
    assert "Zazu" in substrate.recall_sync("which parrot does Mina keep?", deadline_ms=20_000).block
    assert "walrus" not in substrate.recall_sync("which hidden walrus has Mina?", deadline_ms=20_000).block
    store.delete(NAMES, "pet")
    assert "Zazu" not in substrate.recall_sync("which parrot does Mina keep?", deadline_ms=20_000).block


def test_words_are_perceived_once_and_forgotten_when_they_are_replaced(
    store: ThothStore, substrate: Substrate, sql: psycopg.Connection
) -> None:
    store.put(NAMES, "pet", {"memory": "a parrot"})
    store.put(NAMES, "pet", {"memory": "a parrot"})
    store.put(NAMES, "pet", {"memory": "an owl"})
    store.put(NAMES, "pet", {"memory": "an owl"}, index=False)
    assert asyncio.run(substrate.durable(30))
    assert _slices(sql) == [("a parrot", True), ("an owl", True)]
    assert sql.execute("select count(*) from thoth.substrate_items_unsaid").fetchone() == (0,)


def test_words_that_never_came_are_waited_for_no_longer_than_an_hour(store: ThothStore, sql: psycopg.Connection) -> None:
    sql.execute("insert into thoth.substrate_items_unsaid values ('default', 'langgraph', -1, now() - interval '59 minutes')")
    store.put(NAMES, "a", {"memory": "a parrot"})
    assert sql.execute("select number from thoth.substrate_items_unsaid").fetchall() == [(-1,)]
    sql.execute("update thoth.substrate_items_unsaid set queued_at = queued_at - interval '2 minutes'")
    store.put(NAMES, "b", {"memory": "an owl"})
    assert sql.execute("select number from thoth.substrate_items_unsaid").fetchall() == []


def test_what_is_swept_is_forgotten(substrate: Substrate, sql: psycopg.Connection) -> None:
    store = ThothStore(substrate, index=None)
    store.put(NAMES, "pet", {"memory": "a parrot"}, ttl=1)
    assert asyncio.run(substrate.durable(30))
    _later_ours(sql, 5)
    assert store.sweep_ttl() == 1
    assert _slices(sql) == [("a parrot", True)]


def test_fields_say_what_is_perceived_and_a_store_may_be_silent(substrate: Substrate, sql: psycopg.Connection) -> None:
    fields = ThothStore(substrate, index={"fields": ["text"]})
    fields.put(NAMES, "a", {"text": "only this", "secret": "not that"})
    ThothStore(substrate, perceive=False).put(NAMES, "b", {"memory": "nothing at all"})
    assert asyncio.run(substrate.durable(30))
    assert _slices(sql) == [("only this", False)]


def test_tenants_have_stores_of_their_own(substrate: Substrate) -> None:
    """faults: scope forgotten on one of several query paths."""
    ours, theirs = ThothStore(substrate, tenant="ours", index=None), ThothStore(substrate, tenant="theirs", index=None)
    ours.put(NAMES, "k", {"of": "ours"})
    assert (theirs.get(NAMES, "k"), theirs.search(()), theirs.list_namespaces()) == (None, [], [])
    theirs.delete(NAMES, "k")
    assert ours.get(NAMES, "k") is not None


async def test_it_answers_on_any_loop_and_from_any_thread(store: ThothStore) -> None:
    await asyncio.gather(*(store.aput(NAMES, f"a{n}", {"n": n}) for n in range(20)))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: store.put(NAMES, f"t{n}", {"n": n}), range(20)))
    found = await store.asearch(NAMES, limit=100, filter={"n": {"$ne": 0}})
    assert len(found) == 38
    (one, all_of_them) = await store.abatch([SearchOp(NAMES, limit=1), SearchOp(NAMES, limit=100)])
    assert (len(one), len(all_of_them)) == (1, 40)  # type: ignore[arg-type]


async def test_an_embedding_coroutine_runs_on_the_caller_s_loop(substrate: Substrate) -> None:
    loops = []

    async def embed(texts: Any) -> list[list[float]]:
        loops.append(asyncio.get_running_loop())
        return [vector_of(text, 16) for text in texts]

    store = ThothStore(substrate, index={"dims": 16, "embed": embed, "fields": ["text"]})
    await store.aput(NAMES, "k", {"text": "a whale"})
    (found,) = await store.asearch(NAMES, query="a whale")
    assert found.score == pytest.approx(1.0, abs=0.01)
    assert set(loops) == {asyncio.get_running_loop()}


def test_thoth_s_own_embedder_finds_by_meaning(tmp_path: Path, dsn: str) -> None:
    with Endpoint() as endpoint:
        settings = load(
            THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_EMBED_PROVIDER="openai", OPENAI_BASE_URL=endpoint.url,
            OPENAI_API_KEY="x", THOTH_EMBED_DIMENSIONS=32,
        )  # fmt: skip
        with ThothStore.from_settings(settings, index={"fields": ["text"]}) as store:
            store.put(NAMES, "a", {"text": "a whale sings in the sea"})
            store.put(NAMES, "b", {"text": "bread is baked in the morning"})
            best, other = store.search(NAMES, query="a whale in the sea")
    assert (best.key, other.key) == ("a", "b")
    assert (best.score or 0) > (other.score or 0)


def test_without_a_database_it_says_so(tmp_path: Path) -> None:
    settings = load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN="postgresql://nobody@127.0.0.1:1/none", THOTH_EMBED_PROVIDER="none")
    with pytest.raises(DatabaseUnavailable):
        ThothStore.from_settings(settings)
    with open_substrate(settings) as substrate, pytest.raises(DatabaseUnavailable):
        ThothStore(substrate).get(NAMES, "k")


def test_a_graph_keeps_and_finds_with_it(store: ThothStore) -> None:
    class State(TypedDict):
        said: str
        found: list[str]

    def remember(state: State, *, store: BaseStore) -> State:
        store.put(NAMES, state["said"][:5], {"memory": state["said"]})
        return {"said": state["said"], "found": sorted(item.value["memory"] for item in store.search(NAMES))}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    graph = builder.compile(store=store)
    graph.invoke({"said": "tea is hot", "found": []})
    assert graph.invoke({"said": "ice is cold", "found": []})["found"] == ["ice is cold", "tea is hot"]
