"""Perceive conversations and let them settle, by the workers' own functions: triage, index, embed, calibrate."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from bench.data import Conversation
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Embedder
from thoth_substrate.recall.calibration import Calibrator
from thoth_substrate.substrate import Substrate
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage

ROWS = 200
DURABLE_S = 120.0


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a set of events: counts, and the seconds each step took."""

    slices: int
    passages: int
    vectors: int
    seconds: dict[str, float]


async def perceive(substrate: Substrate, clock: PinnedClock, conversations: Sequence[Conversation]) -> dict[str, dict[UUID, str]]:
    """Perceive every item, a tenant a conversation, each as if the day after its end. Answers each one's items by slice."""
    perceived: dict[str, dict[UUID, str]] = {}
    for conversation in conversations:
        set_clock(clock, conversation)
        items = perceived.setdefault(conversation.name, {})
        for item in conversation.items:
            ack = await substrate.perceive(item.event, tenant=conversation.name)
            if ack.dropped or ack.slice_id is None:
                raise RuntimeError(f"{conversation.name} {item.id} was not kept: {ack.dropped}")
            items[ack.slice_id] = item.id
        if not await substrate.durable(DURABLE_S):
            raise RuntimeError(f"{conversation.name} is still not in the database: {substrate.health()}")
    return perceived


async def settle(db: Database, embedder: Embedder | None, tenants: Sequence[str]) -> Settled:
    """Run the workers' functions until no queue has anything left, then calibrate every tenant."""
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    slices = passages = vectors = 0
    while passed := (await triage(db, limit_rows=ROWS * 5, defence=False)).passed:
        slices += passed
    seconds["triage"], began = time.perf_counter() - began, time.perf_counter()
    while (indexed := await index(db, limit_rows=ROWS)).slices + indexed.passages:
        passages += indexed.passages
    seconds["index"], began = time.perf_counter() - began, time.perf_counter()
    while embedder and (embedded := await backfill(db, embedder, limit_rows=ROWS)).embedded:
        vectors += embedded.vectors
    seconds["embed"], began = time.perf_counter() - began, time.perf_counter()
    await calibrate(db, embedder, tenants)
    seconds["calibrate"] = time.perf_counter() - began
    return Settled(slices, passages, vectors, {name: round(value, 2) for name, value in seconds.items()})


async def calibrate(db: Database, embedder: Embedder | None, tenants: Sequence[str]) -> None:
    """Calibrate every tenant's floor anew."""
    calibrator = Calibrator(embedder)
    for tenant in tenants:
        await calibrator.tenant(db, tenant, embedder.model.name if embedder else "")
        await asyncio.sleep(0)


def set_clock(clock: PinnedClock, conversation: Conversation) -> None:
    """Make it the day after a conversation's end."""
    clock.advance(conversation.asked_at - clock.now())
