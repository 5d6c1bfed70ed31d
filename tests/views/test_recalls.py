"""The log of recalls, and embedding at a glance."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest

from tests.views.plans import nodes, plan, scanned
from tests.views.seed import a_passage, a_recall, a_slice
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import UnknownRecall
from thoth_substrate.views import embedding, recalls


async def test_recent_recalls_say_what_was_asked_and_how_it_ended(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now())
    a_recall(seeded, db.clock.now() - timedelta(hours=1), "who?", [("101", one)])
    a_recall(seeded, db.clock.now(), "ok", empty="trivial_query")
    a_recall(seeded, db.clock.now(), "theirs", tenant="other")
    found = await recalls.recent(db, "default")
    assert [(line.query, line.lines, line.empty_reason) for line in found] == [("ok", 0, "trivial_query"), ("who?", 1, None)]


async def test_a_sample_is_repeatable_by_its_seed(db: Database, seeded: psycopg.Connection) -> None:
    for number in range(30):
        a_recall(seeded, db.clock.now() - timedelta(minutes=number), f"question {number}")
    first = await recalls.sample(db, "default", seed="a")
    assert first == await recalls.sample(db, "default", seed="a")
    assert first != await recalls.sample(db, "default", seed="b")
    assert len(first) == 5


async def test_a_recall_is_explained_with_its_lines_read_anew(db: Database, seeded: psycopg.Connection) -> None:
    there = a_slice(seeded, db.clock.now(), "The cat is called Mia.")
    a_passage(seeded, there, "The cat is")
    released = a_slice(seeded, db.clock.now(), "", consolidation="released")
    asked = a_recall(seeded, db.clock.now(), "cat?", [("101", there), ("102", released), ("103", uuid4())])
    found = await recalls.explained(db, "default", asked)
    assert [(line.handle, line.gone, line.text) for line in found.lines] == [
        ("101", False, "The cat is"),
        ("102", True, ""),
        ("103", True, ""),
    ]
    with pytest.raises(UnknownRecall):
        await recalls.explained(db, "other", asked)


async def test_recent_recalls_are_read_by_their_index(db: Database, seeded: psycopg.Connection) -> None:
    seeded.execute(
        "insert into thoth.substrate_recall_log select 'default', gen_random_uuid(), %s::timestamptz - n * interval '1 second',"
        " 's', '\\x00', 'q', '\\x00', 300, 20, 10, null, '[]', '[]', '[]' from generate_series(1, 20000) n",
        [db.clock.now()],
    )
    seeded.execute("analyze thoth.substrate_recall_log")
    for query, arguments in ((recalls._RECENT, ("default", 20)), (recalls._ONE, ("default", uuid4()))):
        root = await plan(db, "default", query, *arguments)
        assert not scanned(root, "substrate_recall_log")
        assert not [node for node in nodes(root) if node["Node Type"] == "Sort"]


async def test_embedding_at_a_glance(db: Database, seeded: psycopg.Connection) -> None:
    seeded.execute(
        "insert into thoth.substrate_embedding_models (model, dimensions, centre, active)"
        " values ('new', 8, '{}', true), ('old', 8, '{}', false)"
    )
    seeded.execute("insert into thoth.substrate_vector_stats values ('default', 'new', 7, 4, '{}'), ('other', 'old', 5, 5, '{}')")
    seeded.execute("insert into thoth.substrate_text_stats values ('default', 10, 100)")
    now = db.clock.now()
    seeded.execute(
        "insert into thoth.substrate_unembedded values ('default', 1, %s, 0, '-infinity', null),"
        " ('default', 2, %s, 3, %s, 'timed out'), ('default', 3, %s, 8, 'infinity', 'too long'),"
        " ('other', 4, %s, 0, '-infinity', null)",
        [now - timedelta(hours=1), now, now + timedelta(minutes=1), now, now],
    )
    found = await embedding.status(db, "default")
    assert (found.active, found.passages, found.embedded) == ("new", 10, 4)
    assert found.queue == embedding.Waiting(2, 1, 1, now - timedelta(hours=1), now + timedelta(minutes=1))
    assert [(model.model, model.passages, model.vectors) for model in found.models] == [("new", 4, 7), ("old", 0, 0)]
    assert [(one.failure, one.passages, one.given_up) for one in found.failures] == [("timed out", 1, 0), ("too long", 1, 1)]


async def test_embedding_of_an_empty_memory_is_no_error(db: Database) -> None:
    found = await embedding.status(db, "default")
    assert (found.active, found.passages, found.queue.waiting, found.models) == (None, 0, 0, [])
