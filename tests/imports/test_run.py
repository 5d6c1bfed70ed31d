"""Importing into a real database, through the real perceiver: once each, dated as it was, resumable."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.conftest import TENANT
from tests.imports import test_chats, test_ics, test_mail
from tests.imports.files import document, jsonl
from tests.imports.test_claude_code import line, transcript
from tests.imports.test_locomo import SAMPLE
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import DatabaseUnavailable, JournalFull, UnreadableFile
from thoth_substrate.imports import run
from thoth_substrate.imports.run import ImportReport, run_import
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.perceive.streams import register
from thoth_substrate.settings import load

Rows = list[tuple[Any, ...]]


@pytest.fixture
async def perceiver(tmp_path: Path, db: Database, clock: PinnedClock) -> AsyncIterator[Perceiver]:
    """A perceiver that flushes into the test's database."""
    await register(db)
    one = Perceiver(load(THOTH_HOME=str(tmp_path / "home")), clock)
    flusher = asyncio.create_task(one.run(db))
    yield one
    flusher.cancel()
    with suppress(asyncio.CancelledError):
        await flusher
    one.close()


@pytest.fixture
def imported(perceiver: Perceiver, db: Database) -> Callable[..., Any]:
    """Import a file for the test's tenant."""

    async def call(path: Path | str, **options: Any) -> ImportReport:
        given: dict[str, Any] = {"perceive": perceiver.perceive, "durable": perceiver.durable, "tenant": TENANT} | options
        return await run_import(given.pop("perceive"), given.pop("durable"), db, path, **given)

    return call


def rows(sql: psycopg.Connection, statement: str) -> Rows:
    return sql.execute(statement.encode()).fetchall()


def messages(path: Path, count: int) -> Path:
    return jsonl(path, [{"role": "user", "content": f"message {n}", "time": 1_700_000_000 + n} for n in range(count)])


