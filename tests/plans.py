"""EXPLAIN as the run-time role sees it: which indexes a statement uses, and what it scans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.queries import Query

Plan = dict[str, Any]


def plan(
    sql: psycopg.Connection, query: Query[Any], *arguments: str, role: str = "thoth_app", tenant: str = "default",
    mode: str = "force_generic_plan", point_lookups: bool = True,
) -> Plan:  # fmt: skip
    """The plan of a statement under a run-time role. `arguments` are SQL literals; nothing is executed."""
    with sql.transaction(force_rollback=True):
        sql.execute(
            "select set_config('role', %s, true), set_config('thoth.tenant', %s, true), set_config('plan_cache_mode', %s, true)",
            (role, tenant, mode),
        )
        if point_lookups:
            sql.execute(POINT_LOOKUPS.text.encode())
        sql.execute(f"prepare shown as {query.text}".encode())
        try:
            given = f"({', '.join(arguments)})" if arguments else ""
            row = sql.execute(f"explain (format json) execute shown{given}".encode()).fetchone()
        finally:
            sql.execute("deallocate shown")
    assert row is not None
    found: Plan = row[0][0]["Plan"]
    return found


def nodes(found: Plan) -> Iterator[Plan]:
    """Every node of a plan, the plans of its CTEs and subqueries too."""
    yield found
    for child in found.get("Plans", ()):
        yield from nodes(child)


def scanned(found: Plan, tables: Sequence[str]) -> list[str]:
    """Tables (or their partitions) among `tables` that are read from end to end."""
    return sorted(
        {
            node["Relation Name"]
            for node in nodes(found)
            if node["Node Type"] in ("Seq Scan", "Parallel Seq Scan") and node["Relation Name"].startswith(tuple(tables))
        }
    )


def indexes(found: Plan) -> set[str]:
    """Names of the indexes a plan reads."""
    return {node["Index Name"] for node in nodes(found) if "Index Name" in node}
