"""Every statement of the house, held against the migrated schema under the role that runs it."""

from __future__ import annotations

import ast
import dataclasses
import re
import types
import typing
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import pq

from tests.house.roles import roles
from tests.house.source import Module, functions, modules, statement_files, statements, uncommented
from tests.servers import at
from thoth_substrate.db.queries import Query

Key = tuple[str, str]
QUERIES = statements()
ROLES = roles()
# Run by the migrator over a connection of its own, before there is any role to take.
OWNERS = {("thoth_substrate.db", name) for name in ("server_facts", "migration_lock")}
PYTHON = {
    "boolean": bool, "smallint": int, "integer": int, "bigint": int, "real": float, "double precision": float, "text": str,
    "uuid": UUID, "timestamp with time zone": datetime, "date": date, "interval": timedelta, "bytea": bytes,
    "json": Any, "jsonb": Any,
}  # fmt: skip


@pytest.fixture(scope="module")
def ground(server_dsn: str, template: str) -> Iterator[psycopg.Connection]:
    """A superuser in the migrated template, who only prepares and explains."""
    with psycopg.connect(at(server_dsn, template), autocommit=True) as connection:
        connection.execute("set search_path = thoth, public")
        yield connection


def _named(key: Key) -> str:
    return f"{key[0].removeprefix('thoth_substrate.')}/{key[1]}"


each_query = pytest.mark.parametrize("key", list(QUERIES), ids=_named)


def test_every_statement_file_is_loaded_by_a_module() -> None:
    assert set(statement_files()) == set(QUERIES)


def test_every_query_is_run_by_a_transaction_whose_role_is_known() -> None:
    assert set(QUERIES) - set(ROLES) == OWNERS


@each_query
def test_a_statement_is_prepared_and_permitted_under_its_role(key: Key, ground: psycopg.Connection) -> None:
    query = QUERIES[key]
    nothing = f"({', '.join(['null'] * len(query.parameters))})" if query.parameters else ""
    for role in ROLES.get(key, {"none"}):
        with ground.transaction(force_rollback=True):
            ground.execute(
                "select set_config('role', %s, true), set_config('plan_cache_mode', 'force_generic_plan', true)", [role]
            )
            ground.execute(f"prepare asked as {query.text}".encode())
            ground.execute(f"explain execute asked{nothing}".encode())  # planned and permitted, not run
        ground.execute("deallocate all")


@each_query
def test_a_header_names_the_parameters_and_their_types(key: Key, ground: psycopg.Connection) -> None:
    query = QUERIES[key]
    described = _described(ground, query)
    declared = [part.split() for part in _header(query).split(",") if part.strip()]
    assert all(len(part) == 2 for part in declared), "each parameter is a name and a type"
    asked = [f"'{kind}'::regtype::oid" for _, kind in declared]
    wanted = ground.execute(f"select array[{', '.join(asked)}]::oid[]".encode()).fetchone()
    assert wanted == ([described.param_type(number) for number in range(described.nparams)],)
    assert len(set(query.parameters)) == len(query.parameters)


@each_query
def test_the_columns_of_a_statement_are_the_fields_of_its_row(key: Key, ground: psycopg.Connection) -> None:
    query = QUERIES[key]
    described = _described(ground, query)
    columns = [(described.fname(n) or b"").decode() for n in range(described.nfields)]
    if query.row is None:
        return  # what a statement answers may be ignored
    hints = typing.get_type_hints(query.row)
    fields = [field.name for field in dataclasses.fields(query.row)]
    assert columns == fields
    for number, field in enumerate(fields):
        given = _kind(ground, described.ftype(number))
        assert _fits(given, hints[field]), f"{field} is {given} in the database and {hints[field]} in {query.row.__name__}"


@each_query
def test_the_second_line_of_a_statement_says_why(key: Key) -> None:
    lines = QUERIES[key].text.split("\n")
    assert re.fullmatch(r"-- \S.*[^\s]", lines[1]), "a sentence"
    assert len(lines[1].split()) >= 3


@each_query
def test_a_statement_is_one_and_asks_one_clock(key: Key) -> None:
    body = uncommented(QUERIES[key].text).strip()
    assert ";" not in body, "one statement a file"
    clocks = (
        r"\b(now\(\)|current_timestamp|current_date|localtimestamp|clock_timestamp|statement_timestamp|transaction_timestamp)"
    )
    assert not re.search(clocks, body.replace("substrate_now()", ""), re.IGNORECASE), "thoth.substrate_now() is the one clock"
    assert not re.findall(r"(?<![\w.])substrate_\w+\.(?!\w)|\b(?:from|join|into|update)\s+substrate_", body), "written thoth.…"


def test_no_statement_is_written_in_python() -> None:
    """The migrator, the pool's way into a transaction and months.DETACH are the audited exceptions."""
    verb = re.compile(r"^\s*(select|insert|update|delete|with|alter|create|drop|truncate)\s+\S+", re.IGNORECASE)
    found = {
        f"{module.path}:{call.lineno}"
        for module in modules()
        for call in _sql_calls(module)
        if call.args and verb.match(_literal(call.args[0]))
    }
    allowed = ("thoth_substrate/db/pool.py", "thoth_substrate/db/migrate.py", "thoth_substrate/db/embedded.py")
    assert {place for place in found if not place.startswith(allowed)} == set()


def test_statements_are_never_composed() -> None:
    composing = {
        f"{module.path}:{call.lineno}"
        for module in modules()
        for call in _sql_calls(module)
        if call.args and isinstance(call.args[0], (ast.JoinedStr, ast.BinOp))
    }
    assert composing == set()


def _sql_calls(module: Module) -> Iterator[ast.Call]:
    names = ("execute", "fetch", "fetch_one", "fetchrow", "fetchval", "executemany", "top_level")
    for function in functions(module.tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
                yield node


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _header(query: Query[Any]) -> str:
    return query.text.split("\n", 1)[0].partition("(")[2].rpartition(")")[0]


def _described(ground: psycopg.Connection, query: Query[Any]) -> pq.abc.PGresult:
    prepared = ground.pgconn.prepare(b"", query.text.encode())
    assert prepared.status == pq.ExecStatus.COMMAND_OK, prepared.error_message.decode()
    return ground.pgconn.describe_prepared(b"")


def _kind(ground: psycopg.Connection, oid: int) -> str:
    row = ground.execute("select format_type(%s, null)", [oid]).fetchone()
    assert row is not None
    return str(row[0])


def _fits(given: str, hint: Any) -> bool:
    """Whether a column's type can be the field's. jsonb comes decoded, as anything."""
    wanted = [part for part in _parts(hint) if part is not type(None)]
    if Any in wanted or given in ("json", "jsonb"):
        return True
    if given.endswith("[]"):
        return any(typing.get_origin(part) in (list, tuple, Sequence) for part in wanted)
    return PYTHON.get(given, str) in wanted or any(typing.get_origin(part) is typing.Literal for part in wanted)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
