"""What is known, layer by layer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import psycopg

from tests.recall.known import SINCE, Told, a_fact, a_pattern, an_entity
from tests.views.plans import plan, scanned
from thoth_substrate.db.pool import Database
from thoth_substrate.views import layers as view
from thoth_substrate.views.layers import Counts


async def test_an_empty_mind_has_nothing_in_any_layer(db: Database) -> None:
    found = await view.layers(db, "default")
    assert (found.counts, found.newest) == (Counts(), [])


async def test_what_lives_is_counted_apart_from_what_is_kept(db: Database, seeded: psycopg.Connection) -> None:
    maya = an_entity(seeded, "Maya")
    an_entity(seeded, "May", merged_into=maya)
    lives = Told("Maya lives in Porto.", maya)
    first = a_fact(seeded, lives)
    a_fact(seeded, replace(lives, text="Maya lived in Lyon.", until=SINCE + timedelta(days=1)))
    a_fact(seeded, replace(lives, text="Maya lives in Rome.", retracted=SINCE + timedelta(days=1)))
    a_pattern(seeded, "Maya moves often.", [first])
    a_pattern(seeded, "Maya seeks the sea.", [first], kind="insight")
    an_entity(seeded, "Noor", tenant="other")
    found = await view.layers(db, "default", limit_rows=1)
    counts = found.counts
    assert (counts.entities, counts.merged, counts.facts, counts.ended, counts.facts_retracted) == (1, 1, 1, 1, 1)
    assert (counts.patterns, counts.insights) == (1, 1)
    assert [(row.layer, row.kind, row.says) for row in found.newest] == [
        (1, "entity", "Maya"), (1, "fact", "Maya lived in Lyon."), (3, "insight", "Maya seeks the sea."),
    ]  # fmt: skip


async def test_the_newest_are_read_by_key(db: Database, seeded: psycopg.Connection) -> None:
    seeded.execute(
        "insert into thoth.substrate_relationships (tenant_id, subject_id, predicate, object_text, object_norm, statement,"
        " valid_from, stated_confidence, confidence, agent) select 't' || n % 5, 1, 'is', 'x', 'x', 'x', now(), 1, 1, 'parser'"
        " from generate_series(1, 5000) n"
    )
    seeded.execute("analyze thoth.substrate_relationships")
    assert not scanned(await plan(db, "t1", view.NEWEST, "t1", 5), "substrate_relationships")
