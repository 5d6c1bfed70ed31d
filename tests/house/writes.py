"""What a statement writes: which rows it makes, which it takes away, and which columns it moves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.house.source import uncommented

_WRITE = re.compile(
    r"\binsert\s+into\s+thoth\.(?P<insert>\w+)|\bdelete\s+from\s+thoth\.(?P<delete>\w+)"
    r"|\bupdate\s+thoth\.(?P<update>\w+)(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\b|\bdo\s+update\s+set\b(?P<again>)",
    re.IGNORECASE,
)
# A state whose arrows have different writers: the deed then names the state that it leads to.
BY_VALUE = frozenset({"consolidation_state"})
_TOKEN = re.compile(r"'(?:[^']|'')*'|\w+|[(),=]")


def writes(sql: str) -> set[tuple[str, str]]:
    """Pairs of a table and a deed: `insert`, `delete`, or the column that an update moves (`consolidation_state released`)."""
    return set(_writes(uncommented(sql)))


def _writes(sql: str) -> Iterator[tuple[str, str]]:
    inserted = ""
    for found in _WRITE.finditer(sql):
        if table := found["insert"]:
            inserted = table
            yield table, "insert"
        elif table := found["delete"]:
            yield table, "delete"
        else:
            for column in _moved(sql[found.end() :]):
                yield found["update"] or inserted, column


def _moved(clause: str) -> Iterator[str]:
    """The columns of a SET list, up to the clause after it."""
    depth, previous = 0, ""
    wanted = True  # a column's name, rather than a part of its value
    tokens = _TOKEN.findall(clause)
    for place, token in enumerate(tokens):
        depth += (token == "(") - (token == ")")
        if depth < 0 or (depth == 0 and token.lower() in ("from", "where", "returning")):
            return
        if depth == 0 and token == "=" and wanted:
            yield f"{previous} {tokens[place + 1].strip(chr(39))}" if previous in BY_VALUE else previous
            wanted = False
        elif depth == 0 and token == ",":
            wanted = True
        previous = token
