"""One batch of LangGraph's operations, sorted, and run in one transaction on the items room."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import numpy as np
import orjson
from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from thoth_substrate.db.pool import Tx
from thoth_substrate.integrations.spoken import said
from thoth_substrate.items import item as items
from thoth_substrate.items.read import Store, Wanted, get, namespaces, search
from thoth_substrate.items.write import delete, put
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.slice import Event

WHOLE = "$"
_COMPARED = ("$gt", "$gte", "$lt", "$lte")
Name = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class Index:
    """Which fields are found by meaning. `vectors` is about how many an item has, as PostgresStore estimates it."""

    paths: tuple[tuple[str, str | list[str]], ...]
    vectors: int
    dims: int
    distance: items.Distance

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Index:
        """From LangGraph's index configuration. Raises ValueError for a distance that is not known."""
        fields = config.get("fields") or [WHOLE]
        fields = [fields] if isinstance(fields, str) else fields
        distance = config.get("distance_type", "cosine")
        if distance not in ("cosine", "l2", "inner_product"):
            raise ValueError(f"distance_type is l2, inner_product or cosine. Got {distance}")
        paths = _tokenized(fields)
        vectors = sum(1 if path == WHOLE else len(tokens) for path, tokens in paths)
        return cls(paths, vectors, int(config.get("dims", 0)), cast(items.Distance, distance))


@dataclass(slots=True)
class _Text:
    """A text that needs a vector: a field of what is put, or a question."""

    text: str
    of: Name | int
    path: str = ""


