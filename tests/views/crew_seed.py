"""Rows of the crew, written straight into the tables: calls, coherence, what waits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

import psycopg


def a_call(
    sql: psycopg.Connection, at: datetime, agent: str = "parser", *, model: str = "small", tokens: int = 100, usd: float = 0.01,
    outcome: str = "ok", tenant: str = "default",
) -> None:  # fmt: skip
    """A row of the ledger: `tokens` sent and a tenth of it received."""
    sql.execute("insert into thoth.substrate_tenants values (%s, %s) on conflict do nothing", [tenant, at])
    sql.execute(
        "insert into thoth.substrate_agent_cost (tenant_id, call_id, called_at, agent, kind, endpoint, model, reserved_tokens,"
        " reserved_usd, prompt_tokens, completion_tokens, cached_tokens, usd, latency_ms, outcome) values"
        " (%s, gen_random_uuid(), %s, %s, 'chat', 'http://a', %s, 500, 0, %s, %s, 7, %s, 40, %s)",
        [tenant, at, agent, model, tokens, tokens // 10, usd, outcome],
    )


def a_measurement(sql: psycopg.Connection, at: datetime, score: float, parts: Mapping[str, tuple[float, int]]) -> None:
    """An observation of coherence."""
    detail = {name: {"value": value, "observations": number} for name, (value, number) in parts.items()}
    sql.execute(
        "insert into thoth.substrate_observations (tenant_id, kind, score, detail, agent, observed_at)"
        " values ('default', 'coherence', %s, %s, 'critic', %s)",
        [score, json.dumps(detail), at],
    )


def waiting(sql: psycopg.Connection, at: datetime, number: int = 1, *, tenant: str = "default", attempts: int = 0) -> None:
    """Slices that wait for consolidation since `at`."""
    sql.execute(
        "insert into thoth.substrate_unconsolidated (tenant_id, slice_id, queued_at, attempts)"
        " select %s, gen_random_uuid(), %s, %s from generate_series(1, %s)",
        [tenant, at, attempts, number],
    )


def given_up(sql: psycopg.Connection, at: datetime, agent: str = "parser", *, tenant: str = "default") -> None:
    """A dead letter."""
    sql.execute(
        "insert into thoth.substrate_dead_letters (tenant_id, agent, slice_id, attempts, failure, since)"
        " values (%s, %s, gen_random_uuid(), 5, 'no reply', %s)",
        [tenant, agent, at],
    )


def spending(sql: psycopg.Connection, starts_at: datetime, spent: float, *, scope: str = "*", unit: str = "tokens_hour") -> None:
    """A budget's window."""
    sql.execute(
        "insert into thoth.substrate_budgets (scope, unit, starts_at, spent, reserved) values (%s, %s, %s, %s, 100)",
        [scope, unit, starts_at, spent],
    )


def a_purge(sql: psycopg.Connection, at: datetime, *, tenant: str = "default", state: str = "begun") -> None:
    """A receipt of a purge that is in this state."""
    sql.execute(
        "insert into thoth.substrate_purges (tenant_id, purge_id, purged_at, slice_ids, receipt)"
        " values (%s, gen_random_uuid(), %s, '{}', %s)",
        [tenant, at, json.dumps({"state": state, "gone": {}, "anew": {}})],
    )
