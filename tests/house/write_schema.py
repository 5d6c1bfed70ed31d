"""Writes `migrations/schema.sql`: the whole schema as the migrations leave it, read from the catalogues. `make schema`.

One file to read, in the order of dependence, each column with its unit. Executed in an empty database it makes the same
schema, which a test proves; months are left out, since they depend on the day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from tests import servers
from thoth_substrate.db.migrate import migrate, migrations_folder

HEAD = """\
-- The whole schema as it stands, written by `make schema` from the migrations: do not edit. Partitions by month are left
-- out, as they depend on the day. It needs the extensions vector, pg_trgm and pgcrypto, and the roles thoth_app and
-- thoth_worker.

set check_function_bodies = off;
create schema thoth;
"""
_RELATIONS = """
    select c.oid, relname, relispartition, relrowsecurity, relforcerowsecurity, pg_get_partkeydef(c.oid) as partition_key,
           pg_get_expr(relpartbound, c.oid) as bound, inhparent::regclass::text as parent,
           array_to_string(reloptions, ', ') as options, obj_description(c.oid) as comment
    from pg_class c left join pg_inherits on inhrelid = c.oid
    where relnamespace = 'thoth'::regnamespace and relkind in ('r', 'p') and relname !~ '_y[0-9]{4}m[0-9]{2}$'
      and relname <> 'substrate_schema_version'
    order by relispartition, relname
"""
_COLUMNS = """
    select attname, format_type(atttypid, atttypmod) as type, attnotnull, attidentity, pg_get_expr(adbin, adrelid) as fallback,
           case when attstorage <> typstorage then attstorage::text end as storage, col_description(attrelid, attnum) as comment
    from pg_attribute join pg_type t on t.oid = atttypid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = %s and attnum > 0 and not attisdropped order by attnum
"""
_CONSTRAINTS = """
    select conname, contype::text as kind, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = %s and contype in ('c', 'p', 'u', 'f') and conparentid = 0
    order by array_position('{p,u,c,f}', contype::text), conname
"""
_INDEXES = """
    select pg_get_indexdef(indexrelid) as definition from pg_index join pg_class c on c.oid = indexrelid
    where indrelid = %s and not c.relispartition and not exists (select from pg_constraint where conindid = indexrelid) order by 1
"""
_FUNCTIONS = """
    select oid::regprocedure::text as name, pg_get_functiondef(oid) as definition, obj_description(oid, 'pg_proc') as comment,
           proacl is not null and not exists (select from aclexplode(proacl) where grantee = 0) as closed,
           array(select grantee::regrole::text from aclexplode(proacl) where grantee not in (0, proowner) order by 1) as grantees
    from pg_proc where pronamespace = 'thoth'::regnamespace order by oid
"""
_TRIGGERS = """
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = %s and not tgisinternal and tgparentid = 0 order by tgname
"""
_POLICIES = """
    select policyname, array_to_string(roles, ', ') as roles, lower(cmd) as command, qual, with_check from pg_policies
    where schemaname = 'thoth' and tablename = %s order by policyname
"""
_GRANTS = """
    with relation as (select * from pg_class where oid = %s),
    granted as (
        select (aclexplode(relacl)).*, null as attname from relation
        union all
        select (aclexplode(attacl)).*, attname::text from pg_attribute
        where attrelid = (select oid from relation) and attacl is not null
    )
    select grantee::regrole::text as grantee, lower(privilege_type) as privilege, string_agg(attname, ', ') as columns
    from granted
    where grantee <> (select relowner from relation) group by grantee, privilege_type, attname is null order by 1, 2
"""
_SEQUENCES = """
    select c.oid, relname, format_type(seqtypid, null) as type, seqcache, obj_description(c.oid) as comment
    from pg_class c join pg_sequence on seqrelid = c.oid
    where relnamespace = 'thoth'::regnamespace and not exists (select from pg_depend where objid = c.oid and deptype = 'i')
    order by relname
"""
_USAGE = """
    select grantee::regrole::text as grantee from pg_namespace, aclexplode(nspacl)
    where nspname = 'thoth' and grantee <> nspowner order by 1
