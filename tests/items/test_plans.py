"""The statements of items read by key and by branch, whatever the size of what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.plans import indexes, plan, scanned
from tests.servers import at
from thoth_substrate.db.queries import Query
from thoth_substrate.items import log, read, unsay, write

MODES = ("force_generic_plan", "force_custom_plan")
TABLES = ("substrate_items", "substrate_item_vectors", "substrate_items_unsaid", "substrate_external_ids")
ASKED = """'[{"path": "users.7.", "key": "k1", "refresh": true}]'"""
PUTS = """'[{"path": "users.7.", "namespace": ["users", "7"], "key": "k1", "value": {}, "said": "x"}]'"""
BRANCH = ("'users.7.'", "'users.7/'", "'[]'", "false")
_FILL = """
insert into thoth.substrate_items (tenant_id, store, path, key, namespace, value, said, noted, ttl, expires_at)
select 't' || n % 2, 'langgraph', 'users.' || n / 10 || '.', 'k' || n % 10, array['users', (n / 10)::text], '{}', 'x', n,
    '1 day', now()
from generate_series(1, 20000) n;
insert into thoth.substrate_item_vectors
select tenant_id, store, path, key, '$', 'm', '[1,2,3,4]' from thoth.substrate_items;
insert into thoth.substrate_items_unsaid select 't' || n % 2, 'langgraph', n from generate_series(1, 20000) n;
insert into thoth.substrate_external_ids
select 't' || n % 2, 'thoth.items.langgraph', n::text, gen_random_uuid() from generate_series(1, 20000) n;
analyze;
"""


@pytest.fixture(scope="module")
def ground(server_dsn: str, template: str) -> Iterator[psycopg.Connection]:
    """A superuser in a database with two tenants of 10,000 items each."""
    name = f"{template}_items"
    with psycopg.connect(at(server_dsn, "postgres"), autocommit=True) as server:
        server.execute(f'create database "{name}" template "{template}" strategy file_copy'.encode())
        try:
            with psycopg.connect(at(server_dsn, name), autocommit=True) as connection:
                connection.execute("set search_path = thoth, public")
                connection.execute(_FILL.encode())
                yield connection
        finally:
            server.execute(f'drop database "{name}" with (force)'.encode())


@pytest.mark.parametrize("mode", MODES)
def test_items_are_found_by_their_names(ground: psycopg.Connection, mode: str) -> None:
    of = ("'t1'", "'langgraph'")
    log_of = (*of, "'users.7.'")
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [
        (read._GET, (*of, ASKED, "false")), (read._REFRESHED, (*of, ASKED)), (write._PUT, (*of, PUTS)),
        (write._DELETED, (*of, PUTS)),
        (log._LATEST, (*log_of, "10")), (log._POPPED, log_of), (log._CLEARED, log_of),
        (unsay._SETTLED, (*of, "array[1, 2]::bigint[]")), (unsay._UNSAID, (*of, "'thoth.items.langgraph'", "10")),
    ]  # fmt: skip
    for query, arguments in asked:
        found = plan(ground, query, *arguments, tenant="t1", mode=mode)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])


@pytest.mark.parametrize("mode", MODES)
def test_a_branch_is_one_range_of_the_key(ground: psycopg.Connection, mode: str) -> None:
    of = ("'t1'", "'langgraph'", *BRANCH)
    alike = ("'m'", "'[1,2,3,4]'::halfvec", "'cosine'", "10", "10", "0")
    asked: list[tuple[Query[Any], tuple[str, ...]]] = [(read._NEWEST, (*of, "10", "0")), (read._ALIKE, (*of, *alike))]
    for query, arguments in asked:
        found = plan(ground, query, *arguments, tenant="t1", mode=mode)
        assert (query.name, scanned(found, TABLES)) == (query.name, [])
        assert "substrate_items_pkey" in indexes(found)


@pytest.mark.parametrize("mode", MODES)
def test_what_has_expired_is_found_by_its_time(ground: psycopg.Connection, mode: str) -> None:
    ground.execute(
        "update thoth.substrate_items set expires_at = now() + interval '1 day' where key <> 'k1' or path <> 'users.7.'"
    )
    ground.execute("analyze thoth.substrate_items")
    found = plan(ground, write._SWEPT, "'t1'", "'langgraph'", tenant="t1", mode=mode)
    assert scanned(found, TABLES) == []