@dataclass(slots=True)
class Batch:
    """The operations by kind; `results` has a place for each, in their order. `vectors` go with `texts`, one each."""

    ops: list[Op]
    index: Index | None
    perceive: bool
    model: str = ""
    vectors: list[Any] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    events: dict[Name, Event] = field(default_factory=dict)
    puts: dict[Name, PutOp] = field(default_factory=dict)
    asked_texts: list[_Text] = field(default_factory=list)
    conditions: dict[int, list[items.Condition]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises InvalidNamespaceError, and ValueError for an operator that is not known."""
        for op in self.ops:
            validate_op_namespace(op)
        self.results = [None] * len(self.ops)
        for place, op in enumerate(self.ops):
            if isinstance(op, PutOp):
                self.puts[op.namespace, op.key] = op
            elif isinstance(op, SearchOp):
                self.conditions[place] = _conditions(op.filter)
                if op.query and self.index:
                    self.asked_texts.append(_Text(op.query, place))
        for name, op in self.puts.items():
            self._read(name, op)

    @property
    def changes(self) -> bool:
        return bool(self.puts)

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.asked_texts]

    async def embed(self, embedder: Embedder) -> None:
        """Give the texts vectors by Thoth's own embedder. Raises EmbeddingError; nothing was changed then."""
        passages = [one.text for one in self.asked_texts if not isinstance(one.of, int)]
        made = iter(await embedder.passages(passages)) if passages else iter(())
        self.vectors = [await embedder.query(one.text) if isinstance(one.of, int) else next(made) for one in self.asked_texts]

    def likeness(self, question: Any, limit: int) -> items.Likeness | None:
        """A question by its vector; None without one."""
        if question is None or self.index is None:
            return None
        most = limit * self.index.vectors * 2 + 1
        return items.Likeness(self.model, _vector(question), most, self.index.distance)

    def _read(self, name: Name, op: PutOp) -> None:
        """Find the texts of what is put: those that need a vector, and those that are perceived."""
        if op.value is None or op.index is False:
            return
        configured = self.index.paths if self.index else ((WHOLE, WHOLE),)
        paths = configured if op.index is None else _tokenized(op.index)
        found = [(path, get_text_at_path(op.value, tokens)) for path, tokens in paths]
        if self.index:
            for path, texts in found:
                for number, text in enumerate(texts):
                    self.asked_texts.append(_Text(text, name, f"{path}.{number}" if len(texts) > 1 else path))
        whole = any(path == WHOLE for path, _ in paths)
        content = _content(op.value) if whole else "\n".join(text for _, texts in found for text in texts)
        if self.perceive and content:
            about = {"store": "langgraph", "namespace": list(op.namespace), "key": op.key}
            session = "/".join(("langgraph", *op.namespace))
            self.events[name] = Event("thoth.world.note", content, session, "assistant", metadata=about)


async def run(tx: Tx, batch: Batch, store: Store) -> list[items.Written]:
    """Read, search, list, then put and delete: whatever their order in the batch, as PostgresStore does."""
    await _get(tx, batch, store)
    await _search(tx, batch, store)
    await _list(tx, batch, store)
    return await _change(tx, batch, store)


async def _get(tx: Tx, batch: Batch, store: Store) -> None:
    asked = {place: op for place, op in enumerate(batch.ops) if isinstance(op, GetOp)}
    if asked:
        found = await get(tx, store, [Wanted(op.namespace, op.key, op.refresh_ttl) for op in asked.values()])
        for place, op in asked.items():
            if one := found.get((op.namespace, op.key)):
                batch.results[place] = Item(
                    namespace=op.namespace, key=one.key, value=one.value, created_at=one.created_at, updated_at=one.updated_at
                )


async def _search(tx: Tx, batch: Batch, store: Store) -> None:
    questions = {one.of: vector for one, vector in zip(batch.asked_texts, batch.vectors, strict=False) if isinstance(one.of, int)}
    for place, op in enumerate(batch.ops):
        if isinstance(op, SearchOp):
            page = items.Page(op.limit, op.offset)
            likeness = batch.likeness(questions.get(place), op.limit)
            found = await search(tx, store, op.namespace_prefix, batch.conditions[place], page, likeness, refresh=op.refresh_ttl)
            batch.results[place] = [
                SearchItem(
                    namespace=one.namespace, key=one.key, value=one.value, created_at=one.created_at,
                    updated_at=one.updated_at, score=one.score,
                )
                for one in found
            ]  # fmt: skip


async def _list(tx: Tx, batch: Batch, store: Store) -> None:
    for place, op in enumerate(batch.ops):
        if isinstance(op, ListNamespacesOp):
            patterns = [_pattern(condition) for condition in op.match_conditions or () if condition.path]
            batch.results[place] = await namespaces(tx, store, patterns, items.Page(op.limit, op.offset), op.max_depth)


async def _change(tx: Tx, batch: Batch, store: Store) -> list[items.Written]:
    gone = [name for name, op in batch.puts.items() if op.value is None]
    if gone:
        await delete(tx, store, gone)
    fields: dict[Name, list[items.Field]] = {}
    for one, vector in zip(batch.asked_texts, batch.vectors, strict=False):
        if not isinstance(one.of, int):
            fields.setdefault(one.of, []).append(items.Field(one.path, _vector(vector)))
    puts = [
        items.Put(
            op.namespace, op.key, dict(op.value), None if op.ttl is None else timedelta(minutes=float(op.ttl)),
            said(batch.events[name].content) if name in batch.events else None, fields.get(name, ()),
        )
        for name, op in batch.puts.items() if op.value is not None
    ]  # fmt: skip
    return await put(tx, store, puts, batch.model) if puts else []


def _content(value: Mapping[str, Any]) -> Any:
    """What a value says: its one text, or all of it."""
    only = next(iter(value.values())) if len(value) == 1 else None
    return only if isinstance(only, str) else dict(value)


def _tokenized(fields: Sequence[str]) -> tuple[tuple[str, str | list[str]], ...]:
    return tuple((path, WHOLE if path == WHOLE else tokenize_path(path)) for path in fields)


def _vector(vector: Any) -> Any:
    return np.asarray(vector, dtype=np.float32)


def _conditions(filter: Mapping[str, Any] | None) -> list[items.Condition]:
    found: list[items.Condition] = []
    for key, value in (filter or {}).items():
        if not isinstance(value, dict):
            found.append(items.Condition(key, "$eq", orjson.loads(orjson.dumps(value))))
            continue
        for operator, operand in value.items():
            if operator not in ("$eq", "$ne", *_COMPARED):
                raise ValueError(f"Unsupported operator: {operator}")
            compared = operator in _COMPARED
            found.append(
                items.Condition(
                    key, cast(items.Operator, operator), None if compared else operand, str(operand) if compared else ""
                )
            )
    return found


def _pattern(condition: MatchCondition) -> str:
    """A namespace's written form as a regular expression: whole labels, `*` for any one of them."""
    if condition.match_type not in ("prefix", "suffix"):
        return ""
    labels = r"\.".join("[^.]+" if label == "*" else re.escape(label) for label in condition.path)
    return rf"(^|\.){labels}\Z" if condition.match_type == "suffix" else rf"^{labels}(\.|\Z)"
