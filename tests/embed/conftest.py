"""An endpoint, embedders of it, and passages to embed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Protocol

import pytest

from tests.support_openai import Endpoint
from thoth_substrate.llm import embeddings
from thoth_substrate.llm.embeddings import OpenAIEmbedder


class Make(Protocol):
    def __call__(self, model: str = "small", timeout_s: float = 5) -> OpenAIEmbedder: ...


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint whose vectors have 64 numbers."""
    with Endpoint(dimensions=64) as running:
        yield running


@pytest.fixture
async def make(endpoint: Endpoint) -> AsyncIterator[Make]:
    """Makes embedders of the endpoint, and closes them."""
    made: list[OpenAIEmbedder] = []

    def one(model: str = "small", timeout_s: float = 5) -> OpenAIEmbedder:
        made.append(OpenAIEmbedder(embeddings.Endpoint(model, "sk-test", endpoint.url, timeout=timedelta(seconds=timeout_s))))
        return made[-1]

    yield one
    for embedder in made:
        await embedder.close()
