"""Vectors of sentences that are about to be written. Without an embedder, or when it fails, there are none, and that is well."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from thoth_substrate.errors import EmbeddingError
from thoth_workers.worker import Context

_log = logging.getLogger("thoth.workers")


async def vectors_of(ctx: Context, sentences: Sequence[str]) -> tuple[list[tuple[float, ...]], str]:
    """A vector for each sentence and the model that made them; ([], "") when there are none to be had now."""
    if ctx.embedder is None or not sentences:
        return [], ""
    try:
        vectors = await ctx.embedder.passages(list(sentences))
    except EmbeddingError as error:
        _log.info("Sentences are written without vectors. %s", error)
        return [], ""
    return [tuple(map(float, vector)) for vector in vectors], ctx.embedder.model.name