"""
_STORAGE = {"p": "plain", "e": "external", "m": "main", "x": "extended"}

Row = dict[str, Any]


class Catalogue:
    """Reads the catalogues of a migrated database and writes them as statements."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def schema(self) -> str:
        """The whole file."""
        relations = self._ask(_RELATIONS)
        comment = self._ask("select obj_description('thoth'::regnamespace) as comment")[0]["comment"]
        parts = [HEAD, _comment("schema", "thoth", comment)]
        parts += [f"grant usage on schema thoth to {row['grantee']};\n" for row in self._ask(_USAGE)]
        parts += [self._sequence(row) for row in self._ask(_SEQUENCES)]
        parts += [_function(row) for row in self._ask(_FUNCTIONS)]
        parts += [self._partition(row) if row["relispartition"] else self._table(row) for row in relations]
        parts += ["\n", *(line for row in relations for line in self._foreign_keys(row))]
        parts += ["\n", *self._profiles()]
        return "".join(parts)

    def _ask(self, statement: str, *arguments: object) -> list[Row]:
        with self._connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(statement.encode(), arguments).fetchall()

    def _table(self, table: Row) -> str:
        name = f"thoth.{table['relname']}"
        columns = self._ask(_COLUMNS, table["oid"])
        constraints = [row for row in self._ask(_CONSTRAINTS, table["oid"]) if row["kind"] != "f"]
        body = [_column(row) for row in columns] + [f"constraint {row['conname']} {row['definition']}" for row in constraints]
        partitioned = f" partition by {table['partition_key'].lower()}" if table["partition_key"] else ""
        options = f" with ({table['options']})" if table["options"] else ""
        lines = [f"\ncreate table {name} (\n    " + ",\n    ".join(body) + f"\n){partitioned}{options};\n"]
        stored = [row for row in columns if row["storage"]]
        lines += [f"alter table {name} alter {row['attname']} set storage {_STORAGE[row['storage']]};\n" for row in stored]
        lines += [_comment("table", name, table["comment"])]
        lines += [_comment("column", f"{name}.{row['attname']}", row["comment"]) for row in columns]
        lines += [row["definition"] + ";\n" for row in (*self._ask(_INDEXES, table["oid"]), *self._ask(_TRIGGERS, table["oid"]))]
        return "".join([*lines, *self._security(table)])

    def _security(self, table: Row) -> Iterator[str]:
        name = f"thoth.{table['relname']}"
        if table["relrowsecurity"]:
            yield f"alter table {name} enable row level security;\n"
        if table["relforcerowsecurity"]:
            yield f"alter table {name} force row level security;\n"
        for row in self._ask(_POLICIES, table["relname"]):
            check = f" with check ({row['with_check']})" if row["with_check"] else ""
            who = f"for {row['command']} to {row['roles']}"
            yield f"create policy {row['policyname']} on {name} {who} using ({row['qual']}){check};\n"
        yield from self._grants(name, table["oid"])

    def _grants(self, name: str, oid: int) -> Iterator[str]:
        granted = defaultdict[str, list[str]](list)
        for row in self._ask(_GRANTS, oid):
            granted[row["grantee"]].append(row["privilege"] + (f" ({row['columns']})" if row["columns"] else ""))
        for grantee, privileges in granted.items():
            yield f"grant {', '.join(privileges)} on {name} to {grantee};\n"

    def _partition(self, table: Row) -> str:
        name = f"thoth.{table['relname']}"
        options = f" with ({table['options']})" if table["options"] else ""
        made = f"create table {name} partition of {table['parent']} {table['bound'].lower()}{options};\n"
        return made + "".join(row["definition"] + ";\n" for row in self._ask(_INDEXES, table["oid"]))

    def _sequence(self, row: Row) -> str:
        name = f"thoth.{row['relname']}"
        grants = "".join(self._grants(f"sequence {name}", row["oid"]))
        made = f"\ncreate sequence {name} as {row['type']} cache {row['seqcache']};\n"
        return made + _comment("sequence", name, row["comment"]) + grants

    def _foreign_keys(self, table: Row) -> Iterator[str]:
        for row in self._ask(_CONSTRAINTS, table["oid"]):
            if row["kind"] == "f":
                yield f"alter table thoth.{table['relname']} add constraint {row['conname']} {row['definition']};\n"

    def _profiles(self) -> Iterator[str]:
        for row in self._ask("select * from thoth.substrate_profiles order by profile"):
            values = ", ".join(sql.Literal(value).as_string() for value in row.values())
            yield f"insert into thoth.substrate_profiles ({', '.join(row)})\n    values ({values});\n"


def written(dsn: str) -> str:
    """The schema of a migrated database as one file."""
    with psycopg.connect(dsn) as connection:
        connection.execute("set search_path = ''")  # every name is written in full
        return Catalogue(connection).schema()


def schema_file() -> Path:
    return migrations_folder() / "schema.sql"


def main() -> None:
    with servers.any_server() as server, servers.empty_database(server) as dsn:
        migrate(dsn)
        schema_file().write_text(written(dsn), encoding="utf-8")


def _column(row: Row) -> str:
    words = [row["attname"], row["type"]]
    if row["attidentity"]:
        words.append(f"generated {'always' if row['attidentity'] == 'a' else 'by default'} as identity")
    elif row["fallback"]:
        words.append(f"default {row['fallback']}")
    if row["attnotnull"]:
        words.append("not null")
    return " ".join(words)


def _function(row: Row) -> str:
    closed = [f"revoke all on function {row['name']} from public;\n"] if row["closed"] else []
    grants = [f"grant execute on function {row['name']} to {grantee};\n" for grantee in row["grantees"]]
    return f"\n{row['definition'].rstrip()};\n{_comment('function', row['name'], row['comment'])}{''.join(closed + grants)}"


def _comment(kind: str, name: str, text: str | None) -> str:
    return f"comment on {kind} {name} is {sql.Literal(text).as_string()};\n" if text else ""


if __name__ == "__main__":
    main()
