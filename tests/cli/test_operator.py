"""Health, doctor, migrate: for a tired operator at 3 a.m."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import psycopg

from tests import servers
from tests.cli.conftest import Thoth, environment, program
from tests.views.seed import a_slice


def _verdicts(found: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in found["checks"]}


def test_health_of_a_quiet_memory_is_well(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    seeded.execute("insert into thoth.substrate_agents (agent, heartbeat_at) values ('sentinel', %s)", [now])
    found = thoth("substrate", "health", "--json").json
    assert found["well"]
    assert set(_verdicts(found).values()) <= {"ok", "info"}
    assert "All well." in thoth("substrate", "health").err


def test_health_is_unwell_when_what_is_perceived_waits_and_nobody_works(
    thoth: Thoth, seeded: psycopg.Connection, now: datetime
) -> None:
    a_slice(seeded, now, triage="pending")
    ran = thoth("substrate", "health", expect=1)
    assert "→ thoth up" in ran.out
    assert "bad" in ran.err


def test_health_and_doctor_say_that_watched_files_could_not_be_read(
    thoth: Thoth, seeded: psycopg.Connection, now: datetime
) -> None:  # fmt: skip
    seeded.execute("insert into thoth.substrate_agents (agent, heartbeat_at) values ('sentinel', %s)", [now])
    seeded.execute(
        "insert into thoth.substrate_files (tenant_id, file_id, host, root, path, state, size, mtime_ns, seen_sha256)"
        " values ('default', gen_random_uuid(), 'h', '/r', 'a.pdf', 'failed', 1, 1, '')"
    )
    seeded.execute("insert into thoth.substrate_roots (tenant_id, host, root) values ('default', 'h', '/r')")
    for ran in (thoth("substrate", "health"), thoth("substrate", "doctor", expect=_code_of_doctor(seeded))):
        assert "1 file could not be read" in ran.out
        assert "→ thoth watch --list" in ran.out
    assert "a.pdf" in thoth("watch", "--list").out


def test_health_without_a_database_says_so_in_the_same_shape(tmp_path: Path) -> None:
    ran = program("substrate", "health", "--json", env=environment("postgresql://nobody@127.0.0.1:1/nothing", tmp_path))
    assert ran.code == 3
    assert [check["name"] for check in ran.json["checks"]] == ["database"]
    assert ran.json["checks"][0]["do"]


def test_doctor_looks_at_machine_settings_and_server(thoth: Thoth, seeded: psycopg.Connection) -> None:
    ran = thoth("substrate", "doctor", "--json", expect=_code_of_doctor(seeded))
    verdicts = _verdicts(ran.json)
    assert list(verdicts)[:3] == ["home", "journal", "settings"]
    for name in ("schema", "extensions", "roles", "row security", "partitions", "indexes", "clock", "writable", "encoding"):
        assert verdicts[name] == "ok", name


def _code_of_doctor(sql: psycopg.Connection) -> int:
    """Test servers often run without fsync, which doctor rightly calls bad."""
    row = sql.execute("select current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on'").fetchone()
    assert row is not None
    return 0 if row[0] else 1


def test_doctor_names_what_is_broken_and_what_to_type(thoth: Thoth, seeded: psycopg.Connection) -> None:
    seeded.execute("alter table thoth.substrate_postings no force row level security")
    row = seeded.execute(
        "select indexname from pg_indexes where tablename = 'substrate_terms_h03' and indexdef ilike '%using gist%'"
    ).fetchone()
    assert row is not None
    seeded.execute(f"drop index thoth.{row[0]}".encode())
    ran = thoth(
        "substrate",
        "doctor",
        expect=1,
        env={"THOTH_RECALL_EMBED_BUDGET_MS": "500", "THOTH_SUBSTRATE_RECALL": "1", "THOTH_SUBSTRATE_SENTINEL": "0"},
    )
    assert "FORCE ROW LEVEL SECURITY" in ran.out
    assert "CREATE INDEX CONCURRENTLY ON thoth.substrate_terms_h03" in ran.out
    assert "THOTH_RECALL_EMBED_BUDGET_MS" in ran.out
    assert "Sentinel off" in ran.out


def test_doctor_without_a_database_still_looks_at_the_rest(tmp_path: Path) -> None:
    ran = program("substrate", "doctor", env=environment("postgresql://nobody@127.0.0.1:1/nothing", tmp_path))
    assert ran.code == 3
    assert "home" in ran.out
    assert "unset DATABASE_URL" in ran.out


def test_doctor_sees_a_home_that_cannot_be_written(thoth: Thoth, tmp_path: Path) -> None:
    """faults: boot in a read-only home"""
    (tmp_path / "file").write_text("")
    ran = thoth("substrate", "doctor", "--json", expect=1, env={"THOTH_HOME": str(tmp_path / "file" / "home")})
    assert _verdicts(ran.json)["home"] == "bad"


def test_migrate_brings_an_empty_database_up_and_says_where_it_stands(thoth: Thoth, server_dsn: str) -> None:
    with servers.empty_database(server_dsn) as empty:
        ran = thoth("substrate", "migrate", "--check", expect=1, env={"DATABASE_URL": empty})
        assert "thoth substrate migrate" in ran.out
        found = thoth("substrate", "migrate", "--json").json
        assert (found["before"], found["revision"]) == (None, found["needed"])
        assert "up to date" in thoth("substrate", "migrate", "--check").out
        assert "no revision nope" in thoth("substrate", "migrate", "--to", "nope", expect=2).err
        assert "drops tables" in thoth("substrate", "migrate", "--to", "base", expect=2).err
        assert "to no revision" in thoth("substrate", "migrate", "--to", "base", "--yes").out


def test_without_auto_migrate_an_old_schema_is_one_sentence(thoth: Thoth, server_dsn: str) -> None:
    """faults: a database several revisions behind, or ahead"""
    with servers.empty_database(server_dsn) as empty:
        ran = thoth("substrate", expect=3, env={"DATABASE_URL": empty, "THOTH_AUTO_MIGRATE": "0"})
        assert "thoth substrate migrate" in ran.err
        assert len(ran.err.strip().splitlines()) == 1
