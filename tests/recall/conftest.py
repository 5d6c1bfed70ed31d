"""A substrate that remembers a small life, settled: triaged, indexed, embedded by the local model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from thoth_substrate.boot import open_database, prepare
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.backfill import backfill
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.embed.models import ensure_model
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Vector
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage

USER = "thoth.world.user_message.cli"
ASSISTANT = "thoth.self_action.assistant_response"
LIFE = [
    ("Maya", "home", "I finally signed the lease for the flat on Rua das Flores in Porto."),
    ("Thoth", "home", "Congratulations! When do you move in?"),
    ("Maya", "home", "On the first of April, if the landlord has fixed the boiler by then."),
    ("Maya", "work", "The staging database of the shop listens on port 5433 now, not 5432."),
    ("Thoth", "work", "Noted: staging is on 5433."),
    ("Maya", "dog", "Our dog Biscuit ate a whole lemon cake and slept for two days."),
    ("Maya", "dog", "The vet says Biscuit is allergic to chicken, so only fish from now on."),
    ("Maya", "trip", "For the trip to Kyoto I want to see the moss garden early in the morning."),
    ("Thoth", "trip", "The moss temple needs a reservation by post card."),
    ("Maya", "style", "Always answer me in short sentences, please."),
    ("Maya", "中文", "我住在波尔图，每天坐电车去上班。"),
]


class Remembering(LocalEmbedder):
    """The local model, computing each text's vector once a session: every test's database wants the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Vector] = {}

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        new = [text for text in dict.fromkeys(texts) if text not in self._made]
        self._made.update(zip(new, await super().passages(new), strict=True))
        return [self._made[text] for text in texts]


@pytest.fixture(scope="session")
def embedder() -> LocalEmbedder:
    return Remembering()


@pytest.fixture
def settings(tmp_path: Path, dsn: str) -> Settings:
    return load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_SUBSTRATE_RECALL=True, THOTH_RECALL_DEADLINE_MS=20_000,
                THOTH_RECALL_EMBED_BUDGET_MS=10_000)  # fmt: skip


@pytest.fixture
def opened(settings: Settings, dsn: str, clock: PinnedClock, embedder: LocalEmbedder) -> Callable[..., Substrate]:
    """Makes façades on the test's database, with other settings where given."""

    def make(**changes: Any) -> Substrate:
        chosen = settings.model_copy(update=changes)
        return Substrate(chosen, lambda now: open_database(chosen, dsn, now, pool="voice"), embedder, clock)

    return make


@pytest.fixture
async def substrate(
    opened: Callable[..., Substrate], settings: Settings, dsn: str, clock: PinnedClock, db: Database, embedder: LocalEmbedder
) -> AsyncIterator[Substrate]:
    """The façade with LIFE in it, one session a day, the last of them a month ago."""
    await prepare(settings, dsn, clock)
    await ensure_model(db, embedder)
    facade = opened()
    await remember(facade, clock.now() - timedelta(days=60))
    await settle(db, embedder)
    yield facade
    await facade.close()


async def remember(facade: Substrate, start: datetime) -> None:
    """Perceive LIFE, a session a day."""
    sessions = list(dict.fromkeys(session for _, session, _ in LIFE))
    for number, (actor, session, text) in enumerate(LIFE):
        at = start + timedelta(days=sessions.index(session), minutes=number)
        await facade.perceive(Event(ASSISTANT if actor == "Thoth" else USER, text, session, actor, at))
    assert await facade.durable(60)


async def settle(db: Database, embedder: LocalEmbedder | None) -> None:
    """Triage, index and embed until nothing waits."""
    while (await triage(db, limit_rows=500, defence=False)).passed:
        pass
    while (await index(db, limit_rows=500)).slices:
        pass
    while embedder is not None and (await backfill(db, embedder, limit_rows=64)).embedded:
        pass
