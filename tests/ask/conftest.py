"""A tenant with memories, a scripted model, and an Asker on both."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.llm.scripted import Reply, Request, ScriptedModel
from tests.support import Said, perceived
from thoth_substrate.ask.asker import Asker
from thoth_substrate.db.months import ensure
from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.speech import Speaker
from thoth_substrate.perceive import streams
from thoth_substrate.recall.periods import spans
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate
from thoth_substrate.triage.index import index

TENANT = "default"
Tell = Callable[[Sequence[Said]], Any]


def on(year: int, month: int, day: int, hour: int = 9, minute: int = 0) -> datetime:
    """An instant, UTC."""
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


DIARY_OF_A_YEAR = [
    Said("I have a dentist's appointment in Porto.", session="jan", at=on(2024, 1, 30)),
    Said("The boiler broke and the kitchen was flooded.", session="feb", at=on(2024, 2, 1, 8)),
    Said("A plumber came and mended the boiler.", session="feb", at=on(2024, 2, 1, 17)),
    Said("I paid the plumber 120 euros.", session="feb", at=on(2024, 2, 2)),
    Said("Maya and I talked about the move.", session="notes", at=on(2024, 3, 1)),
    Said("We should move in June.", actor="Maya", session="call-1", at=on(2024, 3, 10, 10)),
    Said("Then I give notice in April.", session="call-1", at=on(2024, 3, 10, 10, 5)),
    Said("The lease ends on 30 June.", actor="Maya", session="call-2", at=on(2024, 4, 20, 15)),
    Said("I will order the van.", session="call-2", at=on(2024, 4, 20, 15, 5)),
    Said("My sister's cat is called Miso.", session="chat", at=on(2024, 5, 2)),
]


def answering(needle: str, words: str = "It says so {mark}.") -> Callable[[Request], Reply]:
    """A model that looks for a source with `needle` in it and cites that, else says that it does not know."""

    def reply(request: Request) -> Reply:
        found = re.search(rf"^(\[\w+:\d+\]).*{re.escape(needle)}", request.user, re.MULTILINE)
        return words.format(mark=found[1]) if found else "I don't know."

    return reply


def sources(request: Request) -> list[str]:
    """The lines of the sources in a prompt."""
    return re.findall(r"^\[(?:memory|fact|insight):\d+\].*$", request.user, re.MULTILINE)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A server that says what the test tells it to."""
    with ScriptedModel(lambda _: "I don't know.") as running:
        yield running


@pytest.fixture
def tell(db: Database, sql: psycopg.Connection) -> Tell:
    """Perceive, pass and index; answers the ids."""

    async def told(said: Sequence[Said]) -> list[UUID]:
        await streams.register(db)
        await ensure(db, db.clock.now())
        ids = perceived(sql, db.clock.now(), [Said(**{**_of(one), "state": "passed"}) for one in said])
        while (await index(db, limit_rows=500)).more:
            pass
        return ids

    return told


def _of(said: Said) -> dict[str, Any]:
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}


class Make:
    """Makes an Asker, with a model or without."""

    def __init__(self, db: Database, dsn: str, home: Any) -> None:
        self.db, self.dsn, self.home = db, dsn, home
        self.substrates: list[Substrate] = []
        self.speakers: list[Speaker] = []

    def settings(self, model: ScriptedModel | None, **given: Any) -> Settings:
        asked = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"} if model else {}
        plain = {"DATABASE_URL": self.dsn, "THOTH_HOME": self.home, "THOTH_EMBED_PROVIDER": "none", "THOTH_AUX_RETRIES": 0}
        return load(**{**plain, **asked, **given})

    async def __call__(self, model: ScriptedModel | None, **given: Any) -> Asker:
        settings = self.settings(model, **given)

        async def connect(clock: Any) -> Database:
            return await Database.open(self.dsn, clock=self.db.clock)

        substrate = Substrate(settings, connect, None, self.db.clock)
        assert await substrate.wait_until_awake()
        self.substrates.append(substrate)
        self.speakers.append(Speaker(settings, PostgresLedger(self.db, settings, self.db.clock), self.db.clock))
        return Asker(settings, self.db, self.speakers[-1], substrate.recall, spans, used=substrate.used)


@pytest.fixture
async def make(db: Database, dsn: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """The maker; what it made is closed after the test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "THOTH_AUX_MODEL"):
        monkeypatch.delenv(name, raising=False)
    made = Make(db, dsn, tmp_path / "home")
    yield made
    for speaker in made.speakers:
        await speaker.close()
    for substrate in made.substrates:
        await substrate.close()
