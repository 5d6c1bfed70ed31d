"""Which model's vectors are stored. The first one to be registered becomes active and stays so until `embed reembed`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.embedding import ModelState, StoredModel, mean
from thoth_substrate.model.ports import Embedder, EmbeddingModel


@dataclass(frozen=True, slots=True)
class ModelRow:
    model: str
    dimensions: int
    centre: list[float]


_ACTIVE = query(__package__, "model_active", ModelRow)
_NAMED = query(__package__, "model_named", ModelRow)
MODEL_LOCK: Query[None] = query(__package__, "model_lock")
_REGISTER: Query[None] = query(__package__, "model_register")


async def active_model(db: Database) -> StoredModel | None:
    """The model whose vectors recall searches, or None before the first was registered."""
    async with db.worker() as tx:
        row = await tx.fetch_one(_ACTIVE)
    return _stored(row) if row else None


async def ensure_model(db: Database, embedder: Embedder | None) -> ModelState:
    """Compare the stored model with the one at hand; when none is stored yet, register that one and make it active.

    Raises EmbeddingError when a first registration cannot embed the sentences that its centre is made of.
    """
    active = await active_model(db)
    if embedder is None:
        return ModelState(active, None)
    if active is None:
        await register(db, embedder)
        active = await active_model(db)
        assert active is not None
    return ModelState(active, embedder.model, mismatch(active, embedder.model))


async def register(db: Database, embedder: Embedder) -> StoredModel:
    """Store the model with its centre, active if no other is. Does nothing when it is stored already."""
    known = await named_model(db, embedder.model.name)
    if known is not None:
        return known
    centre = mean(await embedder.passages(sentences()))
    async with db.worker() as tx:
        await tx.execute(MODEL_LOCK)  # two hosts at their first boot: the second must see the first one's row
        await tx.execute(_REGISTER, embedder.model.name, len(centre), centre.tolist())
    stored = await named_model(db, embedder.model.name)
    assert stored is not None
    return stored


async def named_model(db: Database, name: str) -> StoredModel | None:
    """A registered model by its name, active or not."""
    async with db.worker() as tx:
        row = await tx.fetch_one(_NAMED, name)
    return _stored(row) if row else None


def mismatch(active: StoredModel, wanted: EmbeddingModel) -> str | None:
    """What is wrong when the stored vectors are not the wanted model's, and what to type; None when they are."""
    if active.name == wanted.name and wanted.dimensions in (0, active.dimensions):
        return None
    return (
        f"The stored vectors were made by {active.name} ({active.dimensions} numbers) and the settings ask for {wanted.name}"
        f" ({wanted.dimensions or 'unknown'}): the stored model stays in use where it is at hand, else recall goes on by keyword."
        " To change over, run `thoth substrate embed reembed`; to stay, set THOTH_EMBED_PROVIDER and THOTH_EMBED_MODEL back."
    )


@cache
def sentences() -> tuple[str, ...]:
    """Short sentences of many kinds and languages, whose mean vector is a model's centre. Changing them changes every code."""
    text = files(__package__).joinpath("centre.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _stored(row: ModelRow) -> StoredModel:
    return StoredModel(row.model, row.dimensions, np.asarray(row.centre, dtype=np.float32))
