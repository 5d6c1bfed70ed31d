"""Looks at the ground itself: what doctor asks of the catalogues."""

from __future__ import annotations

from dataclasses import dataclass

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query


@dataclass(frozen=True, slots=True)
class MissingIndex:
    """A partition without an index that its parent or siblings have. `definition` is the index but for its name and table."""

    parent: str
    partition: str
    definition: str

    @property
    def cure(self) -> str:
        """The statement that makes it, without blocking writers."""
        unique = "UNIQUE " if self.definition.startswith("UNIQUE ") else ""
        return f"CREATE {unique}INDEX CONCURRENTLY ON thoth.{self.partition} {self.definition.removeprefix('UNIQUE ')}"


_MISSING = query(__package__, "missing_indexes", MissingIndex)


async def missing_indexes(db: Database) -> list[MissingIndex]:
    """Every index that is missing, or not valid, on one partition only; none is well. Raises DatabaseUnavailable."""
    async with db.owner() as tx:
        return await tx.fetch(_MISSING)
