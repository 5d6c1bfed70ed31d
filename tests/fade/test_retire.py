"""Retiring: found no more at once, and nothing that rested on it alone is held; what others tell of as well stays."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.consolidate.facts import Facts
from tests.fade.support import TENANT, embedded
from tests.support import Said, count, index_agrees, perceived, streams
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin
from thoth_substrate.fade.release import release
from thoth_substrate.fade.retire import Retired, relabel, retire, retire_alone
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.streams import DIARY, SUMMARY
from thoth_substrate.triage.index import index

WHY = "replaced by a newer version"


@pytest.fixture
def facts(sql: psycopg.Connection) -> Facts:
    return Facts(sql)


def _held(sql: psycopg.Connection, fact: int) -> tuple[bool, str | None]:
    row = sql.execute(
        "select retracted_at is null, retract_reason from thoth.substrate_relationships where relationship_id = %s", (fact,)
    ).fetchone()
    assert row is not None
    return row[0], row[1]


def _higher(sql: psycopg.Connection, facts: Facts, *supports: int, kind: str = "pattern") -> int:
    table, key = ("patterns", "pattern_id") if kind == "pattern" else ("observations", "observation_id")
    columns = "kind, statement, norm, valid_from, valid_to, stated_confidence, confidence, agent"
    values = "'pattern', 'dogs', 'dogs', now(), now(), 0.9, 0.9, 'x'"
    if kind != "pattern":
        columns, values = "kind, statement, agent", f"'{kind}', 'I know dogs', 'x'"
    row = sql.execute(
        f"insert into thoth.substrate_{table} (tenant_id, {columns}) values (%s, {values}) returning {key}".encode(),
        (facts.tenant,),
    ).fetchone()
    assert row is not None
    for support in supports:
        sql.execute("insert into thoth.substrate_supports values (%s, %s, %s)", (facts.tenant, row[0], support))
    layer = "pattern" if kind == "pattern" else "observation"
    sql.execute(
        "insert into thoth.substrate_statements (tenant_id, row_id, layer, terms, counts, length) values"
        " (%s, %s, %s, '{dog}', '{1}', 1)", (facts.tenant, row[0], layer),
    )  # fmt: skip
    return int(row[0])


async def test_what_is_retired_leaves_every_index_and_queue_and_keeps_its_words(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    old, new = perceived(sql, clock.now(), [Said("The port is 5432.", state="passed"), Said("The port is 5433.", state="passed")])
    await index(db, limit_rows=10)
    embedded(sql)
    done = await retire_alone(db, TENANT, [old], WHY)
    assert (done.slices, done.index.passages, done.index.vectors, done.facts) == (1, 1, 2, 0)
    assert sql.execute("select slice_id from thoth.substrate_passages").fetchall() == [(new,)]
    assert sql.execute("select slice_id from thoth.substrate_unconsolidated").fetchall() == [(new,)]
    index_agrees(sql)
    row = sql.execute(
        "select text, forgotten, consolidation_state, metadata ->> 'retired' from thoth.substrate_slices where slice_id = %s",
        (old,),
    ).fetchone()
    assert row == ("The port is 5432.", True, "unconsolidated", WHY)
    assert await retire_alone(db, TENANT, [old], WHY) == Retired()  # once is enough


async def test_the_words_of_the_retired_fade_in_their_own_time(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    plain, pinned = perceived(sql, clock.now(), [Said("plain", state="passed"), Said("pinned", state="passed")])
    await pin(db, TENANT, pinned)
    await retire_alone(db, TENANT, [plain, pinned], WHY)
    assert (await release(db, limit_rows=10)).released == 0
    clock.advance(timedelta(days=100))
    assert (await release(db, limit_rows=10)).released == 2
    assert count(sql, "substrate_salience") == 0


async def test_a_fact_falls_with_its_last_source_and_not_before(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, facts: Facts
) -> None:
    one, two = perceived(sql, clock.now(), [Said("Ana has a dog", state="passed"), Said("her dog", state="passed")])
    alone = facts.fact("Ana", "has_pet", "Rex", cited=False)
    both = facts.fact("Ana", "lives_in", "Lisbon", cited=False)
    facts.cite(alone, one)
    facts.cite(both, one)
    facts.cite(both, two)
    sql.execute("delete from thoth.substrate_unassociated")
    done = await retire_alone(db, TENANT, [one], WHY)
    assert done.facts == 1
    assert _held(sql, alone) == (False, f"its source was retired: {WHY}")
    assert _held(sql, both) == (True, None)
    queued = {row[0] for row in sql.execute("select entity_id from thoth.substrate_unassociated").fetchall()}
    assert queued == {facts.names["Ana"], facts.names["Rex"]}
    assert (await retire_alone(db, TENANT, [two], WHY)).facts == 1
    assert _held(sql, both)[0] is False


async def test_what_outlived_its_slice_still_tells_of_a_fact(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, facts: Facts
) -> None:
    """A citation of a slice that went with its month counts; it was never retired."""
    (one,) = perceived(sql, clock.now(), [Said("Ana has a dog", state="passed")])
    fact = facts.fact("Ana", "has_pet", "Rex")  # cited from a slice that is not there any more
    facts.cite(fact, one)
    assert (await retire_alone(db, TENANT, [one], WHY)).facts == 0
    assert _held(sql, fact) == (True, None)


async def test_what_stood_on_closed_facts_is_closed_however_far_up(
    db: Database, sql: psycopg.Connection, clock: PinnedClock, facts: Facts
) -> None:
    (one,) = perceived(sql, clock.now(), [Said("dogs", state="passed")])
    first, second, third, fourth = (facts.fact("Ana", "has_pet", name, cited=False) for name in ("A", "B", "C", "D"))
    facts.cite(first, one)
    for other in (second, third, fourth):
        facts.cite(other)
    falls = _higher(sql, facts, first, second)
    stays = _higher(sql, facts, first, third, fourth)
    above = _higher(sql, facts, falls, kind="self")
    done = await retire_alone(db, TENANT, [one], WHY)
    assert (done.facts, done.higher) == (1, 2)
    living = sql.execute("select pattern_id from thoth.substrate_patterns where retracted_at is null").fetchall()
    assert living == [(stays,)]
    assert sql.execute("select retracted_at is null from thoth.substrate_observations").fetchall() == [(False,)]
    assert sql.execute("select row_id from thoth.substrate_statements order by 1").fetchall() == [(stays,)]
    assert above not in {row[0] for row in sql.execute("select row_id from thoth.substrate_statements").fetchall()}


async def test_a_summary_of_the_retired_alone_goes_with_them(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    streams(sql, [SUMMARY])
    one, two = perceived(sql, clock.now(), [Said("one", state="passed"), Said("two", state="passed")])
    of_one, of_both = perceived(
        sql,
        clock.now(),
        [
            Said("in short: one", stream=SUMMARY, state="passed", metadata={"summary_of": [str(one)]}),
            Said("in short: both", stream=SUMMARY, state="passed", metadata={"summary_of": [str(one), str(two)]}),
        ],
    )
    assert (await retire_alone(db, TENANT, [one], WHY)).slices == 2
    assert _found(sql) == {two, of_both}
    assert (await retire_alone(db, TENANT, [two], WHY)).slices == 2
    assert _found(sql) == set()
    assert of_one not in _found(sql)


async def test_what_cannot_be_retired_is_passed_over(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    streams(sql, [DIARY])
    said = [Said("gone", state="passed"), Said("decided", stream=DIARY, state="passed"), Said("theirs", tenant="b")]
    gone, _, theirs = perceived(sql, clock.now(), said)
    await forget(db, TENANT, gone)
    assert await retire_alone(db, TENANT, [gone, theirs, uuid4()], WHY) == Retired()
    assert await retire_alone(db, TENANT, [], WHY) == Retired()
    assert count(sql, "substrate_pending") == 1


async def test_a_transaction_that_fails_retires_nothing(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (one,) = perceived(sql, clock.now(), [Said("kept", state="passed")])
    with pytest.raises(ZeroDivisionError):
        await _fails_after_retiring(db, one)
    assert _found(sql) == {one}


async def test_a_label_is_written_over_what_was_noted(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    (one,) = perceived(sql, clock.now(), [Said("words", state="passed", metadata={"path": "a.md", "title": "A"})])
    async with db.tenant(TENANT) as tx:
        await relabel(tx, TENANT, [one], {"path": "b.md"})
        await relabel(tx, TENANT, [], {"path": "c.md"})
    assert sql.execute("select metadata from thoth.substrate_slices").fetchall() == [({"path": "b.md", "title": "A"},)]


async def _fails_after_retiring(db: Database, slice_id: UUID) -> None:
    async with db.tenant(TENANT) as tx:
        await retire(tx, TENANT, [slice_id], WHY)
        raise ZeroDivisionError


def _found(sql: psycopg.Connection) -> set[UUID]:
    return {row[0] for row in sql.execute("select slice_id from thoth.substrate_slices where not forgotten").fetchall()}
