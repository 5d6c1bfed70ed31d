"""A town of facts: blocks of twenty-five who know one another, some whom everybody knows, so many slices that tell of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from uuid import UUID

import psycopg

from tests.consolidate.facts import NOW, Facts

BLOCK, FAMOUS = 25, 30
PREDICATES = ("knows", "likes", "lives_in", "works_at")


def settle(sql: psycopg.Connection, slices: int, seed: int = 3) -> Facts:
    """Four slices an entity, two facts a slice, each quoted for the fact and for both its ends."""
    facts = Facts(sql)
    rng = random.Random(seed)
    entities = max(slices // 4, BLOCK)
    told = list(_told(rng, slices, entities))
    with sql.transaction(), sql.cursor() as cursor:
        with cursor.copy(
            "copy thoth.substrate_entities (tenant_id, entity_id, kind, name, norm, first_seen, last_seen, asserted_at, agent)"
            " from stdin"
        ) as copy:
            for entity in range(1, entities + 1):
                copy.write_row(("default", entity, "person", f"e{entity}", f"e{entity}", NOW, NOW, NOW, "parser"))
        with cursor.copy(
            "copy thoth.substrate_relationships (tenant_id, relationship_id, subject_id, predicate, object_id, object_text,"
            " object_norm, functional, statement, valid_from, asserted_at, stated_confidence, confidence, agent) from stdin"
        ) as copy:
            for fact, (_, subject, predicate, other) in enumerate(told, 1_000_000):
                copy.write_row(
                    ("default", fact, subject, predicate, other, f"e{other}", f"e{other}", fact % 5 == 0,
                     f"E{subject} {predicate} e{other}.", NOW, NOW, 0.9, 0.9, "parser")
                )  # fmt: skip
        with cursor.copy(
            "copy thoth.substrate_citations (tenant_id, row_id, slice_id, passage_no, quote_start, quote, content_hash,"
            " event_time, session_id, cited_at) from stdin"
        ) as copy:
            for fact, (where, subject, _, other) in enumerate(told, 1_000_000):
                for row in (fact, subject, other):
                    copy.write_row(("default", row, where, 0, fact, "q", b"\x00", NOW, f"s{where.int % 97}", NOW))
    facts.queue_all()
    return facts


def _told(rng: random.Random, slices: int, entities: int) -> Iterator[tuple[UUID, int, str, int]]:
    """Slice, subject, predicate, object."""
    for number in range(slices):
        where = UUID(f"018000000000700080000000{number:08x}")
        block = rng.randrange(entities // BLOCK) * BLOCK
        for _ in range(2):
            famous = rng.random() < 0.3
            subject = 1 + (rng.randrange(min(FAMOUS, entities)) if famous else block + rng.randrange(BLOCK))
            other = 1 + (rng.randrange(entities) if rng.random() < 0.1 else block + rng.randrange(BLOCK))
            if subject != other:
                yield where, subject, rng.choice(PREDICATES), other
