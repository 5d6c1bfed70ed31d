"""A small mind for the tests of promotion: what is said to it is perceived, indexed, claimed and promoted by the real parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.support import Said, perceived
from thoth_substrate.consolidate.claim import Claim, claim
from thoth_substrate.consolidate.promote import promote_alone
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.knowledge import (
    EntityProposal,
    Maker,
    Promoted,
    Proposals,
    Quote,
    RelationshipProposal,
    Source,
    VerdictProposal,
)
from thoth_substrate.triage.index import index

TENANT = "default"
MAKER = Maker("parser", "scripted", UUID("01900000-0000-7000-8000-00000000dec1"))
LEASE = timedelta(minutes=5)


def day(text: str) -> datetime:
    """Noon of a day, UTC."""
    return datetime.fromisoformat(f"{text}T12:00:00").replace(tzinfo=UTC)


@dataclass
class Mind:
    """One tenant's perception and promotion, each on the pinned clock."""

    db: Database
    sql: psycopg.Connection
    clock: PinnedClock
    tenant: str = TENANT
    attempts_most: int = 5
    said: dict[UUID, Said] = field(default_factory=dict)

    async def hears(self, *said: Said) -> list[UUID]:
        """Slices perceived, passed and indexed now; their event time is `at`, or now."""
        ids = perceived(self.sql, self.clock.now(), [_passed(one, self.tenant) for one in said])
        self.said |= dict(zip(ids, said, strict=True))
        await index(self.db, limit_rows=10_000)
        return ids

    async def claims(self, limit_rows: int = 100) -> Claim | None:
        """Take whatever waits, whether its session is quiet or not."""
        return await claim(self.db, self.tenant, limit_rows=limit_rows, lease=LEASE, quiet=timedelta(0))

    async def promotes(self, taken: Claim, proposals: Proposals, maker: Maker = MAKER) -> Promoted:
        """Promote proposals under a claim."""
        return await promote_alone(
            self.db, self.tenant, taken.token, taken.sources, proposals, maker, attempts_most=self.attempts_most
        )

    async def learns(self, text: str, *facts: RelationshipProposal, at: datetime | None = None, **said: Any) -> Promoted:
        """One slice heard and promoted with facts that quote the whole of it unless they bring quotes of their own."""
        (slice_id,) = await self.hears(Said(text, at=at, **said))
        taken = await self.claims()
        assert taken is not None
        quoting = tuple(one if one.quotes else quoted(one, slice_id, text) for one in facts)
        return await self.promotes(taken, Proposals((), quoting))

    def rows(self, statement: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """What the tables hold, as a superuser sees it."""
        return self.sql.execute(statement.encode(), arguments).fetchall()

    def facts(self) -> list[tuple[Any, ...]]:
        """Living facts: object, from, to, negated; in order of their time."""
        return self.rows(
            "select object_text, valid_from::date::text, valid_to::date::text, negated from thoth.substrate_relationships"
            " where tenant_id = %s and retracted_at is null order by valid_from, relationship_id",
            self.tenant,
        )

    def state(self, slice_id: UUID) -> str:
        """The consolidation state of a slice."""
        return str(self.rows("select consolidation_state from thoth.substrate_slices where slice_id = %s", slice_id)[0][0])

    def queued(self) -> list[UUID]:
        """Slices that wait for promotion."""
        return [row[0] for row in self.rows("select slice_id from thoth.substrate_unconsolidated order by slice_id")]


@pytest.fixture
def mind(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> Mind:
    """The mind of the tenant `default`."""
    return Mind(db, sql, clock)


def _passed(one: Said, tenant: str) -> Said:
    return Said(one.text, one.actor, one.session, one.stream, one.at, tenant, "passed", one.metadata)


def fact(subject: str, predicate: str, target: str, **more: Any) -> RelationshipProposal:
    """A proposed fact, by default about an entity and surely so."""
    return RelationshipProposal(subject, predicate, target, **more)


def quoted(one: RelationshipProposal, slice_id: UUID, text: str) -> RelationshipProposal:
    """The same fact with one quote."""
    values = {name: getattr(one, name) for name in one.__dataclass_fields__}
    return RelationshipProposal(**{**values, "quotes": (Quote(slice_id, text),)})


def entity(name: str, source: Source, text: str | None = None, **more: Any) -> EntityProposal:
    """A proposed entity that quotes `text`, by default its name."""
    return EntityProposal(name, quotes=(Quote(source.slice_id, text or name),), **more)


def nothing(sources: Sequence[Source], reason: str = "small talk") -> tuple[VerdictProposal, ...]:
    """The verdict that nothing is to be kept, for every passage."""
    return tuple(VerdictProposal(s.slice_id, span.passage_no, "nothing", reason) for s in sources for span in s.passages)
