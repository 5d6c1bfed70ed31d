"""Knowledge written directly, as promotion would have left it: for tests of what is made from it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


@dataclass
class Facts:
    """Writes entities, facts and citations of one tenant, and queues the entities that they touch."""

    sql: psycopg.Connection
    tenant: str = "default"
    names: dict[str, int] = field(default_factory=dict)
    slices: int = 0

    def __post_init__(self) -> None:
        self.sql.execute("insert into thoth.substrate_tenants values (%s, %s) on conflict do nothing", (self.tenant, NOW))

    def entity(self, name: str, kind: str = "person") -> int:
        """The entity of that name, made when it is new."""
        if name not in self.names:
            row = self.sql.execute(
                "insert into thoth.substrate_entities (tenant_id, kind, name, norm, first_seen, last_seen, asserted_at, agent)"
                " values (%s, %s, %s, %s, %s, %s, %s, 'parser') returning entity_id",
                (self.tenant, kind, name, name.casefold(), NOW, NOW, NOW),
            ).fetchone()
            assert row is not None
            self.names[name] = row[0]
            self.queue(row[0])
        return self.names[name]

    def fact(
        self, subject: str, predicate: str, obj: str, *, value: bool = False, negated: bool = False, functional: bool = False,
        stated: float = 0.9, at: datetime = NOW, until: datetime | None = None, asserted: datetime = NOW, model: str = "scripted",
        sessions: Sequence[str] = ("s1",), statement: str | None = None, cited: bool = True,
    ) -> int:  # fmt: skip
        """A fact, cited from one slice of each session; several corroborate it. Both ends are queued."""
        row = self.sql.execute(
            "insert into thoth.substrate_relationships (tenant_id, subject_id, predicate, object_id, object_text, object_norm,"
            " negated, functional, statement, valid_from, valid_to, asserted_at, stated_confidence, confidence, agent, model)"
            " values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'parser', %s) returning relationship_id",
            (self.tenant, self.entity(subject), predicate, None if value else self.entity(obj), obj, obj.casefold(), negated,
             functional, statement or f"{subject} {predicate.replace('_', ' ')} {obj}", at, until, asserted, stated, stated,
             model),
        ).fetchone()  # fmt: skip
        assert row is not None
        for session in sessions if cited else ():
            self.cite(row[0], session=session, at=at)
        if len(set(sessions)) > 1 and cited:
            self.sql.execute(
                "insert into thoth.substrate_outcomes values (%s, %s, 'corroborated', %s, %s)", (self.tenant, row[0], row[0], NOW)
            )
        self.queue(self.names[subject], *([] if value else [self.names[obj]]))
        return int(row[0])

    def slice_id(self, number: int | None = None) -> UUID:
        """An id of a slice of this tenant, the next one unless numbered. The slice itself is not there, as after its month."""
        if number is None:
            self.slices += 1
            number = self.slices
        return UUID(f"{int((NOW - timedelta(days=400)).timestamp() * 1000):012x}7000{0x8000_0000_0000_0000 + number:016x}")

    def cite(
        self, row_id: int, slice_id: UUID | None = None, *, session: str = "s1", at: datetime = NOW, quote: str = "so",
        text: str = "so", start: int = 0,
    ) -> UUID:  # fmt: skip
        """A citation from a slice, a new one unless given."""
        cited = slice_id or self.slice_id()
        self.sql.execute(
            "insert into thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash,"
            " event_time, session_id, actor, cited_at) values (%s, %s, %s, 0, %s, %s, %s, %s, %s, 'maya', %s)",
            (self.tenant, row_id, cited, start, quote, hashlib.sha256(text.encode()).digest(), at, session, NOW),
        )
        return cited

    def retract(self, fact: int, reason: str = "ended", by: int | None = None) -> None:
        """Take a fact back; its ends are queued."""
        row = self.sql.execute(
            "update thoth.substrate_relationships set retracted_at = %s, retract_reason = %s, superseded_by = %s"
            " where tenant_id = %s and relationship_id = %s returning subject_id, object_id",
            (NOW, reason, by, self.tenant, fact),
        ).fetchone()
        assert row is not None
        self.queue(*(one for one in row if one is not None))

    def merge(self, kept: str, merged: str) -> None:
        """Let one entity stand for another."""
        self._stand(self.names[merged], self.names[kept])
        self.queue(self.names[kept], self.names[merged])

    def unmerge(self, kept: str, merged: str) -> None:
        """Take that back."""
        self._stand(self.names[merged], None)
        self.queue(self.names[kept], self.names[merged])

    def _stand(self, entity: int, kept: int | None) -> None:
        self.sql.execute(
            "update thoth.substrate_entities set merged_into = %s where tenant_id = %s and (entity_id = %s or merged_into = %s)",
            (kept, self.tenant, entity, entity),
        )

    def queue(self, *entities: int) -> None:
        """Say that facts of these entities changed."""
        for entity in entities:
            self.sql.execute(
                "insert into thoth.substrate_unassociated values (%s, %s, %s) on conflict do nothing", (self.tenant, entity, NOW)
            )

    def queue_all(self) -> None:
        """Say so of all entities."""
        self.sql.execute(
            "insert into thoth.substrate_unassociated select tenant_id, entity_id, %s from thoth.substrate_entities"
            " where tenant_id = %s on conflict do nothing",
            (NOW, self.tenant),
        )
