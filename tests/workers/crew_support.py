"""The crew on a scripted model: what an agent's tick is given, slices for it to read, and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from tests.llm.scripted import ScriptedModel
from tests.support import Said, perceived
from tests.workers.support import TENANT, settings
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import Chat
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.ports import Embedder
from thoth_substrate.perceive import streams
from thoth_substrate.settings import Settings
from thoth_substrate.triage.index import index
from thoth_workers.agent import Agent, CrewContext, worker_of
from thoth_workers.worker import Report

QUIET = timedelta(minutes=1)


def crew_settings(model: ScriptedModel | None, **given: Any) -> Settings:
    """Settings of nobody's environment, with this model unless there is none."""
    asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"} if model else {}
    return settings(**{**asked, "THOTH_AUX_RETRIES": 0, **given})


def context(
    db: Database,
    model: ScriptedModel | None,
    *,
    level: Intensity = Intensity.FULL,
    embedder: Embedder | None = None,
    **given: Any,
) -> CrewContext:
    """What a tick of the crew is given."""
    chosen = crew_settings(model, **given)
    chat = Chat(chosen, PostgresLedger(db, chosen, db.clock), db.clock)
    return CrewContext(chosen, db, db.clock, level, embedder, chat=chat)


async def tick(agent: Agent[Any, Any], ctx: CrewContext) -> Report:
    """One tick, its model's connections closed after it."""
    try:
        return await worker_of(agent).tick(ctx)
    finally:
        assert ctx.chat is not None
        await ctx.chat.close()


async def told(db: Database, sql: psycopg.Connection, said: Sequence[Said], *, ago: timedelta = QUIET) -> list[UUID]:
    """Slices that passed triage and are indexed, perceived a while ago, in order."""
    await streams.register(db)
    await ensure(db, db.clock.now())
    ids = perceived(sql, db.clock.now() - ago, [replace(one, state="passed") for one in said])
    while (await index(db, limit_rows=500)).more:
        pass
    return ids


def states(sql: psycopg.Connection, tenant_id: str = TENANT) -> dict[UUID, str]:
    """The consolidation state of every slice but the diary's."""
    statement = "select slice_id, consolidation_state from thoth.substrate_slices where tenant_id = %s and session_id <> 'diary'"
    return dict(sql.execute(statement, [tenant_id]).fetchall())


def facts(sql: psycopg.Connection) -> list[tuple[str, str, str]]:
    """The living facts: subject, predicate, object."""
    rows = sql.execute(
        "select e.name, r.predicate, r.object_text from thoth.substrate_relationships r"
        " join thoth.substrate_entities e on e.tenant_id = r.tenant_id and e.entity_id = r.subject_id"
        " where r.retracted_at is null order by 1, 2, 3"
    )
    return [(row[0], row[1], row[2]) for row in rows]


def queue(sql: psycopg.Connection) -> list[tuple[UUID, int, datetime | None, UUID | None]]:
    """What waits for the Parser: slice, attempts, not before, claim."""
    rows = sql.execute(
        "select slice_id, attempts, case when isfinite(not_before) then not_before end, claim"
        " from thoth.substrate_unconsolidated order by slice_id"
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def number(sql: psycopg.Connection, statement: str, *given: Any) -> int:
    """The one number that a statement answers."""
    row = sql.execute(statement.encode(), given).fetchone()
    assert row is not None
    return int(row[0])
