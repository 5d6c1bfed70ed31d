"""From an event to its rows: every value as it is stored, on the real database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import orjson
import psycopg
import pytest

from tests.perceive.support import CLI, PATIENCE_S, TOOL_RESULT, column, flushed, flushing, replayed, said, settings, texts
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ids import ingest_time
from thoth_substrate.perceive import buffer
from thoth_substrate.perceive.perceiver import Perceiver

BLOCK = "<memory-context>\n[101] Anna lives in Berlin\n</memory-context>"
PIXEL = "data:image/png;base64," + "iVBORw0KGgo" * 8


async def stored(perceiver: Perceiver, db: Database, sql: psycopg.Connection, **event: Any) -> dict[str, Any]:
    """Perceive one event and answer its row."""
    ack = perceiver.perceive(said(**event))
    assert ack.slice_id is not None
    await flushed(perceiver, db)
    with sql.cursor(row_factory=psycopg.rows.dict_row) as cursor:
        row = cursor.execute(
            "select *, sha256(convert_to(text, 'UTF8')) = content_hash as hashed from thoth.substrate_slices"
            " join thoth.substrate_streams using (stream_id) where slice_id = %s",
            (ack.slice_id,),
        ).fetchone()
    assert row is not None
    assert row["hashed"]
    return row


async def test_an_event_becomes_a_slice_with_its_queue_and_salience(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    row = await stored(perceiver, db, sql, text="I moved to Berlin", session="s1", metadata={"k": "v"})
    assert (row["tenant_id"], row["stream"], row["session_id"], row["actor"]) == ("default", CLI, "s1", "user")
    assert (row["text"], row["payload"], row["metadata"]) == ("I moved to Berlin", None, {"k": "v"})
    assert (row["triage_state"], row["consolidation_state"], row["trust"]) == ("pending", "unconsolidated", 1.0)
    assert row["ingest_time"] == row["event_time"] == clock.now() == ingest_time(row["slice_id"])
    assert sql.execute("select tenant_id, slice_id, profile, queued_at from thoth.substrate_pending").fetchall() == [
        ("default", row["slice_id"], "default-text", clock.now())
    ]
    anchor, anchored_at, half_life, fades_at, releasable = sql.execute(
        "select anchor, anchored_at, half_life, fades_at, releasable from thoth.substrate_salience"
    ).fetchall()[0]
    assert (anchor, anchored_at, half_life, releasable) == (1.0, clock.now(), timedelta(days=14), False)
    assert abs(fades_at - clock.now() - timedelta(days=14 * 4.321928)) < timedelta(seconds=10)
    assert column(sql, "select tenant_id from thoth.substrate_tenants") == ["default"]


async def test_a_profile_that_releases_unconsolidated_slices_makes_them_releasable(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    sql.execute("update thoth.substrate_profiles set release_unconsolidated_after = '100 days' where profile = 'default-text'")
    await stored(perceiver, db, sql, text="x")
    assert sql.execute("select releasable, fades_at from thoth.substrate_salience").fetchall() == [
        (True, clock.now() + timedelta(days=100))
    ]


@pytest.mark.parametrize(
    ("given", "at", "offset_s"),
    [
        (None, datetime(2026, 5, 15, 12, tzinfo=UTC), None),
        (datetime(2023, 5, 7, 13, 56), datetime(2023, 5, 7, 13, 56, tzinfo=UTC), None),
        (datetime(2023, 5, 7, 12, 45, tzinfo=timezone(timedelta(hours=8))), datetime(2023, 5, 7, 4, 45, tzinfo=UTC), 28800),
        (datetime(2025, 7, 25, 2, tzinfo=UTC), datetime(2025, 7, 25, 2, tzinfo=UTC), 0),
        (datetime(2031, 1, 1, 0, 0, 0, 123456, tzinfo=UTC), datetime(2031, 1, 1, 0, 0, 0, 123456, tzinfo=UTC), 0),
        (datetime(1, 1, 2), datetime(1, 1, 2, tzinfo=UTC), None),
    ],
)
async def test_event_times_are_kept_to_the_microsecond_with_their_offset(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, given: datetime | None, at: datetime, offset_s: int | None
) -> None:
    """faults: naive and aware datetimes in one batch; a user at UTC+8; event times in the future; a 2023 conversation."""
    perceiver.perceive(said("company in the batch", event_time=datetime(2020, 1, 1)))
    row = await stored(perceiver, db, sql, text="x", event_time=given)
    assert (row["event_time"], row["event_offset_s"]) == (at, offset_s)
    assert row["ingest_time"] == perceiver._clock.now()


@pytest.mark.parametrize(
    "bad", [datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), datetime.min, "yesterday", date(2023, 1, 1)]
)
def test_a_time_that_is_none_is_refused_in_a_sentence(perceiver: Perceiver, bad: Any) -> None:
    with pytest.raises(BadInput, match="nothing was stored"):
        perceiver.perceive(said("x", event_time=bad))


@pytest.mark.parametrize(
    ("stream", "actor"),
    [(CLI, "user"), ("thoth.self_action.assistant_response", "assistant"), (TOOL_RESULT, "tool"),
     ("thoth.self_state.cron_dispatch", "system")],
)  # fmt: skip
async def test_session_and_actor_have_sensible_defaults(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, stream: str, actor: str
) -> None:
    row = await stored(perceiver, db, sql, text="x", stream=stream, event_time=datetime(2023, 5, 7))
    assert (row["actor"], row["session_id"]) == (actor, f"{stream}/2023-05-07")


async def test_names_of_any_kind_and_length_can_be_keys(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    long = "é" * 5000
    row = await stored(perceiver, db, sql, text="x", session=12345, actor=long, external_id=long, source="a\x00b")
    other = await stored(perceiver, db, sql, text="y", external_id=long + "2", source="a\x00b")
    assert row["session_id"] == "12345"
    assert len(row["actor"]) < 200
    assert row["external_id"] != other["external_id"]
    assert column(sql, "select distinct source from thoth.substrate_external_ids") == ["a�b"]


async def test_nuls_and_surrogates_are_stored_as_the_replacement_character(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    """faults: a NUL in content and in a metadata key; a lone surrogate as content."""
    row = await stored(perceiver, db, sql, text="a\x00b \ud83d c", session="s\x00", metadata={"k\x00": ["v\x00", "\ud83d"]})
    assert (row["text"], row["session_id"], row["metadata"]) == ("a�b � c", "s�", {"k�": ["v�", "�"]})
    row = await stored(perceiver, db, sql, text={"k\x00": "\ud83d", "path": "C:\\u0000"})
    assert row["payload"] == {"k�": "�", "path": "C:\\u0000"}


@pytest.mark.parametrize(
    "text", ["<|endoftext|>", "<|im_start|>system", "我搬到柏林 สวัสดี مرحبا 😀", "' ; drop table x; --", "\\", "\x01\x7f"]
)
async def test_any_text_is_stored_as_it_is(perceiver: Perceiver, db: Database, sql: psycopg.Connection, text: str) -> None:
    """faults: <|endoftext|>; Chinese, Thai, Arabic, mixed scripts, never turned into escapes."""
    row = await stored(perceiver, db, sql, text=text, metadata={text: text})
    assert row["text"] == text
    assert row["metadata"] == {text: text}
    row = await stored(perceiver, db, sql, text=[{"type": "text", "text": text}])
    assert row["text"] == text


async def test_structured_content_keeps_its_original_and_its_words(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    """faults: content as an array of parts; images as data URLs; an unknown role."""
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    row = await stored(perceiver, db, sql, text={"role": "narrator", "content": parts})
    assert (row["text"], row["actor"]) == ("Look", "narrator")
    assert row["payload"]["content"][1]["image_url"]["url"] == "[image/png, 66 bytes]"
    row = await stored(perceiver, db, sql, text=f"See {PIXEL}")
    assert row["text"] == "See [image/png, 66 bytes]"


async def test_secrets_never_reach_the_database(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: API keys, passwords and card numbers inside messages and tool results."""
    card, key = "4111 1111 1111 1111", "AKIA" + "IOSFODNN7EXAMPLE"
    await stored(perceiver, db, sql, text=f"password: hunter2, card {card}", metadata={"header": f"key {key}"})
    await stored(perceiver, db, sql, text={"env": {"PASSWORD": "hunter2"}, "out": [f"pay {card} with {key}"]}, stream=TOOL_RESULT)
    everything = str(sql.execute("select text, payload, metadata from thoth.substrate_slices").fetchall())
    assert not any(secret in everything for secret in ("hunter2", card, key))
    assert everything.count("[redacted:") == 9
    assert perceiver.stats().redacted == 6


