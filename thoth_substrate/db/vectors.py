"""Vectors on their way into PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pgvector import HalfVector

__all__ = ["HalfVector", "halfvecs"]


def halfvecs(vectors: Iterable[Any]) -> list[HalfVector]:
    """float32 arrays as elements of a `halfvec[]`: the driver would take bare arrays for further dimensions of the list."""
    return [HalfVector(vector) for vector in vectors]
