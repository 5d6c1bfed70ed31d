"""Which model's vectors are stored: the first one wins until somebody says otherwise."""

from __future__ import annotations

import anyio
import numpy as np
import psycopg
import pytest

from tests.embed.conftest import Make
from tests.support_openai import Endpoint, status, vector_of
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.models import active_model, ensure_model, mismatch, sentences
from thoth_substrate.errors import EmbedderUnavailable
from thoth_substrate.model.embedding import StoredModel, mean
from thoth_substrate.model.ports import EmbeddingModel


async def test_the_first_model_is_registered_with_its_centre_and_becomes_active(
    db: Database, make: Make, endpoint: Endpoint
) -> None:
    assert await active_model(db) is None
    state = await ensure_model(db, make())
    assert state.mismatch is None
    assert state.active is not None
    assert (state.active.name, state.active.dimensions) == ("openai:small", 64)
    expected = mean([np.asarray(vector_of(text, 64), np.float32) for text in sentences()])
    assert np.allclose(state.active.centre, expected, atol=1e-6)
    asked = len(endpoint.requests)
    again = await ensure_model(db, make())
    assert again.mismatch is None
    assert len(endpoint.requests) == asked


async def test_another_model_of_the_same_size_does_not_take_over(db: Database, make: Make) -> None:
    """faults: an embedding model swapped for another of the same size: start-up says so."""
    await ensure_model(db, make("small"))
    state = await ensure_model(db, make("other"))
    assert state.active is not None
    assert state.active.name == "openai:small"
    assert state.mismatch is not None
    assert "made by openai:small (64 numbers)" in state.mismatch
    assert "ask for openai:other" in state.mismatch
    assert "thoth substrate embed reembed" in state.mismatch


async def test_a_model_whose_vectors_have_another_length_now_is_noticed(db: Database, make: Make, endpoint: Endpoint) -> None:
    """faults: an embedding model changed from 384 to 1536 or 768 dimensions."""
    await ensure_model(db, make())
    endpoint.dimensions = 32
    changed = make()
    assert (await ensure_model(db, changed)).mismatch is None  # nothing was asked of it yet
    await changed.query("hello")
    state = await ensure_model(db, changed)
    assert state.mismatch is not None
    assert "(32)" in state.mismatch


async def test_without_an_embedder_the_stored_model_is_told(db: Database, make: Make) -> None:
    assert (await ensure_model(db, None)).active is None
    await ensure_model(db, make())
    state = await ensure_model(db, None)
    assert state.active is not None
    assert (state.active.name, state.wanted, state.mismatch) == ("openai:small", None, None)


async def test_two_hosts_at_their_first_boot_make_one_model_active(db: Database, make: Make, sql: psycopg.Connection) -> None:
    async with anyio.create_task_group() as group:
        for model in ("one", "two", "one", "three"):
            group.start_soon(ensure_model, db, make(model))
    assert sql.execute("select count(*) filter (where active) from thoth.substrate_embedding_models").fetchone() == (1,)


async def test_a_first_registration_that_cannot_embed_stores_nothing(db: Database, make: Make, endpoint: Endpoint) -> None:
    endpoint.always(status(401, "bad key"))
    with pytest.raises(EmbedderUnavailable, match="bad key"):
        await ensure_model(db, make())
    assert await active_model(db) is None


def test_dimensions_not_yet_known_are_no_mismatch() -> None:
    stored = StoredModel("openai:small", 64, np.zeros(64, np.float32))
    assert mismatch(stored, EmbeddingModel("openai:small", 0)) is None
    assert mismatch(stored, EmbeddingModel("openai:small", 64)) is None
    assert mismatch(stored, EmbeddingModel("openai:small", 128)) is not None


def test_the_sentences_of_the_centre_are_many_short_and_different() -> None:
    assert len(sentences()) > 100
    assert len(set(sentences())) == len(sentences())
    assert max(map(len, sentences())) < 100
