"""An item as its host knows it, and what may be asked of a store: pure values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from thoth_substrate.model.ports import Vector

Names = Sequence[str]
Operator = Literal["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]
Distance = Literal["cosine", "l2", "inner_product"]


LABEL_END = "."
_AFTER_LABEL_END = "/"  # what comes next
_AFTER_ALL = "\U0010ffff" * 100


def path_of(namespace: Names) -> str:
    """A namespace as one text: each label with a dot after it; dots within a label are written otherwise."""
    return "".join(label.replace("%", "%25").replace(LABEL_END, "%2E") + LABEL_END for label in namespace)


def branch_of(namespace: Names) -> tuple[str, str]:
    """The range of paths of a namespace and all below it: from the first on, and before the second."""
    path = path_of(namespace)
    return path, path[:-1] + _AFTER_LABEL_END if path else _AFTER_ALL


@dataclass(frozen=True, slots=True)
class Item:
    """A value under its names. `score` is its likeness to what was asked, None where nothing was."""

    namespace: tuple[str, ...]
    key: str
    value: Any
    created_at: datetime
    updated_at: datetime
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A text of an item that is to be found by meaning: where it stands in the value, and its vector."""

    name: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Put:
    """An item to be kept, in the place of the one of that name. `said` is the SHA-256 of what is perceived of it, if anything."""

    namespace: Names
    key: str
    value: Any
    ttl: timedelta | None = None
    said: str | None = None
    fields: Sequence[Field] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """What a field at the top of a value must be: `value` is compared as JSON, `text` as text (greater and less)."""

    field: str
    operator: Operator
    value: Any
    text: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """Which of what was found: `skip_rows`, then at most `limit_rows`."""

    limit_rows: int = 10
    skip_rows: int = 0


@dataclass(frozen=True, slots=True)
class Likeness:
    """A question by meaning. At most `limit_vectors` of `model` are looked at, the nearest first; several may be one item's."""

    model: str
    question: Vector
    limit_vectors: int
    distance: Distance = "cosine"


@dataclass(frozen=True, slots=True)
class Written:
    """A change that was made. `noted` is the change whose words are perceived of the item: this one (`is_news`) or an earlier."""

    namespace: list[str]
    key: str
    number: int
    noted: int | None

    @property
    def is_news(self) -> bool:
        return self.noted == self.number
