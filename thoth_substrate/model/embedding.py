"""Vectors and the identity of what made them: pure arithmetic, and what is known of the stored model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thoth_substrate.errors import EmbeddingError
from thoth_substrate.model.ports import EmbeddingModel, Vector

MOST_DIMENSIONS = 1536  # of a stored vector, and the length of its binary code


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A registered model. `centre` is its fixed mean vector, float32 of its own dimensions."""

    name: str
    dimensions: int
    centre: Vector


@dataclass(frozen=True, slots=True)
class ModelState:
    """Which model's vectors are stored (`active`), which one the settings ask for (`wanted`), and if they differ, what to do.

    `mismatch` is a sentence for the operator, None when all is well. The active model wins until `embed reembed`.
    """

    active: StoredModel | None
    wanted: EmbeddingModel | None
    mismatch: str | None = None


def unit(vector: Vector) -> Vector:
    """The vector scaled to length 1, float32. A vector of zeros stays as it is."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length > 0 else vector, dtype=np.float32)


def code(vector: Vector, centre: Vector) -> str:
    """The 1536 bits by which near vectors are found fast: signs of (vector - centre), zero-padded, as '0101…'.

    Subtracting the model's mean first is what makes signs tell anything: with e5 most dimensions have one sign always.
    """
    bits = (np.asarray(vector) > centre).astype(np.uint8) + ord("0")
    return bits.tobytes().decode("ascii").ljust(MOST_DIMENSIONS, "0")


def mean(vectors: Sequence[Vector]) -> Vector:
    """The mean of vectors of one length, float32."""
    return np.asarray(np.mean(np.stack(vectors), axis=0), dtype=np.float32)


def shortened(text: str, limit_chars: int) -> str:
    """At most `limit_chars` of `text`, its beginning and its end, as text that any provider can take.

    NUL ends a C string, a lone surrogate is not UTF-8, and an empty text is refused by some providers.
    """
    if len(text) > limit_chars:
        half = limit_chars // 2 - 2
        text = f"{text[:half]}\n…\n{text[-half:]}"
    text = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return text if text.strip() else "."


def checked(vectors: Sequence[Vector], count: int, dimensions: int) -> list[Vector]:
    """The vectors at length 1. Raises EmbeddingError unless there are `count` of `dimensions` finite numbers.

    `dimensions` 0 takes whatever length they have, as long as it is one and can be stored.
    """
    if len(vectors) != count:
        raise EmbeddingError(f"{count} texts were sent and {len(vectors)} vectors came back; none of them was kept.")
    sizes = sorted({len(vector) for vector in vectors})
    if dimensions and sizes not in ([], [dimensions]):
        raise EmbeddingError(f"Vectors of {sizes} numbers came back where {dimensions} were expected; none of them was kept.")
    if len(sizes) > 1 or (sizes and not 8 <= sizes[0] <= MOST_DIMENSIONS):
        raise EmbeddingError(
            f"Vectors of {sizes} numbers came back, and Thoth stores one length of 8 to {MOST_DIMENSIONS}: set"
            " THOTH_EMBED_DIMENSIONS if the model can shorten its vectors, or choose another model."
        )
    if not all(np.isfinite(vector).all() and np.any(vector) for vector in vectors):
        raise EmbeddingError("A vector came back that is zero or not a number; none of the batch was kept.")
    return [unit(vector) for vector in vectors]
