"""Which embedders are on account, and that a host's own questions are."""

from __future__ import annotations

from pathlib import Path

import psycopg

from tests.support_openai import Endpoint
from thoth_substrate import boot
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.ledger.embedding import metered, on_account
from thoth_substrate.llm.metered import MeteredEmbedder
from thoth_substrate.settings import load


async def test_only_what_is_paid_for_by_the_token_is_metered(db: Database) -> None:
    local = LocalEmbedder()
    settings = load(OPENAI_API_KEY="sk", THOTH_EMBED_PROVIDER="openai")
    assert metered(settings, local) is local
    assert on_account(settings, db, None) is None
    paid = metered(settings, choose(settings))
    assert isinstance(paid, MeteredEmbedder)
    assert on_account(settings, db, paid) is paid


def test_a_hosts_questions_stand_in_the_ledger(dsn: str, sql: psycopg.Connection, tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        settings = load(
            THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_EMBED_PROVIDER="openai", OPENAI_API_KEY="sk",
            OPENAI_BASE_URL=endpoint.url, THOTH_RECALL_DEADLINE_MS=10_000, THOTH_RECALL_EMBED_BUDGET_MS=10_000,
        )  # fmt: skip
        with boot.open_substrate(settings, loud=True) as substrate:
            assert substrate.ready_sync()  # the question of the warm-up is answered, and does not end with the process
            substrate.recall_sync("Where is the spare key?", forced=True)
        asked = sum(len(request["input"]) for request in endpoint.requests)
    rows = sql.execute("select agent, kind, outcome, endpoint from thoth.substrate_agent_cost").fetchall()
    assert rows == [("recall", "embedding", "ok", f"{endpoint.url}/embeddings")] * asked
    assert asked >= 1
