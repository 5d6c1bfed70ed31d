"""How PostgreSQL would run a query, as the run-time role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query


async def plan(db: Database, tenant: str, query: Query[Any], *arguments: Any) -> dict[str, Any]:
    """The root node of the plan."""
    async with db.tenant(tenant) as tx:
        text = await tx._connection.fetchval("explain (format json) " + query.text, *arguments)
    root: dict[str, Any] = orjson.loads(text)[0]["Plan"]
    return root


def nodes(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every node of a plan."""
    yield root
    for child in root.get("Plans", ()):
        yield from nodes(child)


def scanned(root: dict[str, Any], table: str) -> set[str]:
    """Partitions of `table` that have rows (the month of the pinned clock) and are read from end to end."""
    names = {node["Relation Name"] for node in nodes(root) if node["Node Type"] == "Seq Scan"}
    return names & {table, f"{table}_y2026m05"}