async def test_redaction_can_be_switched_off(db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock) -> None:
    frank = Perceiver(settings(tmp_path, THOTH_REDACT_SECRETS="0"), clock)
    assert (await stored(frank, db, sql, text="password: hunter2"))["text"] == "password: hunter2"
    frank.close()


async def test_our_own_block_is_never_perceived_again(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: content that contains our own <memory-context> block."""
    assert perceiver.perceive(said(BLOCK)).dropped == "own context"
    assert perceiver.perceive(said([{"type": "text", "text": BLOCK}])).dropped == "own context"
    row = await stored(perceiver, db, sql, text=f"{BLOCK}\n\nWhere does Anna live?")
    assert row["text"] == "Where does Anna live?"
    row = await stored(perceiver, db, sql, text={"role": "user", "content": [{"type": "text", "text": f"{BLOCK} Hi"}]})
    assert (row["text"], "Berlin" in orjson.dumps(row["payload"]).decode()) == ("Hi", False)
    assert perceiver.stats().dropped == 2


@pytest.mark.parametrize("nothing", [None, "", "  \n", [], {}])
def test_nothing_is_dropped_as_a_value(perceiver: Perceiver, nothing: Any) -> None:
    ack = perceiver.perceive(said(nothing))
    assert (ack.slice_id, ack.dropped) == (None, "empty")


async def test_a_slice_has_a_longest_content(db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock) -> None:
    """faults: a 5 MB tool result is kept whole; what is longer than the setting is refused in a sentence."""
    mine = Perceiver(settings(tmp_path), clock)
    row = await stored(mine, db, sql, text={"log": "x y " * 1_310_720}, stream=TOOL_RESULT)
    assert len(row["text"]) > 5_000_000
    mine.close()
    small = Perceiver(settings(tmp_path, THOTH_SLICE_MAX_BYTES="1024"), clock)
    for content, metadata in (("é" * 600, {}), ("x" * 2000, {}), ({"a": "x" * 2000}, {}), ("x", {"a": "x" * 2000})):
        with pytest.raises(BadInput, match="THOTH_SLICE_MAX_BYTES"):
            small.perceive(said(content, metadata=metadata))
    assert small.perceive(said("\n" * 600 + "x")).slice_id is not None
    small.close()


@pytest.mark.parametrize(("tenant", "metadata"), [("", {}), ("a b", {}), ("é", {}), ("x" * 65, {}), ("a\x00", {}), ("ok", 5)])
def test_what_names_no_tenant_and_no_mapping_is_refused(perceiver: Perceiver, tenant: str, metadata: Any) -> None:
    with pytest.raises(BadInput, match="nothing was stored"):
        perceiver.perceive(said("x", metadata=metadata), tenant_id=tenant)


async def test_an_external_id_is_stored_once_for_each_tenant_and_source(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    """faults: two upserts of one document. The first wins, within a batch and across batches; the rest are counted."""
    for _ in range(2):
        perceiver.perceive(said("first", external_id="7", source="slack"))
        perceiver.perceive(said("again", external_id="7", source="slack"))
        perceiver.perceive(said("other source", external_id="7", source="mail"))
        perceiver.perceive(said("other tenant", external_id="7", source="slack"), tenant_id="b")
        perceiver.perceive(said("no id"))
        await flushed(perceiver, db)
    assert sorted(texts(sql)) == ["first", "no id", "no id", "other source", "other tenant"]
    assert perceiver.stats().duplicates == 5
    assert perceiver.stats().flushed == 5


async def test_a_batch_of_many_tenants_reaches_each_ones_rows(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    for n in range(60):
        perceiver.perceive(said(f"t{n % 3} says {n}"), tenant_id=f"t{n % 3}")
    await flushed(perceiver, db)
    rows = sql.execute("select tenant_id, text from thoth.substrate_slices").fetchall()
    assert len(rows) == 60
    assert all(text.startswith(f"{tenant} ") for tenant, text in rows)
    assert column(sql, "select tenant_id from thoth.substrate_tenants order by 1") == ["t0", "t1", "t2"]


async def test_one_notification_goes_out_for_each_batch(perceiver: Perceiver, db: Database, dsn: str) -> None:
    listener = await asyncpg.connect(dsn)
    heard: list[str] = []
    await listener.add_listener("thoth_pending", lambda *args: heard.append(args[-1]))
    for n in range(100):
        perceiver.perceive(said(f"{n}"))
    await flushed(perceiver, db)
    await listener.fetchval("select 1")
    assert heard == ["default"]
    await listener.close()


async def test_a_month_that_nobody_made_is_made(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    """faults: a month whose partition does not exist yet."""
    clock.advance(timedelta(days=20))
    perceiver.perceive(said("before"))
    clock.advance(timedelta(days=365 * 4))
    perceiver.perceive(said("after"))
    await flushed(perceiver, db)
    assert texts(sql) == ["before", "after"]
    assert column(sql, "select to_regclass('thoth.substrate_slices_y2030m06') is not null") == [True]


async def test_hosts_that_meet_a_missing_month_at_once_all_write_into_it(
    dsn: str, db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    """Once a slice was rejected here: the host that came second found the month made and took its own row for bad."""
    clock.advance(timedelta(days=3000))
    hosts = [Perceiver(settings(tmp_path / str(n)), clock) for n in range(4)]
    for number, host in enumerate(hosts):
        host.perceive(said(f"{number}"))
    await asyncio.gather(*(flushed(host, db) for host in hosts))
    assert sorted(texts(sql)) == ["0", "1", "2", "3"]
    for host in hosts:
        host.close()


@pytest.fixture
def poison(sql: psycopg.Connection) -> Iterator[None]:
    """A database that will never take certain words."""
    sql.execute("alter table thoth.substrate_slices add constraint no_poison check (text not like 'poison%')")
    yield
    sql.execute("alter table thoth.substrate_slices drop constraint no_poison")


async def test_a_row_that_can_never_be_written_is_set_aside_and_holds_nobody_back(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, poison: None, caplog: pytest.LogCaptureFixture
) -> None:
    """faults: one poisoned item that fails identically forever."""
    for n in range(50):
        perceiver.perceive(said(f"poison {n}" if n in (7, 8, 40) else f"good {n}"))
    await flushed(perceiver, db)
    assert len(texts(sql)) == 47
    stats = perceiver.stats()
    assert (stats.rejected, stats.flushed, stats.waiting, stats.journal_bytes) == (3, 47, 0, 16)
    (aside,) = perceiver._buffer.journal.directory.glob("*.rejected")
    assert aside.stat().st_mode & 0o777 == 0o600
    kept = [orjson.loads(line) for line in aside.read_bytes().splitlines()]
    assert sorted(line["record"][-1] for line in kept) == ["poison 40", "poison 7", "poison 8"]
    assert all("no_poison" in line["reason"] for line in kept)
    assert "set aside" in caplog.text


async def test_a_value_that_the_driver_cannot_send_is_set_aside_too(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    perceiver._buffer.put(b'[1,"default","no uuid","thoth.world.note","s","a",null,null,null,null,{},"bad"]')
    perceiver._buffer.put(b'[1,"default",7,"thoth.world.note","s","a",null,"x",null,null,{},"bad"]')
    perceiver.perceive(said("good"))
    await flushed(perceiver, db)
    assert texts(sql) == ["good"]
    assert (perceiver.stats().rejected, perceiver.stats().last_failure) == (2, None)


async def test_large_slices_fill_the_memory_only_up_to_its_bound(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults: 10,000 events of 100 KB each. Beyond the bound in bytes they wait in the journal, and in order."""
    monkeypatch.setattr(buffer, "BUFFER_BYTES", 1_000_000)
    for n in range(60):
        perceiver.perceive(said(f"{n:02} " + "x" * 100_000))
    assert perceiver._buffer._bytes <= 1_000_000
    assert perceiver.stats().buffered < 10
    await flushed(perceiver, db)
    assert [text[:2] for text in texts(sql)] == [f"{n:02}" for n in range(60)]


async def test_perceiving_is_safe_from_many_threads(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: a sync host. Eight threads at once, a flusher on another loop."""
    acks: list[UUID | None] = []

    def talk(thread: int) -> None:
        acks.extend(perceiver.perceive(said(f"{thread}-{n}", session=str(thread))).slice_id for n in range(250))

    async with flushing(perceiver, db):
        threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert await perceiver.durable(PATIENCE_S)
    assert sorted(column(sql, "select slice_id from thoth.substrate_slices")) == sorted(ack for ack in acks if ack)
    assert len(set(acks)) == 2000
    for number in range(8):
        said_by = column(sql, f"select text from thoth.substrate_slices where session_id = '{number}' order by slice_id")
        assert said_by == [f"{number}-{n}" for n in range(250)]


async def test_durable_may_be_awaited_on_another_loop(perceiver: Perceiver, db: Database, sql: psycopg.Connection) -> None:
    """faults: a host with its own event loop."""

    def host() -> bool:
        async def turn() -> bool:
            perceiver.perceive(said("from the host"))
            return await perceiver.durable(PATIENCE_S)

        return asyncio.run(turn())

    async with flushing(perceiver, db):
        assert await asyncio.to_thread(host)
        assert texts(sql) == ["from the host"]
        assert await perceiver.durable(0.0)


async def test_durable_says_no_when_nobody_flushes(perceiver: Perceiver) -> None:
    assert await perceiver.durable(0.01)
    perceiver.perceive(said("x"))
    assert not await perceiver.durable(0.01)


async def test_a_last_flush_is_made_when_the_flusher_is_cancelled(
    perceiver: Perceiver, db: Database, sql: psycopg.Connection
) -> None:
    """faults: SIGTERM in the middle of a tick."""
    async with flushing(perceiver, db):
        perceiver.perceive(said("first"))
        assert await perceiver.durable(PATIENCE_S)
        for n in range(1199):
            perceiver.perceive(said(f"{n}"))
    assert len(texts(sql)) == 1200
    assert perceiver.stats().waiting == 0


async def test_what_is_perceived_after_closing_waits_for_the_next_start(
    db: Database, sql: psycopg.Connection, tmp_path: Path, clock: PinnedClock
) -> None:
    first = Perceiver(settings(tmp_path), clock)
    await flushed(first, db)
    first.close()
    first.perceive(said("late"))
    first.close()
    second = Perceiver(settings(tmp_path), clock)
    await replayed(second, db, 1)
    second.close()
    assert texts(sql) == ["late"]
    assert list((tmp_path / "journal").iterdir()) == []
