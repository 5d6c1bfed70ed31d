"""Vectors from the `fastembed` extra, where the bundled model has no wheel. Downloads its model when first used."""

from __future__ import annotations

import asyncio
import os
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np

from thoth_substrate.errors import EmbedderUnavailable
from thoth_substrate.model.embedding import checked, shortened
from thoth_substrate.model.ports import EmbeddingModel, Vector

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
DEFAULT_DIMENSIONS = 384
PASSAGE_CHARS = 4000
QUERY_CHARS = 600


def available() -> bool:
    """Whether the extra is installed: `pip install thoth-substrate[fastembed]`."""
    return find_spec("fastembed") is not None


class FastEmbedEmbedder:
    """A model of fastembed's list, run on the CPU. `dimensions` are known for the default, else after the first reply."""

    def __init__(self, model: str | None = None) -> None:
        self._name = model or DEFAULT_MODEL
        self._dimensions = DEFAULT_DIMENSIONS if self._name == DEFAULT_MODEL else 0
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="thoth-embed")
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(f"fastembed:{self._name}", self._dimensions)

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Unit vectors, one for each text, in order. Raises EmbeddingError, EmbedderUnavailable if the model cannot load."""
        return await self._run("passage_embed", [shortened(text, PASSAGE_CHARS) for text in texts])

    async def query(self, text: str) -> Vector:
        """The unit vector of a question, in the model's own mode for questions where it has one."""
        return (await self._run("query_embed", [shortened(text, QUERY_CHARS)]))[0]

    async def close(self) -> None:
        """Let the threads go once they are done with what they have; the embedder cannot be used again."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, method: str, texts: list[str]) -> list[Vector]:
        made = await asyncio.get_running_loop().run_in_executor(self._threads, self._embed, method, texts)
        vectors = checked(made, len(texts), self._dimensions)
        self._dimensions = len(vectors[0]) if vectors else self._dimensions
        return vectors

    def _embed(self, method: str, texts: list[str]) -> list[Vector]:
        return [np.asarray(vector, dtype=np.float32) for vector in getattr(self._ready(), method)(texts)]

    def _ready(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._name)
            return self._loaded


def _load(name: str) -> Any:
    try:
        from fastembed import TextEmbedding

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it tells how its pooling differs from its own older versions
            return TextEmbedding(name, threads=max(1, (os.cpu_count() or 1) // 2))
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        raise EmbedderUnavailable(
            f"The fastembed model {name} cannot be loaded ({error}); recall goes on by keyword. Install"
            " thoth-substrate[fastembed], or choose a model of its list with THOTH_EMBED_MODEL."
        ) from error
