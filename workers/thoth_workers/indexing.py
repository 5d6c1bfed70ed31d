"""A run of the Indexer on demand, whatever its level and hour: what came since its cursor, or a stretch of time once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from thoth_substrate.consolidate import cursors
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import Chat
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.payer import paid_by
from thoth_substrate.settings import Settings
from thoth_workers.agent import run_unit
from thoth_workers.crew.indexer import AGENT, NAME, first_id
from thoth_workers.crewing import NO_MODEL
from thoth_workers.worker import Context


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run did: how many decisions, and what they noted, as counts.

    `failed` says why it ended early, empty when it did not; `again_at` is when the Indexer reads by itself again.
    """

    decisions: int
    did: Mapping[str, int] = field(default_factory=dict)
    failed: str = ""
    again_at: datetime | None = None


async def index_now(db: Database, settings: Settings, since: datetime | None = None) -> Ran:
    """Read what is fresh now, and with `since` what came since then once more. Raises BadInput when no model is configured."""
    chat = Chat(settings, PostgresLedger(db, settings, db.clock), db.clock)
    try:
        if chat.model_for(NAME) is None:
            raise BadInput(NO_MODEL)
        context = Context(settings, db, db.clock, Intensity.FULL, chat=chat)
        await _due(db, settings.tenant, since)
        did: Counter[str] = Counter()
        decisions, why = 0, ""
        while True:
            with paid_by(settings.tenant):
                unit = await run_unit(AGENT, context, settings.tenant)
            if unit.did is not None:
                decisions += 1
                did.update({key: value for key, value in unit.did.items() if isinstance(value, int) and key != "failures"})
                why = str(unit.did.get("failed", ""))
            if unit.unavailable:
                why = "Nobody could be asked: the endpoint is down, or the budget is spent."
            if unit.did is None or why:
                break
    finally:
        await chat.close()
    return Ran(decisions, {key: value for key, value in did.items() if value}, why, await _again_at(db, settings.tenant))


async def _due(db: Database, tenant_id: str, since: datetime | None) -> None:
    """Let a run be due; with `since` it goes back. Where nothing was ever read, it begins there."""
    async with db.tenant(tenant_id) as tx:
        position: dict[str, Any] = await cursors.hold(tx, tenant_id, NAME)
        position.pop("due", None)
        if since is not None:
            begin = str(first_id(since))
            if "through" not in position:
                position["through"] = begin
            elif begin < position["through"]:
                position["back"] = begin
        await cursors.move(tx, tenant_id, NAME, position)


async def _again_at(db: Database, tenant_id: str) -> datetime | None:
    async with db.tenant(tenant_id) as tx:
        position = await cursors.position_of(tx, tenant_id, NAME)
    return datetime.fromisoformat(position["due"]) if "due" in position else None
