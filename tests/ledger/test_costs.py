"""What was spent, read back."""

from __future__ import annotations

from datetime import timedelta

import psycopg

from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.costs import costs
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Call, Reserved, Usage
from thoth_substrate.settings import load


async def test_costs_are_told_by_agent_and_model_of_one_tenant_or_of_all(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    sql.execute("insert into thoth.substrate_tenants values ('a', now()), ('b', now())")
    ledger = PostgresLedger(db, load(), clock)

    async def made(tenant: str, agent: str, usage: Usage | None) -> None:
        reserved = await ledger.reserve(Call(tenant, agent, "chat", "http://there", "m", 900, 0.9))
        assert isinstance(reserved, Reserved)
        if usage is not None:
            await ledger.settle(reserved, usage)

    await made("a", "parser", Usage("ok", 100, 10, 50, 0.5, 20))
    await made("a", "parser", Usage("failed", 30, 0, 0, 0.1, 999, "HTTP 500"))
    clock.advance(timedelta(hours=2))
    await made("a", "parser", Usage("salvaged", 200, 20, 0, 0.4, 40))
    await made("a", "critic", None)
    await made("b", "parser", Usage("ok", 1, 1))
    critic, parser = await costs(db, "a", clock.now() - timedelta(days=1))
    assert (critic.agent, critic.calls, critic.running, critic.reserved_tokens, critic.tokens) == ("critic", 1, 1, 900, 0)
    assert (parser.calls, parser.failed, parser.prompt_tokens, parser.completion_tokens, parser.cached_tokens) == (
        3,
        1,
        330,
        30,
        50,
    )
    assert (round(parser.usd, 6), parser.latency_ms, parser.last_at, parser.unpriced) == (1.0, 30, clock.now(), False)
    [_, recent] = await costs(db, "a", clock.now() - timedelta(hours=1))
    assert (recent.calls, recent.tokens) == (1, 220)
    [_, everybody] = await costs(db, None, clock.now() - timedelta(days=1))
    assert (everybody.calls, everybody.tokens) == (4, 362)
    [b] = await costs(db, "b", clock.now() - timedelta(days=1))
    assert (b.tokens, b.unpriced) == (2, True)
