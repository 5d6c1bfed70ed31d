"""Vectors from an OpenAI-compatible endpoint, however badly it answers."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Protocol

import anyio
import numpy as np
import pytest

from tests.support_openai import Behaviour, Data, Endpoint, changed, cut, hang, poisoned, says, status, vector_of
from thoth_substrate.errors import EmbedderUnavailable, EmbeddingError
from thoth_substrate.llm import embeddings
from thoth_substrate.llm.embeddings import OpenAIEmbedder
from thoth_substrate.model.ports import EmbeddingModel


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as running:
        yield running


class Make(Protocol):
    def __call__(
        self, model: str = "text-embedding-3-small", dimensions: int | None = None, timeout_s: float = 5, url: str | None = None
    ) -> OpenAIEmbedder: ...


@pytest.fixture
async def make(endpoint: Endpoint) -> AsyncIterator[Make]:
    """Makes embedders of the endpoint, and closes them."""
    made: list[OpenAIEmbedder] = []

    def one(
        model: str = "text-embedding-3-small", dimensions: int | None = None, timeout_s: float = 5, url: str | None = None
    ) -> OpenAIEmbedder:
        made.append(
            OpenAIEmbedder(embeddings.Endpoint(model, "sk-test", url or endpoint.url, dimensions, timedelta(seconds=timeout_s)))
        )
        return made[-1]

    yield one
    for embedder in made:
        await embedder.close()


async def test_passages_come_back_as_unit_vectors_in_order(endpoint: Endpoint, make: Make) -> None:
    texts = ["the mill by the river", "a ship in the harbour", ""]
    vectors = await make().passages(texts)
    for text, vector in zip(["the mill by the river", "a ship in the harbour", "."], vectors, strict=True):
        assert np.allclose(vector, vector_of(text, 1536), atol=1e-6)
        assert math.isclose(np.linalg.norm(vector), 1, abs_tol=1e-5)
    [request] = endpoint.requests
    assert request["authorization"] == "Bearer sk-test"
    assert request["encoding_format"] == "float"
    assert "dimensions" not in request
    assert await make().passages([]) == []


async def test_an_answer_out_of_order_is_put_in_order(endpoint: Endpoint, make: Make) -> None:
    endpoint.then(changed(lambda data: data[::-1]))
    vectors = await make().passages(["one", "two", "three"])
    assert np.allclose(vectors[0], vector_of("one", 1536), atol=1e-6)


async def test_many_texts_go_in_several_requests(endpoint: Endpoint, make: Make) -> None:
    endpoint.dimensions = 8
    vectors = await make("small").passages([f"text {n}" for n in range(600)])
    assert len(vectors) == 600
    assert [len(request["input"]) for request in endpoint.requests] == [256, 256, 88]
    endpoint.requests.clear()
    await make("small").passages(["long " * 3000] * 40)
    assert [len(request["input"]) for request in endpoint.requests] == [33, 7]
    assert all(len(text) <= 6000 for request in endpoint.requests for text in request["input"])


async def test_a_larger_model_is_asked_for_1536_numbers(endpoint: Endpoint, make: Make) -> None:
    large = make("text-embedding-3-large")
    assert large.model == EmbeddingModel("openai:text-embedding-3-large/1536", 1536)
    assert len(await large.query("hello")) == 1536
    assert endpoint.requests[0]["dimensions"] == 1536
    asked = make("text-embedding-3-small", dimensions=512)
    assert asked.model == EmbeddingModel("openai:text-embedding-3-small/512", 512)
    assert len(await asked.query("hello")) == 512


async def test_an_unknown_models_dimensions_are_learnt_from_its_first_answer(endpoint: Endpoint, make: Make) -> None:
    """faults: an embedding model changed from 384 to 1536 or 768 dimensions."""
    endpoint.dimensions = 768
    unknown = make("nomic-embed-text")
    assert unknown.model == EmbeddingModel("openai:nomic-embed-text", 0)
    await unknown.query("hello")
    assert unknown.model.dimensions == 768
    endpoint.dimensions = 384
    with pytest.raises(EmbeddingError, match=r"\[384\] numbers came back where 768"):
        await unknown.query("hello")


async def test_vectors_too_long_to_store_are_refused_with_what_to_do(endpoint: Endpoint, make: Make) -> None:
    endpoint.dimensions = 4096
    with pytest.raises(EmbeddingError, match="THOTH_EMBED_DIMENSIONS"):
        await make("huge-model").passages(["hello"])


def nan(data: Data) -> Data:
    return [item | {"embedding": [float("nan")] * len(item["embedding"])} for item in data]


def zero(data: Data) -> Data:
    return [item | {"embedding": [0.0] * len(item["embedding"])} for item in data]


def words(data: Data) -> Data:
    return [item | {"embedding": ["a", "b"]} for item in data]


@pytest.mark.parametrize(
    "behaviour",
    [
        changed(lambda data: data[:-1]),
        changed(lambda data: [*data, data[0] | {"index": 99}]),
        changed(lambda data: [item | {"index": 0} for item in data]),
        changed(lambda data: [item | {"embedding": item["embedding"][: 1536 - item["index"]]} for item in data]),
        changed(lambda _: []),
        changed(nan),
        changed(zero),
        changed(words),
        says(b""),
        says(b"not json"),
        says(b"[]"),
        says(b"null"),
        says(b'{"data": null}'),
        says(b'{"data": [{"index": 0}, {"index": 1}]}'),
        says(b'{"data": "vectors"}'),
        says(b'{"object": "list", "data": [{"index": 0, "embedd'),
        says(b"<html>Bad gateway</html>", "text/html"),
    ],
)
async def test_an_answer_that_is_not_the_vectors_asked_for_is_an_error_and_never_a_short_list(
    endpoint: Endpoint, make: Make, behaviour: Behaviour
) -> None:
    endpoint.always(behaviour)
    with pytest.raises(EmbeddingError):
        await make().passages(["one", "two"])


async def test_a_passing_failure_is_tried_again(endpoint: Endpoint, make: Make) -> None:
    endpoint.then(status(500), status(429, retry_after="0"))
    assert len(await make().passages(["one", "two"])) == 2
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("code", [401, 403, 404, 429, 500, 503])
async def test_an_endpoint_that_serves_nobody_is_unavailable_and_its_texts_are_not_to_blame(
    endpoint: Endpoint, make: Make, code: int
) -> None:
    """faults: 429 and 500 for an hour; a key revoked half-way."""
    endpoint.always(status(code, "we are closed", retry_after="0"))
    with pytest.raises(EmbedderUnavailable, match="we are closed"):
        await make().passages(["one", "two"])
    assert len(endpoint.requests) <= 4


async def test_retry_after_is_passed_on(endpoint: Endpoint, make: Make) -> None:
    endpoint.always(status(429, retry_after="77"))
    with pytest.raises(EmbedderUnavailable) as caught:
        await make().passages(["one"])
    assert caught.value.retry_in == timedelta(seconds=77)
    assert len(endpoint.requests) == 1


async def test_nobody_there_is_unavailable(make: Make) -> None:
    with Endpoint() as gone:
        pass
    with pytest.raises(EmbedderUnavailable, match="No vectors from http"):
        await make(url=gone.url).passages(["one"])


async def test_one_poisoned_text_is_not_taken_for_an_outage(endpoint: Endpoint, make: Make) -> None:
    """faults: one poisoned item that fails identically forever."""
    endpoint.always(poisoned("cyanide"))
    with pytest.raises(EmbeddingError, match="fails on these texts and not on others") as caught:
        await make().passages(["fine", "cyanide"])
    assert not isinstance(caught.value, EmbedderUnavailable)


@pytest.mark.parametrize("behaviour", [hang(), cut()])
async def test_a_hang_or_a_cut_stream_ends_in_time(endpoint: Endpoint, make: Make, behaviour: Behaviour) -> None:
    """faults: a hang; a stream cut in the middle."""
    endpoint.always(behaviour)
    with anyio.fail_after(40), pytest.raises(EmbedderUnavailable):
        await make(timeout_s=0.2).passages(["one"])


async def test_a_question_is_asked_once_and_can_be_abandoned(endpoint: Endpoint, make: Make) -> None:
    asked = make(timeout_s=30)
    endpoint.then(status(500), hang())
    with pytest.raises(EmbedderUnavailable):
        await asked.query("where?")
    assert len(endpoint.requests) == 1
    asking = asyncio.create_task(asked.query("where?"))
    await endpoint.arrived(2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert len(endpoint.requests) == 2
    assert len(await asked.query("where?")) == 1536


async def test_a_text_too_long_for_the_model_is_cut_until_it_fits(endpoint: Endpoint, make: Make) -> None:
    def refuse_long(handler, body):  # type: ignore[no-untyped-def]
        longest = max(map(len, body["input"]))
        (status(400, "too long") if longest > 1000 else changed(lambda data: data))(handler, body)

    endpoint.always(refuse_long)
    assert len(await make().passages(["word " * 1000])) == 1
    endpoint.always(status(400, "not this one"))
    with pytest.raises(EmbeddingError, match=r"refuses a text: .*not this one"):
        await make().passages(["word " * 1000])


async def test_what_no_endpoint_takes_is_sent_as_something_it_takes(endpoint: Endpoint, make: Make) -> None:
    """faults: a NUL in content; a lone surrogate as content and as query; astral emoji."""
    await make().passages(["a\0b", "\ud83d abc", "", "  \n", "👍🏽"])
    assert endpoint.requests[0]["input"] == ["a b", "? abc", ".", ".", "👍🏽"]


def test_one_embedder_serves_several_event_loops(endpoint: Endpoint) -> None:
    """faults: a host with its own event loop; a sync host."""
    shared = OpenAIEmbedder(embeddings.Endpoint(base_url=endpoint.url))

    async def ask() -> int:
        try:
            return len(await shared.query("where?"))
        finally:
            await shared.close()

    assert [asyncio.run(ask()) for _ in range(2)] == [1536, 1536]
