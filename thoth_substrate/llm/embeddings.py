"""Vectors from an OpenAI-compatible endpoint. The only importer of openai for embeddings.

Questions and passages are sent alike: these models know one mode. What comes back is checked before anybody sees it.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import openai

from thoth_substrate.errors import EmbedderUnavailable, EmbeddingError
from thoth_substrate.llm.address import address_of
from thoth_substrate.model.embedding import MOST_DIMENSIONS, checked, shortened
from thoth_substrate.model.ports import EmbeddingModel, Vector

DEFAULT_MODEL = "text-embedding-3-small"
NATIVE_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
MOST_TEXTS = 256  # in one request
MOST_CHARS = 200_000  # in one request, well below the 300,000 tokens that OpenAI takes
PASSAGE_CHARS = 6000  # below 8192 tokens in any script
SHORTEST_CHARS = 500  # a text refused as too long is halved down to here
RETRIES = 2
PROBE_S = 10.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, with which key, for which model. `dimensions` None leaves their number to the model."""

    model: str = DEFAULT_MODEL
    api_key: str | None = None
    base_url: str | None = None
    dimensions: int | None = None
    timeout: timedelta = timedelta(seconds=30)


class OpenAIEmbedder:
    """One model of one endpoint. May be used from several event loops; each has its own connections."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = weakref.WeakKeyDictionary()
        native = NATIVE_DIMENSIONS.get(endpoint.model, 0)
        self._asked = endpoint.dimensions or (MOST_DIMENSIONS if native > MOST_DIMENSIONS else None)
        self._dimensions = self._asked or native

    @property
    def model(self) -> EmbeddingModel:
        """`dimensions` is 0 for a model that is not known here, until its first reply has shown them."""
        suffix = f"/{self._asked}" if self._asked else ""
        return EmbeddingModel(f"openai:{self._endpoint.model}{suffix}", self._dimensions)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Unit vectors, one for each text, in order. Raises EmbedderUnavailable when the endpoint does not serve at all,
        EmbeddingError when it refuses these texts or answers with something else than their vectors."""
        made: list[Vector] = []
        for part in _parts([shortened(text, PASSAGE_CHARS) for text in texts]):
            made += await self._part(part)
        return made

    async def query(self, text: str) -> Vector:
        """The unit vector of a question. One attempt: a turn does not wait for a second. Raises EmbeddingError."""
        try:
            return (await self._ask([shortened(text, PASSAGE_CHARS)], retries=0))[0]
        except (openai.OpenAIError, TimeoutError) as error:
            raise _unavailable(self._endpoint, error) from error

    async def close(self) -> None:
        """Close the connections of the running event loop. The embedder may be used again."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _part(self, texts: list[str]) -> list[Vector]:
        try:
            return await self._ask(texts, RETRIES if len(texts) > 1 else 0)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if len(texts) == 1 and len(texts[0]) > SHORTEST_CHARS:
                return await self._part([shortened(texts[0], max(len(texts[0]) // 2, SHORTEST_CHARS))])
            raise EmbeddingError(f"{self._endpoint.model} refuses a text: {_said(error)}") from error
        except (openai.InternalServerError, openai.APIConnectionError, TimeoutError) as error:
            if await self._serves():
                raise EmbeddingError(f"{self._endpoint.model} fails on these texts and not on others: {_said(error)}") from error
            raise _unavailable(self._endpoint, error) from error
        except openai.OpenAIError as error:
            raise _unavailable(self._endpoint, error) from error

    async def _serves(self) -> bool:
        """Whether the endpoint embeds a harmless text: tells a poisoned batch from an outage."""
        try:
            async with asyncio.timeout(PROBE_S):
                await self._ask(["."], retries=0)
        except (openai.OpenAIError, EmbeddingError, TimeoutError):
            return False
        return True

    async def _ask(self, texts: list[str], retries: int) -> list[Vector]:
        limit_s = self._endpoint.timeout.total_seconds()
        client = (await self._client()).with_options(max_retries=retries, timeout=limit_s)
        try:
            async with asyncio.timeout(limit_s * (retries + 1)):  # the client's own limit starts anew with every byte
                reply = await client.embeddings.create(
                    model=self._endpoint.model, input=texts, encoding_format="float", dimensions=self._asked or openai.omit
                )
        except (ValueError, TypeError, AttributeError) as error:  # what the client makes of a reply that is none
            raise EmbeddingError(f"{self._endpoint.model} answered with something else than vectors: {error}") from error
        vectors = checked(_in_order(reply, len(texts)), len(texts), self._dimensions)
        self._dimensions = len(vectors[0])
        return vectors

    async def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:  # made in a thread: reading the certificates takes a turn's whole time
            client = self._clients.setdefault(loop, await asyncio.to_thread(self._connect))
        return client

    def _connect(self) -> openai.AsyncOpenAI:
        # An endpoint without a key (a local one) still needs the header to say something.
        address = address_of(self._endpoint.base_url)
        return openai.AsyncOpenAI(api_key=self._endpoint.api_key or "none", base_url=address.url, default_headers=address.headers)


def _parts(texts: Sequence[str]) -> list[list[str]]:
    """Requests of at most MOST_TEXTS texts and MOST_CHARS characters."""
    parts: list[list[str]] = []
    room = 0
    for text in texts:
        if not parts or len(text) > room or len(parts[-1]) == MOST_TEXTS:
            parts.append([])
            room = MOST_CHARS
        parts[-1].append(text)
        room -= len(text)
    return parts


def _in_order(reply: Any, count: int) -> list[Vector]:
    """The reply's vectors by their index. Raises EmbeddingError unless indexes are 0 … count-1, once each."""
    data = getattr(reply, "data", None)
    if not isinstance(data, list):
        raise EmbeddingError("The endpoint answered with something else than a list of vectors; none of the batch was kept.")
    try:
        by_index = {int(item.index): np.asarray(item.embedding, dtype=np.float32) for item in data}
    except (ValueError, TypeError, AttributeError) as error:
        raise EmbeddingError("The endpoint answered with vectors that are not numbers; none of the batch was kept.") from error
    if len(data) != count or sorted(by_index) != list(range(count)) or any(vector.ndim != 1 for vector in by_index.values()):
        raise EmbeddingError(f"{count} texts were sent and {len(data)} vectors came back, or not one for each; none was kept.")
    return [by_index[index] for index in range(count)]


def _unavailable(endpoint: Endpoint, error: Exception) -> EmbedderUnavailable:
    where = address_of(endpoint.base_url).url if endpoint.base_url else "OpenAI"
    return EmbedderUnavailable(
        f"No vectors from {where} with {endpoint.model}: {_said(error)}. What waits stays queued and is found by keyword;"
        " `thoth substrate doctor` says what to look at.",
        _retry_after(error),
    )


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".") or "no answer in time"


def _retry_after(error: Exception) -> timedelta | None:
    """What a Retry-After header in seconds asks for, at most an hour."""
    if not isinstance(error, openai.APIStatusError):
        return None
    given = error.response.headers.get("retry-after", "")
    return timedelta(seconds=min(float(given), 3600.0)) if given.replace(".", "", 1).isdigit() else None
