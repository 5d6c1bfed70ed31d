"""Which embedders are on account: those whose vectors are paid for by the token."""

from __future__ import annotations

from thoth_substrate.db.pool import Database
from thoth_substrate.ledger.ledger import PostgresLedger
from thoth_substrate.llm.address import address_of
from thoth_substrate.llm.metered import MeteredEmbedder, bare_model
from thoth_substrate.llm.prices import read_prices
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings

REMOTE = "openai:"  # how the names of such models begin


def metered(settings: Settings, embedder: Embedder | None) -> Embedder | None:
    """The embedder, metered if its vectors are paid for. It pays from the process's tenant. Raises SettingsError."""
    if embedder is None or isinstance(embedder, MeteredEmbedder) or not embedder.model.name.startswith(REMOTE):
        return embedder
    endpoint = f"{address_of(settings.openai_base_url).url}/embeddings"  # not the chat's: they are ill each by itself
    return MeteredEmbedder(embedder, endpoint, read_prices(settings.prices).of(bare_model(embedder.model.name)), settings.tenant)


def on_account(settings: Settings, db: Database, embedder: Embedder | None) -> Embedder | None:
    """The same, with its account kept in this database for as long as the running loop uses it."""
    found = metered(settings, embedder)
    if isinstance(found, MeteredEmbedder):
        found.keep_account(PostgresLedger(db, settings, db.clock), db.clock)
    return found
