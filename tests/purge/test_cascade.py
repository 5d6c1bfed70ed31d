"""The cascade through the layers, case by case, and its batches."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.consolidate.support import Mind, entity, fact
from tests.purge.support import PRIVATE, PUBLIC, WORDS, Life, live, vectors
from tests.support import Said, index_agrees
from thoth_substrate.boot import open_substrate
from thoth_substrate.consolidate.merge import merge_entities
from thoth_substrate.db.pool import Database
from thoth_substrate.model.knowledge import Maker, Proposals, Quote
from thoth_substrate.purge import purge as purging
from thoth_substrate.purge.preview import preview
from thoth_substrate.purge.purge import purge
from thoth_substrate.settings import load


async def test_an_entity_that_only_the_purged_named_goes_with_its_facts_and_they_are_promoted_anew(
    db: Database, mind: Mind
) -> None:
    first, second = await mind.hears(
        Said("Zinaida is my sister.", actor="maya", session=PRIVATE),
        Said("My sister lives in Rome.", actor="maya", session=PUBLIC),
    )
    taken = await mind.claims()
    assert taken is not None
    rome = fact("Zinaida", "lives_in", "Rome", quotes=(Quote(second, "My sister lives in Rome"),))
    await mind.promotes(taken, Proposals((entity("Zinaida", taken.sources[0]),), (rome,)))
    await purge(db, "default", [first])
    assert mind.rows("select name from thoth.substrate_entities") == [("Rome",)]
    assert mind.facts() == []
    assert mind.queued() == [second]


async def test_an_entity_goes_on_under_the_name_that_is_left(db: Database, mind: Mind) -> None:
    first, second = await mind.hears(
        Said("Zinaida, called Zina, is here.", session=PRIVATE), Said("Zina lives in Rome.", session=PUBLIC)
    )
    taken = await mind.claims()
    assert taken is not None
    one = entity("Zinaida", taken.sources[0], aliases=("Zina",), summary="Zinaida is here.")
    rome = fact("Zinaida", "lives_in", "Rome", statement="Zinaida lives in Rome.", quotes=(Quote(second, "Zina lives in Rome"),))
    await mind.promotes(taken, Proposals((one,), (rome,)))
    await purge(db, "default", [first])
    assert mind.rows("select name, norm, summary from thoth.substrate_entities where name <> 'Rome'") == [("Zina", "zina", "")]
    assert [row[0] for row in mind.rows("select statement from thoth.substrate_relationships")] == ["Zina lives in Rome"]
    assert "zinaida" not in {row[0] for row in mind.rows("select term from thoth.substrate_statement_postings")}


async def test_a_merge_of_an_entity_that_goes_is_undone(db: Database, mind: Mind) -> None:
    await mind.learns("Zina lives in Rome.", fact("Zina", "lives_in", "Rome"), session=PUBLIC)
    (secret,) = await mind.hears(Said("Zinaida breeds axolotls.", session=PRIVATE))
    taken = await mind.claims()
    assert taken is not None
    await mind.promotes(
        taken, Proposals((), (fact("Zinaida", "breeds", "axolotls", quotes=(Quote(secret, "breeds axolotls"),)),))
    )
    ids = dict(mind.rows("select name, entity_id from thoth.substrate_entities"))
    assert await merge_entities(db, "default", ids["Zinaida"], ids["Zina"], "alias", Maker("parser"))
    await purge(db, "default", [secret])
    assert mind.rows("select name, merged_into from thoth.substrate_entities where name like 'Zi%%'") == [("Zina", None)]
    assert mind.rows("select 1 from thoth.substrate_entity_merges") == []


async def test_in_many_batches_it_is_the_same(
    db: Database, sql: psycopg.Connection, mind: Mind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "BATCH_SLICES", 1)
    life = await live(mind)
    receipt = await purge(db, "default", life.secret)
    assert receipt.gone["substrate_slices"] == len(life.secret) + 1
    assert sorted(one[0] for one in mind.facts()) == ["Acme", "Lisbon", "chess"]
    index_agrees(sql)


async def test_one_slice_of_a_conversation_leaves_the_others(db: Database, mind: Mind) -> None:
    life = await live(mind)
    await purge(db, "default", life.secret[1:2])
    texts = {
        row[0]: row[1] for row in mind.rows("select slice_id, text from thoth.substrate_slices where session_id = %s", PRIVATE)
    }
    assert set(texts) == {life.secret[0], life.secret[2]}
    assert all(texts.values())
    assert "Vladivostok" in {one[0] for one in mind.facts()}
    assert "Porto" not in {one[0] for one in mind.facts()}
    assert mind.rows("select session_no from thoth.substrate_sessions where session_id = %s", PRIVATE) != []
    asked = {row[0] for row in mind.rows("select query_excerpt from thoth.substrate_recall_log")}
    assert "And my game?" in asked


async def test_what_waits_for_triage_or_is_held_back_can_be_purged(db: Database, mind: Mind) -> None:
    from tests.support import perceived

    (waiting,) = perceived(mind.sql, mind.clock.now(), [Said("Zinaida calls.", session=PRIVATE)])
    await purge(db, "default", [waiting])
    assert mind.rows("select 1 from thoth.substrate_pending") == []
    assert mind.rows("select text, session_id, actor from thoth.substrate_slices where actor <> 'purge'") == [("", "", "")]


async def test_the_preview_counts_what_would_go(db: Database, mind: Mind) -> None:
    life = await live(mind)
    would = await preview(db, "default", life.secret)
    assert (would.slices, would.with_content, would.passages, would.digests) == (3, 3, 3, 3)
    assert would.quotes > 5
    assert (would.facts > 2, would.facts_said_anew, would.entities > 1, would.entities_said_anew) == (True, 1, True, 1)
    assert would.resting_on_them == 2
    assert mind.rows("select 1 from thoth.substrate_purges") == []


async def test_the_facade_purges(db: Database, mind: Mind, dsn: str, tmp_path: Path) -> None:
    life = await live(mind)
    with open_substrate(load(THOTH_HOME=str(tmp_path), THOTH_PG_DSN=dsn, THOTH_EMBED_PROVIDER="none")) as substrate:
        assert substrate.ready_sync(60)
        assert substrate.purge_sync(life.secret[:1]).state == "done"
        assert (await substrate.purge(life.secret)).state == "done"


async def test_a_dump_by_the_server_s_own_tool_holds_nothing_of_it(
    db: Database, dsn: str, mind: Mind, made_server: Path, life: Life
) -> None:
    """Show 7: what a backup made after the purge holds."""
    tool = next(made_server.rglob("bin/pg_dump"), None)
    if tool is None:
        pytest.skip("the embedded server was made without its tools")
    theirs = vectors(mind.sql, life.secret)
    before = _dumped(tool, dsn)
    assert all(word in before.lower() for word in WORDS if word != "breed")
    await purge(db, "default", life.secret)
    after = _dumped(tool, dsn)
    assert [word for word in WORDS if word in after.lower()] == []
    assert [vector for vector in theirs if vector in after] == []
    assert "I live in Lisbon and work at Acme." in after


def _dumped(tool: Path, dsn: str) -> str:
    done = subprocess.run(
        [tool, dsn], capture_output=True, check=True, env={**os.environ, "LD_LIBRARY_PATH": str(tool.parents[1] / "lib")}
    )
    return done.stdout.decode()


@pytest.fixture
async def life(mind: Mind) -> Life:
    return await live(mind)
