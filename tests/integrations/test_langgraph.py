"""`ThothStore` beside LangGraph's own PostgresStore: the same cases on both, and the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.postgres import PostgresStore

from tests.support_openai import vector_of
from thoth_substrate.boot import open_substrate
from thoth_substrate.integrations.langgraph import ThothStore
from thoth_substrate.settings import Settings, load

DIMS = 32
USERS, DOCS = ("users", "u_1"), ("docs",)
Case = Callable[[Any], Any]


def embed(texts: list[str]) -> list[list[float]]:
    return [vector_of(text, DIMS) for text in texts]


@pytest.fixture
def settings(tmp_path: Path, dsn: str) -> Settings:
    return load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_SUBSTRATE_RECALL=True, THOTH_EMBED_PROVIDER="none")


@pytest.fixture
def stores(settings: Settings, dsn: str) -> Iterator[Callable[..., tuple[ThothStore, PostgresStore]]]:
    """Both stores, with the same options, in one database."""
    with open_substrate(settings) as substrate:
        assert substrate.ready_sync(30)

        def both(**options: Any) -> tuple[ThothStore, PostgresStore]:
            options.setdefault("index", None)
            theirs = PostgresStore(_dict_rows(dsn, opened), **options)
            theirs.setup()
            return ThothStore(substrate, **options), theirs

        opened: list[psycopg.Connection[Any]] = []
        try:
            yield both
        finally:
            for connection in opened:
                connection.close()


def _dict_rows(dsn: str, opened: list[psycopg.Connection[Any]]) -> psycopg.Connection[Any]:
    made = psycopg.connect(dsn, autocommit=True, prepare_threshold=0, row_factory=psycopg.rows.dict_row)
    opened.append(made)
    return made


def _told(answer: Any) -> Any:
    """An answer without what depends on the moment: times are told by whether they were moved."""
    if isinstance(answer, Item):
        score = getattr(answer, "score", None)
        moved = answer.updated_at > answer.created_at
        return (answer.namespace, answer.key, answer.value, moved, None if score is None else round(score, 3))
    return [_told(one) for one in answer] if isinstance(answer, list | tuple) else answer


def _answer(case: Case, store: BaseStore) -> Any:
    try:
        return _told(case(store))
    except (InvalidNamespaceError, ValueError, TypeError) as error:
        return type(error).__name__


def _fill(store: BaseStore) -> None:
    store.put(USERS, "prefs", {"theme": "dark", "age": 30, "name": "Mina"})
    store.put(("users", "u_2"), "prefs", {"theme": "light", "age": 4, "tags": ["a", "b"]})
    store.put(("users", "uX1"), "prefs", {"theme": "dark", "age": None, "deep": {"x": [1, {"y": 2}]}})
    store.put(("users", "u_1", "notes"), "n1", {"text": "the cat sleeps on the sofa", "kind": "note"})
    store.put(("users", "u_1", "notes"), "n2", {"text": "a dog barks in the garden", "kind": "note"})
    store.put(("userspace",), "odd", {"theme": "dark", "text": "the garden of the cat"})
    store.put(DOCS, "d1", {"title": "Tea", "chapters": [{"text": "green tea is steeped"}, {"text": "black tea is boiled"}]})
    store.put(DOCS, "d2", {"title": "Coffee", "chapters": [], "score": 1.5, "on": True})
    store.put(("docs", "old", "2024"), "d3", {"title": "Café „Ünïcode“ 😀", "n": 12345678901234567890123, "f": 0.1})


CASES: dict[str, Case] = {
    "an item by name": lambda s: s.get(USERS, "prefs"),
    "a name that is not there": lambda s: s.get(USERS, "nothing"),
    "numbers, scripts and signs come back": lambda s: s.get(("docs", "old", "2024"), "d3"),
    "a key that is no text": lambda s: (s.put(DOCS, 7, {"a": 1}), s.get(DOCS, "7")),
    "put again": lambda s: (s.put(USERS, "prefs", {"theme": "blue"}), s.get(USERS, "prefs")),
    "put again after it was deleted": lambda s: (
        s.delete(USERS, "prefs"), s.get(USERS, "prefs"), s.put(USERS, "prefs", {"a": 1}), s.get(USERS, "prefs"),
    ),
    "delete what is not there": lambda s: (s.delete(USERS, "nothing"), s.search(())),
    "everything": lambda s: s.search((), limit=100),
    "a branch": lambda s: s.search(("users",)),
    "a branch ends at a label": lambda s: s.search(("user",)),
    "an underscore is no wildcard": lambda s: s.search(("users", "u_1")),
    "limit and offset": lambda s: [s.search((), limit=2, offset=o) for o in range(6)],
    "a limit of nothing": lambda s: s.search((), limit=0),
    "equal": lambda s: s.search((), filter={"theme": "dark"}),
    "equal, said so": lambda s: s.search((), filter={"theme": {"$eq": "dark"}}),
    "equal numbers": lambda s: s.search((), filter={"score": 1.5}),
    "equal null": lambda s: s.search((), filter={"age": None}),
    "equal lists": lambda s: s.search((), filter={"tags": ["a", "b"]}),
    "equal truth": lambda s: s.search((), filter={"on": True}),
    "not equal": lambda s: s.search((), filter={"theme": {"$ne": "dark"}}),
    "greater is greater as text": lambda s: s.search((), filter={"age": {"$gt": 30}}),
    "greater or equal": lambda s: s.search((), filter={"age": {"$gte": 30}}),
    "less": lambda s: s.search((), filter={"age": {"$lt": 4}}),
    "less or equal": lambda s: s.search((), filter={"age": {"$lte": "4"}}),
    "two conditions on a field": lambda s: s.search((), filter={"age": {"$gt": 2, "$lt": 5}}),
    "two fields": lambda s: s.search((), filter={"theme": "dark", "name": "Mina"}),
    "an operator that is not known": lambda s: s.search((), filter={"age": {"$in": [4]}}),
    "a field that nobody has": lambda s: s.search((), filter={"nobody": {"$ne": 1}}),
    "a quoted field": lambda s: s.search((), filter={"'; drop table x; --": 1}),
    "an empty condition": lambda s: s.search((), filter={"age": {}}, limit=2),
    "namespaces": lambda s: s.list_namespaces(),
    "namespaces by prefix": lambda s: s.list_namespaces(prefix=("users",)),
    "namespaces by a prefix that is no label": lambda s: s.list_namespaces(prefix=("user",)),
    "namespaces by suffix": lambda s: s.list_namespaces(suffix=("notes",)),
    "namespaces by wildcard": lambda s: s.list_namespaces(prefix=("*", "u_1")),
    "namespaces by a wildcard at the end": lambda s: s.list_namespaces(suffix=("u_1", "*")),
    "namespaces by both": lambda s: s.list_namespaces(prefix=("users",), suffix=("notes",)),
    "namespaces to a depth": lambda s: [s.list_namespaces(max_depth=d) for d in (1, 2, 3)],
    "namespaces, a page": lambda s: [s.list_namespaces(limit=2, offset=o) for o in range(4)],
    "namespaces, all conditions at once": lambda s: s.batch(
        [ListNamespacesOp((MatchCondition("prefix", ("users", "*")), MatchCondition("suffix", ("notes",))), 2, 10, 0)]
    ),
    "a condition of nothing": lambda s: s.batch([ListNamespacesOp((MatchCondition("prefix", ()),), None, 10, 0)]),
    "a question without an index": lambda s: s.search((), query="cat", limit=3),
    "no namespace": lambda s: s.put((), "k", {}),
    "langgraph's own namespace": lambda s: s.put(("langgraph", "x"), "k", {}),
    "a label with a dot": lambda s: s.get(("a.b",), "k"),
    "a label with a dot, in a batch": lambda s: s.batch([PutOp(("a.b",), "k", {"x": 1})]),
    "an empty label": lambda s: s.search(("",)),
    "a value that is no JSON": lambda s: s.put(USERS, "odd", {"x": object()}),
    "nothing to do": lambda s: s.batch([]),
    "the last of two puts counts": lambda s: (
        s.batch([PutOp(DOCS, "z", {"n": 1}), PutOp(DOCS, "z", {"n": 2})]), s.get(DOCS, "z"),
    ),
    "a delete after a put counts": lambda s: (
        s.batch([PutOp(DOCS, "z", {"n": 1}), PutOp(DOCS, "z", None)]), s.get(DOCS, "z"),
    ),
    "reads of a batch see what was before it": lambda s: s.batch([
        PutOp(USERS, "prefs", {"theme": "new"}), GetOp(USERS, "prefs"), GetOp(USERS, "prefs"), GetOp(USERS, "none"),
        SearchOp(("users",), {"theme": "new"}), PutOp(("new",), "k", {"a": 1}), ListNamespacesOp(None, 1),
    ]),
}  # fmt: skip
BY_MEANING: dict[str, Case] = {
    "by meaning": lambda s: s.search((), query="a cat on a sofa"),
    "by meaning in a branch": lambda s: s.search(("users",), query="a cat on a sofa", limit=2),
    "by meaning and value": lambda s: s.search((), query="garden", filter={"kind": "note"}),
    "by meaning, the second page": lambda s: s.search((), query="garden", limit=2, offset=2),
    "an empty question": lambda s: s.search((), query="", limit=3),
    "not indexed": lambda s: (s.put(DOCS, "h", {"text": "a hidden cat"}, index=False), s.search((), query="hidden cat")),
    "fields of its own": lambda s: (
        s.put(DOCS, "o", {"text": "nothing", "title": "a zebra"}, index=["title"]), s.search((), query="a zebra", limit=1),
    ),
    "each text of a list": lambda s: (
        s.put(DOCS, "l", {"text": ["red apples", "blue plums"]}, index=["text[*]"]), s.search((), query="blue plums", limit=1),
    ),
    "a field that is not there": lambda s: (s.put(DOCS, "m", {"a": 1}, index=["b.c"]), s.search(DOCS, query="a", limit=9)),
    "put again, found by what it says now": lambda s: (
        s.put(DOCS, "d9", {"text": "penguins"}), s.put(DOCS, "d9", {"text": "giraffes"}), s.search((), query="giraffes", limit=1),
    ),
    "several questions in a batch": lambda s: s.batch(
        [SearchOp((), query="cat"), SearchOp(DOCS, query="tea", limit=1), GetOp(DOCS, "d1"), SearchOp((), limit=1)]
    ),
}  # fmt: skip
INDEXES: dict[str, dict[str, Any]] = {
    "whole": {}, "fields": {"fields": ["text", "chapters[*].text"]}, "l2": {"distance_type": "l2", "fields": ["text"]},
    "inner product": {"distance_type": "inner_product"},
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_the_same_answer_as_postgres_store_s(name: str, stores: Callable[..., Any]) -> None:
    ours, theirs = stores()
    _fill(ours)
    _fill(theirs)
    assert _answer(CASES[name], ours) == _answer(CASES[name], theirs)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("name", BY_MEANING)
def test_a_question_by_meaning_has_the_same_answer_and_scores(name: str, index: str, stores: Callable[..., Any]) -> None:
    config = {"dims": DIMS, "embed": embed, "ann_index_config": {"vector_type": "halfvec", "kind": "flat"}, **INDEXES[index]}
    ours, theirs = stores(index=config)
    _fill(ours)
    _fill(theirs)
    assert _answer(BY_MEANING[name], ours) == _answer(BY_MEANING[name], theirs)
