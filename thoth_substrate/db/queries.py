"""One query, one `.sql` file: loaded, typed by its header, prepared by a test against the migrated schema.

The first line of a file is its header, `-- name(parameter type, …) -> Row`; the second says why it exists. `Row` is the
dataclass whose fields are the columns, in order, or `-` when nothing comes back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Generic, TypeVar

_HEADER = re.compile(r"^-- (?P<name>\w+)\((?P<parameters>[^)]*)\) -> (?P<row>\w+|-)$")
T = TypeVar("T")
REGISTERED: dict[tuple[str, str], Query[Any]] = {}


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """A statement with named parameters (their order is `$1, $2, …`) and the dataclass of its rows."""

    package: str
    name: str
    text: str
    parameters: tuple[str, ...]
    row: type[T] | None


def query(package: str, name: str, row: type[T] | None = None) -> Query[T]:
    """Load `name`.sql from `package`. Raises ValueError when the header and `row` do not agree."""
    text = files(package).joinpath(f"{name}.sql").read_text(encoding="utf-8")
    header = _HEADER.match(text.split("\n", 1)[0])
    expected = row.__name__ if row else "-"
    if header is None or header["name"] != name or header["row"] != expected:
        raise ValueError(f"{package}/{name}.sql must begin with -- {name}(…) -> {expected}")
    parameters = tuple(part.split()[0] for part in header["parameters"].split(",") if part.strip())
    loaded = Query(package, name, text, parameters, row)
    REGISTERED[package, name] = loaded
    return loaded
