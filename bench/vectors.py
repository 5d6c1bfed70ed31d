"""An embedder that remembers on disk what it has embedded, so that a benchmark waits for the model only once.

The file is sqlite: `e(k, v)`, where the key is blake2b-16 of `q` or `p` and the text, the value the vector as float32.
Other programs that embed with the same model may share it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from thoth_substrate.model.ports import Embedder, EmbeddingModel, Vector

BUSY_PATIENCE_S = 60.0
TOGETHER = 32  # passages embedded in one call and stored in one short transaction


class CachedEmbedder:
    """Wraps an embedder whose model's name it keeps. Vectors of other models must not go into the same file."""

    def __init__(self, path: Path, inner: Embedder) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self.made = 0  # vectors that were not in the file
        path.expanduser().parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(path.expanduser(), timeout=BUSY_PATIENCE_S, check_same_thread=False)
        self._file.execute("pragma journal_mode=wal")
        self._file.execute("create table if not exists e(k blob primary key, v blob)")

    @property
    def model(self) -> EmbeddingModel:
        return self._inner.model

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order, from the file or made now. Raises EmbeddingError."""
        found = {text: self._get(b"p", text) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        for start in range(0, len(missing), TOGETHER):
            part = missing[start : start + TOGETHER]
            made = dict(zip(part, await self._inner.passages(part), strict=True))
            self._put(b"p", made)
            found.update(made)
        return [vector for vector in (found[text] for text in texts) if vector is not None]

    async def query(self, text: str) -> Vector:
        """The vector of a question."""
        vector = self._get(b"q", text)
        if vector is None:
            vector = await self._inner.query(text)
            self._put(b"q", {text: vector})
        return vector

    def close(self) -> None:
        self._file.close()

    def _get(self, kind: bytes, text: str) -> Vector | None:
        with self._lock:
            row = self._file.execute("select v from e where k = ?", (_key(kind, text),)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32) if row else None

    def _put(self, kind: bytes, made: dict[str, Vector]) -> None:
        rows = [(_key(kind, text), np.asarray(vector, dtype=np.float32).tobytes()) for text, vector in made.items()]
        with self._lock, self._file:
            self._file.executemany("insert or replace into e values (?, ?)", rows)
        self.made += len(rows)


def _key(kind: bytes, text: str) -> bytes:
    return hashlib.blake2b(kind + text.encode(), digest_size=16).digest()
