"""The nearest by meaning, where the index serves: a small tenant's neighbours are not crowded out by a large one's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import psycopg
import pytest

from thoth_substrate.db.pool import Database
from thoth_substrate.model.embedding import code, unit
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.near import NearSampled, with_background
from thoth_substrate.recall.question import understand
from thoth_substrate.recall.search import Limits, Lookup, TenantState, Wording, by_meaning

DIMENSIONS, LARGE, SMALL = 64, 3000, 40


async def test_a_small_tenant_in_a_large_table_still_gets_all_its_rows(db: Database, sql: psycopg.Connection) -> None:
    """faults: a filtered vector search for a small tenant in a big table: it must still return k rows."""
    rng = np.random.default_rng(7)
    large, small = neighbours_in_one_partition(sql)
    sql.execute("insert into thoth.substrate_embedding_models values ('m', %s, %s, true)", (DIMENSIONS, [0.0] * DIMENSIONS))
    for tenant, count in ((large, LARGE), (small, SMALL)):
        vectors = [unit(vector) for vector in rng.normal(size=(count, DIMENSIONS)).astype(np.float32)]
        with sql.cursor().copy("copy thoth.substrate_passage_vectors from stdin") as copy:
            for number, vector in enumerate(vectors):
                bits = code(vector, np.zeros(DIMENSIONS, np.float32))
                copy.write_row((tenant, number, "turn", "m", "[" + ",".join(map(str, vector)) + "]", bits))
    question = unit(rng.normal(size=DIMENSIONS).astype(np.float32))
    state = TenantState(
        SMALL, 1, "m", [0.0] * DIMENSIONS, SMALL, SMALL, [0.0] * DIMENSIONS, {"sample": [0, 1, 2]}, None, None, []
    )
    words = Wording([], [], [], 0, 0)
    by_index = Lookup(state, understand("x", db.clock.now()), words, Limits(candidates=10, exact_rows=0), question)
    exact = Lookup(state, understand("x", db.clock.now()), words, Limits(candidates=10), question)
    found = [near.passage_id for near in (await by_meaning(Reading(db, small), by_index, [])).near]
    truly = [near.passage_id for near in (await by_meaning(Reading(db, small), exact, [])).near]
    assert len(found) == len(truly) == 10
    assert len(set(found) & set(truly)) >= 7  # signs of random vectors tell less than those of a model's
    many = replace(state, passages=LARGE, vectors=LARGE, turns=LARGE)
    told = {}
    for name, sample in (("scanned", list(range(100))), ("used up", [10**9]), ("whole", [])):
        middling = replace(exact, state=replace(many, floor={"sample": sample}))
        told[name] = (await by_meaning(Reading(db, large), middling, [])).near
    assert [one.passage_id for one in told["scanned"]] == [one.passage_id for one in told["whole"]]
    assert (told["scanned"][0].mean, told["scanned"][0].deviation) == pytest.approx(
        (told["whole"][0].mean, told["whole"][0].deviation), abs=0.05
    )
    assert told["scanned"][0].mean != told["whole"][0].mean
    assert told["used up"] == told["whole"]


def neighbours_in_one_partition(sql: psycopg.Connection) -> tuple[str, str]:
    """Two tenants whose vectors lie in the same hash partition."""
    rows = sql.execute(
        "select array_agg(t) from (select 'tenant' || n as t from generate_series(1, 64) n) x"
        " group by (select r from generate_series(0, 15) r"
        " where satisfies_hash_partition('thoth.substrate_passage_vectors'::regclass, 16, r, t)) having count(*) > 1 limit 1"
    ).fetchone()
    assert rows is not None
    return rows[0][0], rows[0][1]


def test_a_sample_that_is_used_up_is_no_background() -> None:
    """faults: a calibrated sample whose passages were all released since, or all but one."""
    found = [NearSampled(number, 0.9 - number / 100, None, None, 0) for number in range(3)]
    for mean, deviation, sampled in ((None, None, 0), (0.7, 0.0, 1)):
        told = with_background([replace(one, mean=mean, deviation=deviation, sampled=sampled) for one in found])
        assert [one.passage_id for one in told] == [0, 1, 2]
        assert (told[0].mean, told[0].deviation) == pytest.approx((0.89, 0.00816), abs=1e-4)
    told = with_background([replace(one, mean=0.7, deviation=0.05, sampled=40) for one in found])
    assert (told[0].mean, told[0].deviation) == (0.7, 0.05)
    assert with_background([]) == []
