"""Consolidation on demand, for every surface: ask the crew for it, wait, and say what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from thoth_substrate.consolidate import requests
from thoth_substrate.consolidate.requests import Insight, Standing
from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.chat import NO_MODEL, Chat
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings
from thoth_substrate.views.agents import agents

LOOK_S = 0.2  # between two looks at a request that is waited for
NOBODY = (
    "No crew runs on this database, so the request waits until one does: `thoth up` starts it, or `thoth substrate worker run`."
)
WAITING = "The crew has the request and is not done yet: ask again, or look with `thoth consolidate --status`."
MEANS = {
    "nothing": "Nothing was new: every memory was consolidated before.",
    "unavailable": "The model cannot be asked now, so what is new stays new: `thoth substrate health` says why and until when.",
    "no_model": NO_MODEL,
    "unfinished": "Much was new: what is left follows by itself.",
}


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What came of a request. `outcome`: done, nothing, unfinished, unavailable, no_model, waiting (nobody has taken it yet).

    `memories` are new since the last one. `insights` came of this run, each with the memories that it rests on. `made` counts
    what the agents wrote, `left_out` says which did not run and why.
    """

    request: int
    outcome: str
    why: str
    memories: int
    insights: list[Insight]
    made: Mapping[str, int]
    left_out: Mapping[str, str]
    began: datetime | None = None
    reason: str = ""


async def consolidate(
    db: Database, settings: Settings, tenant_id: str, *, wait_s: float, here: bool = False, embedder: Embedder | None = None
) -> Consolidation:
    """Ask for a consolidation and wait for it at most `wait_s`. `here`: where no crew runs, do it in this process."""
    number = await requests.ask(db, tenant_id)
    end = asyncio.get_running_loop().time() + wait_s
    alive = await _alive(db)
    if here and not alive and _has_model(settings):
        await _run_here(db, settings, tenant_id, embedder)
    found = await requests.standing(db, tenant_id)
    while alive and found.done < number and (left := end - asyncio.get_running_loop().time()) > 0:
        await asyncio.sleep(min(LOOK_S, left))
        found = await requests.standing(db, tenant_id)
    return await _told(db, tenant_id, number, found, alive=alive, model=_has_model(settings))


async def status(db: Database, settings: Settings, tenant_id: str) -> Consolidation:
    """The last consolidation, and whether another is asked for."""
    found = await requests.standing(db, tenant_id)
    return await _told(db, tenant_id, found.asked, found, alive=await _alive(db), model=_has_model(settings))


async def _told(db: Database, tenant_id: str, number: int, found: Standing, *, alive: bool, model: bool) -> Consolidation:
    report = found.report
    insights: list[Insight] = []
    if found.at is not None and (ended := report.get("ended")):
        insights = await requests.insights(db, tenant_id, found.at, datetime.fromisoformat(ended))
    if found.done < number:
        outcome, why = ("waiting", WAITING) if alive else ("waiting", NOBODY) if model else ("no_model", NO_MODEL)
        return Consolidation(number, outcome, why, found.memories, [], {}, {})
    outcome = str(report.get("outcome", "nothing"))
    made: dict[str, Any] = dict(report.get("made", {}))
    return Consolidation(
        number, outcome, MEANS.get(outcome, ""), found.memories, insights, made, dict(report.get("left_out", {})), found.at,
        str(report.get("reason", "")),
    )  # fmt: skip


async def _alive(db: Database) -> bool:
    """Whether a crew with a Consolidator holds its lease."""
    return any(one.agent == requests.AGENT and one.holder for one in await agents(db))


async def _run_here(db: Database, settings: Settings, tenant_id: str, embedder: Embedder | None) -> None:
    from thoth_workers.consolidator import run
    from thoth_workers.worker import Context

    chat = Chat(settings, PostgresLedger(db, settings, db.clock), db.clock)
    try:
        await run(Context(settings, db, db.clock, Intensity.FULL, embedder, chat=chat), tenant_id, "demand")
    finally:
        await chat.close()


def _has_model(settings: Settings) -> bool:
    return bool(settings.openai_api_key or settings.openai_base_url) and bool(settings.aux_model or settings.aux_models)