async def test_a_2023_conversation_is_dated_2023_and_importing_it_twice_adds_nothing(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    """faults: an import of a 2023 conversation: every row is dated 2023."""
    path = document(tmp_path / "talk.json", [SAMPLE])
    first, second = await imported(path), await imported(path)
    assert (first.format, first.imported, first.duplicates, first.sessions) == ("locomo", 4, 0, 2)
    assert (second.imported, second.duplicates, second.resumed_after) == (0, 4, 0)
    assert (first.first.isoformat(), first.last.isoformat()) == ("2023-05-08T23:58:00+00:00", "2023-06-02T09:05:00+00:00")
    assert rows(sql, "select count(*), min(event_time)::date::text, max(event_time)::date::text from thoth.substrate_slices") == [
        (4, "2023-05-08", "2023-06-02")
    ]
    assert rows(sql, "select distinct anchored_at::date::text from thoth.substrate_salience") == [("2026-05-15",)]


async def test_a_file_that_was_moved_or_has_grown_adds_only_what_is_new(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    path = transcript(tmp_path / "session.jsonl")
    assert (await imported(path)).imported == 5
    (tmp_path / "archive").mkdir()
    moved = path.rename(tmp_path / "archive" / "old.jsonl")
    assert (await imported(moved)).imported == 0
    with moved.open("a") as file:
        file.write('{"type":"user","uuid":"00000000-0000-4000-8000-000000000007","sessionId":"s","message":{"role":"user"')
    half = await imported(moved)
    assert (half.imported, half.duplicates) == (0, 5)
    assert half.skipped["half-written at the end"] == 1
    with moved.open("a") as file:
        file.write(',"content":"One more."}}\n')
    grown = await imported(moved)
    assert (grown.imported, grown.duplicates) == (1, 5)
    assert rows(sql, "select count(*) from thoth.substrate_slices") == [(6,)]


async def test_a_session_that_lies_in_two_files_is_taken_once(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    await imported(jsonl(tmp_path / "a.jsonl", [line("user", 1, "One."), line("assistant", 2, "Two.")]))
    copied = [line("user", 1, "One.", sessionId="b"), line("assistant", 2, "Two.", sessionId="b")]
    report = await imported(jsonl(tmp_path / "b.jsonl", [*copied, line("user", 3, "Three.", sessionId="b")]))
    assert (report.imported, report.duplicates) == (1, 2)


async def test_an_interrupted_import_goes_on_where_it_was_durable(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH_EVENTS", 10)
    path = messages(tmp_path / "f.jsonl", 55)

    def interrupt(done: int, total: int, events: int) -> None:
        if events >= 20:
            importing.cancel()

    importing = asyncio.ensure_future(imported(path, progress=interrupt))
    with pytest.raises(asyncio.CancelledError):
        await importing
    position, finished = rows(sql, "select position, finished_at from thoth.substrate_imports")[0]
    assert finished is None
    assert position >= 20
    report = await imported(path)
    assert report.resumed_after == position
    assert report.imported + report.duplicates + position == 55
    assert rows(sql, "select count(*), count(distinct external_id) from thoth.substrate_slices") == [(55, 55)]
    assert rows(sql, "select position, imported, finished_at is not null from thoth.substrate_imports") == [(55, 55, True)]


async def test_a_database_that_takes_nothing_stops_the_import_and_loses_nothing(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    path = messages(tmp_path / "f.jsonl", 30)

    async def never(timeout_s: float) -> bool:
        return False

    with pytest.raises(DatabaseUnavailable, match="goes on where it stood"):
        await imported(path, durable=never)
    report = await imported(path)
    assert report.imported + report.duplicates == 30
    assert rows(sql, "select count(*) from thoth.substrate_slices") == [(30,)]


async def test_a_full_journal_is_waited_for(
    tmp_path: Path, imported: Callable[..., Any], perceiver: Perceiver, sql: psycopg.Connection
) -> None:
    calls = 0

    def perceive(event: Event) -> Ack:
        nonlocal calls
        calls += 1
        if calls % 7 == 0:
            raise JournalFull("The journal is full.")
        return perceiver.perceive(event)

    report = await imported(messages(tmp_path / "f.jsonl", 30), perceive=perceive)
    assert report.imported == 30
    assert rows(sql, "select count(*) from thoth.substrate_slices") == [(30,)]


async def test_what_perceive_refuses_or_drops_is_counted_with_its_place(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    """faults: content that contains our own <memory-context> block; a 5 MB tool result."""
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            {"role": "user", "content": "<memory-context>\nold words\n</memory-context>"},
            {"role": "user", "content": "x" * (17 << 20)},
            {"role": "tool", "name": "cat", "content": "line of output\n" * 350_000},
        ],
    )
    report = await imported(path)
    assert report.imported == 1
    assert sum(report.skipped.values()) == 2
    assert report.skipped["refused"] == 1
    assert all(report.examples[reason] for reason in report.skipped)
    assert rows(sql, "select length(text) > 5000000 from thoth.substrate_slices") == [(True,)]


async def test_naive_and_aware_times_of_one_batch_are_the_instants_they_mean(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    """faults: naive and aware datetimes in one batch; a user at UTC+8."""
    path = jsonl(
        tmp_path / "f.jsonl",
        [
            {"content": "I land at 12:45 today.", "time": "2025-07-25T10:00:00+08:00"},
            {"content": "Naive.", "time": "2025-07-25T02:30:00"},
            {"content": "Epoch.", "time": 1753412400},
        ],
    )
    await imported(path)
    assert rows(
        sql,
        "select (event_time at time zone 'UTC')::text, event_offset_s from thoth.substrate_slices order by event_time",
    ) == [("2025-07-25 02:00:00", 28800), ("2025-07-25 02:30:00", None), ("2025-07-25 03:00:00", None)]


async def test_history_added_out_of_order_keeps_its_own_dates(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    """faults: history added out of order: an older fact learned later."""
    await imported(jsonl(tmp_path / "new.jsonl", [{"content": "I live in Valencia.", "time": "2025-03-24", "session": "s"}]))
    await imported(jsonl(tmp_path / "old.jsonl", [{"content": "I live in Madrid.", "time": "2022-01-02", "session": "s"}]))
    told = rows(sql, "select text, event_time::date::text from thoth.substrate_slices order by slice_id")
    assert told == [("I live in Valencia.", "2025-03-24"), ("I live in Madrid.", "2022-01-02")]


async def test_two_tenants_import_the_same_file_each_for_itself(
    tmp_path: Path, imported: Callable[..., Any], perceiver: Perceiver, sql: psycopg.Connection
) -> None:
    path = messages(tmp_path / "f.jsonl", 3)
    await imported(path)
    report = await imported(path, perceive=lambda event: perceiver.perceive(event, tenant_id="other"), tenant="other")
    assert report.imported == 3
    assert rows(sql, "select tenant_id, count(*) from thoth.substrate_slices group by 1 order by 1") == [
        ("default", 3),
        ("other", 3),
    ]


async def test_standard_input_is_imported_once_too(
    imported: Callable[..., Any], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for expected in (2, 0):
        data = b'{"content": "one", "session": "s"}\n{"content": "two", "session": "s"}\n'
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert (await imported("-")).imported == expected
    assert rows(sql, "select count(*) from thoth.substrate_imports") == [(0,)]


async def test_progress_runs_to_the_end_and_the_row_says_what_was_skipped(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH_EVENTS", 10)
    path = messages(tmp_path / "f.jsonl", 25)
    with path.open("a") as file:
        file.write("not json\n")
    seen: list[tuple[int, int, int]] = []
    report = await imported(path, progress=lambda *place: seen.append(place))
    assert [events for _, _, events in seen] == [10, 20, 25]
    assert seen[-1][0] == seen[-1][1] == path.stat().st_size == report.bytes
    assert rows(sql, "select source, size, skipped from thoth.substrate_imports") == [("jsonl", report.bytes, {"not JSON": 1})]


async def test_a_file_whose_name_is_not_text_is_imported(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    assert (await imported(messages(path, 1))).imported == 1
    assert rows(sql, "select path from thoth.substrate_imports")[0][0].endswith("caf?.jsonl")


async def test_nul_and_surrogates_everywhere_in_a_message_are_stored(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    """faults: a NUL in content, in a metadata key, in an uploaded file; a lone surrogate as content."""
    path = tmp_path / "f.jsonl"
    path.write_text(r'{"content": "a\u0000b \ud83d", "id": "\u0000", "session": "s\u0000", "actor": "\udfff", "tool": "\u0000"}')
    assert (await imported(path)).imported == 1
    assert rows(sql, "select count(*) from thoth.substrate_slices") == [(1,)]
    assert (await imported(path)).duplicates == 1


async def test_an_unreadable_file_imports_nothing(tmp_path: Path, imported: Callable[..., Any]) -> None:
    (tmp_path / "f").write_text("Dear diary")
    with pytest.raises(UnreadableFile, match="claude-code"):
        await imported(tmp_path / "f")


async def test_every_format_is_stored_once_and_found_to_be_there_again(
    tmp_path: Path, imported: Callable[..., Any], sql: psycopg.Connection
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Keys\nThey are with Amparo.")
    telegram = document(tmp_path / "result.json", test_chats.CHAT)
    chat = tmp_path / "WhatsApp Chat with Ana.txt"
    chat.write_text("31/12/25, 23:59 - Ana: ok\n31/12/25, 23:59 - Ana: ok\n")
    calendar = test_ics.calendar(tmp_path / "a.ics", test_ics.entry("SUMMARY:Lunch", "DTSTART:20260302T120000Z"))
    files = {
        "document": (note, 1, "thoth.world.file"),
        "mail": (test_mail.mbox(tmp_path / "box", test_mail.PLAIN, test_mail.ANSWER), 2, "thoth.world.email"),
        "ics": (calendar, 1, "thoth.world.calendar"),
        "slack": (test_chats.slack(tmp_path / "export"), 4, "thoth.world.user_message.slack"),
        "telegram": (telegram, 2, "thoth.world.user_message.telegram"),
        "whatsapp": (chat, 2, "thoth.world.user_message.whatsapp"),
    }
    for name, (path, count, stream) in files.items():
        first, second = await imported(path), await imported(path)
        assert (first.format, first.imported, first.duplicates) == (name, count, 0)
        assert (second.imported, second.duplicates) == (0, count)
        found = sql.execute(
            "select count(*) from thoth.substrate_slices join thoth.substrate_streams using (stream_id) where stream = %s",
            [stream],
        ).fetchone()
        assert found == (count,)
