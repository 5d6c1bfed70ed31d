"""Vectors for what is proposed, made before the transaction that writes it. Without an embedder there are none."""

from __future__ import annotations

import logging
from dataclasses import replace

from thoth_substrate.errors import EmbeddingError
from thoth_substrate.model.knowledge import EntityProposal, Proposals
from thoth_substrate.model.ports import Vector
from thoth_workers.worker import Context

_log = logging.getLogger("thoth.workers")


async def with_vectors(ctx: Context, proposals: Proposals) -> Proposals:
    """The proposals with a vector of each entity's name and summary and of each fact's sentence, if they can be had now."""
    entities = [_described(entity) for entity in proposals.entities]
    statements = [fact.statement or f"{fact.subject} {fact.predicate} {fact.object}" for fact in proposals.relationships]
    if ctx.embedder is None or not (entities or statements):
        return proposals
    try:
        vectors = [_plain(vector) for vector in await ctx.embedder.passages([*entities, *statements])]
    except EmbeddingError as error:
        _log.info("Facts are promoted without vectors. %s", error)
        return proposals
    return replace(
        proposals,
        entities=tuple(
            replace(entity, embedding=vector) for entity, vector in zip(proposals.entities, vectors[: len(entities)], strict=True)
        ),
        relationships=tuple(
            replace(fact, embedding=vector)
            for fact, vector in zip(proposals.relationships, vectors[len(entities) :], strict=True)
        ),
        embedding_model=ctx.embedder.model.name,
    )


def _described(entity: EntityProposal) -> str:
    return f"{entity.name}: {entity.summary}" if entity.summary else entity.name


def _plain(vector: Vector) -> tuple[float, ...]:
    return tuple(map(float, vector))
