"""Vectors: unit length, binary codes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from thoth_substrate.errors import EmbeddingError
from thoth_substrate.model.embedding import MOST_DIMENSIONS, checked, code, mean, shortened, unit


def vector(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array(values, dtype=np.float32)


def test_unit_length() -> None:
    assert np.allclose(unit(vector(3, 4)), [0.6, 0.8])
    assert np.allclose(unit(vector(0, 0)), [0, 0])


def test_a_code_is_the_signs_of_the_distance_from_the_centre_padded_with_zeros() -> None:
    made = code(vector(0.9, 0.5, 0.2, 0.7), vector(0.8, 0.6, 0.2, -1))
    assert made == "1001" + "0" * (MOST_DIMENSIONS - 4)


def test_mean() -> None:
    assert mean([vector(1, 2), vector(3, 6)]).tolist() == [2, 4]


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    made = shortened("begin " + "x" * 1000 + " end", 100)
    assert len(made) <= 100
    assert made.startswith("begin")
    assert made.endswith("end")
    assert shortened("short", 100) == "short"
    assert shortened(" ", 100) == "."
    assert shortened("a\0\ud800b", 100) == "a ?b"


@pytest.mark.parametrize(
    ("vectors", "count", "dimensions", "sentence"),
    [
        ([vector(*range(1, 9))], 2, 8, "2 texts were sent and 1 vectors"),
        ([vector(*range(1, 9))], 1, 16, "where 16 were expected"),
        ([vector(*range(1, 9)), vector(*range(1, 10))], 2, 0, "one length"),
        ([vector(1, 2)], 1, 0, "one length"),
        ([vector(*range(2000))], 1, 0, "THOTH_EMBED_DIMENSIONS"),
        ([vector(*[float("nan")] * 8)], 1, 8, "zero or not a number"),
        ([vector(*[float("inf")] * 8)], 1, 8, "zero or not a number"),
        ([vector(*[0.0] * 8)], 1, 8, "zero or not a number"),
    ],
)
def test_what_cannot_be_stored_is_refused(
    vectors: list[np.ndarray[tuple[int], np.dtype[np.float32]]], count: int, dimensions: int, sentence: str
) -> None:
    with pytest.raises(EmbeddingError, match=sentence):
        checked(vectors, count, dimensions)
