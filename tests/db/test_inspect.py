"""What doctor asks of the catalogues."""

from __future__ import annotations

import psycopg

from thoth_substrate.db.inspect import missing_indexes
from thoth_substrate.db.pool import Database


async def test_a_new_database_lacks_no_index(db: Database, sql: psycopg.Connection) -> None:
    assert await missing_indexes(db) == []
    sql.execute("select thoth.substrate_make_months('2031-01-01', 2)")
    assert await missing_indexes(db) == []


async def test_an_index_missing_on_one_partition_is_found_and_its_cure_works(db: Database, sql: psycopg.Connection) -> None:
    """faults: indexes missing on one partition."""
    lost = sql.execute(
        "select indexrelid::regclass::text from pg_index where indrelid = 'thoth.substrate_passage_vectors_h03'::regclass"
        " and not indisunique"
    ).fetchone()
    assert lost
    sql.execute(f"drop index {lost[0]}".encode())
    [found] = await missing_indexes(db)
    assert (found.parent, found.partition) == ("substrate_passage_vectors", "substrate_passage_vectors_h03")
    assert found.definition == "USING hnsw (code bit_hamming_ops)"
    sql.execute(found.cure.encode())
    assert await missing_indexes(db) == []


async def test_an_index_that_a_failed_build_left_is_as_good_as_missing(db: Database, sql: psycopg.Connection) -> None:
    sql.execute(
        "update pg_index set indisvalid = false where indrelid = 'thoth.substrate_terms_h07'::regclass and not indisprimary"
    )
    assert [found.partition for found in await missing_indexes(db)] == ["substrate_terms_h07"]
