"""`/v1/memories` over HTTP, as a client uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import httpx2
import psycopg

from tests.memories.support import digested, told_of
from tests.server.serving import Served, serving
from tests.support import count
from tests.waiting import until_async
from thoth_substrate.boot import open_database
from thoth_substrate.db.pool import Database
from thoth_substrate.triage.index import index
from thoth_substrate.triage.pass_pending import triage

T = TypeVar("T")

MEMORIES = "/v1/memories"


def make(served: Served, content: Any, **more: Any) -> str:
    """A memory's id."""
    made = served.client.post(MEMORIES, json={"content": content, **more})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def listed(served: Served, **filters: Any) -> list[str]:
    answer = served.client.get(MEMORIES, params=filters)
    assert answer.status_code == 200, answer.text
    return [memory["text"] for memory in answer.json()["memories"]]


def test_a_memory_is_made_read_listed_changed_and_deleted(served: Served) -> None:
    made = served.client.post(MEMORIES, json={"content": "Maya lives in Porto.", "session": "s1", "metadata": {"n": 1}})
    first = made.json()["id"]
    assert (made.status_code, made.json()["state"], made.headers["location"]) == (201, "pending", f"/v1/memories/{first}")
    read = served.client.get(f"{MEMORIES}/{first}").json()
    assert (read["text"], read["state"], read["waits_for"], read["session"], read["stream"], read["metadata"]) == (
        "Maya lives in Porto.", "pending", ["triage"], "s1", "thoth.world.note", {"n": 1},
    )  # fmt: skip
    changed = served.client.patch(f"{MEMORIES}/{first}", json={"content": "Maya lives in Lisbon.", "metadata": {"m": 2}})
    assert changed.status_code == 200, changed.text
    second = changed.json()
    assert (second["replaces"], second["version"], second["memory"]["metadata"]) == (first, 2, {"n": 1, "m": 2})
    assert second["memory"]["event_time"] == read["event_time"]
    assert listed(served) == ["Maya lives in Lisbon."]
    assert listed(served, state="replaced") == ["Maya lives in Porto."]
    history = served.client.get(f"{MEMORIES}/{first}/history").json()["versions"]
    assert [(one["version"], one["memory"]["text"]) for one in history] == [
        (1, "Maya lives in Porto."), (2, "Maya lives in Lisbon."),
    ]  # fmt: skip
    assert served.client.delete(f"{MEMORIES}/{second['id']}").json() == {"id": second["id"], "changed": True, "receipt": None}
    assert served.client.delete(f"{MEMORIES}/{second['id']}").json()["changed"] is False
    assert listed(served) == []
    assert served.client.get(f"{MEMORIES}/{second['id']}").json()["state"] == "forgotten"


def test_who_changes_an_older_version_is_told_of_the_newer(served: Served) -> None:
    first = make(served, "one")
    second = served.client.patch(f"{MEMORIES}/{first}", json={"text": "two"}).json()["id"]
    for late in (served.client.patch(f"{MEMORIES}/{first}", json={"text": "three"}), served.client.delete(f"{MEMORIES}/{first}")):
        assert late.status_code == 409
        assert late.headers["content-type"] == "application/problem+json"
        assert second in late.json()["detail"]
    assert listed(served) == ["two"]


def test_a_change_takes_keys_out_and_keeps_the_pin(served: Served) -> None:
    first = make(served, {"a": "x"}, metadata={"keep": 1, "drop": 2})
    assert served.client.post(f"/v1/slices/{first}/pin").json() == {"slice_id": first, "changed": True}
    changed = served.client.patch(
        f"{MEMORIES}/{first}", json={"metadata": {"drop": None}, "event_time": "2023-05-01T10:00:00+02:00"}
    )
    memory = served.client.get(f"{MEMORIES}/{changed.json()['id']}").json()
    assert (memory["content"], memory["metadata"], memory["pinned"]) == ({"a": "x"}, {"keep": 1}, True)
    assert datetime.fromisoformat(memory["event_time"]) == datetime.fromisoformat("2023-05-01T08:00:00+00:00")


def test_purging_takes_every_version(served: Served, sql: psycopg.Connection) -> None:
    first = make(served, "the secret word is zinc")
    second = served.client.patch(f"{MEMORIES}/{first}", json={"text": "the secret word is brass"}).json()["id"]
    gone = served.client.delete(f"{MEMORIES}/{second}", params={"purge": True}).json()
    assert (gone["receipt"]["state"], gone["receipt"]["slices"]) == ("done", 2)
    assert [row[0] for row in sql.execute("select text from thoth.substrate_slices where stream_id <> 0 and text <> ''")
            if "secret" in row[0]] == []  # fmt: skip


def test_the_same_key_makes_one_memory(served: Served, sql: psycopg.Connection) -> None:
    key = {"idempotency-key": "9f1c"}
    answers = [served.client.post(MEMORIES, json={"content": "once"}, headers=key) for _ in range(3)]
    assert [one.status_code for one in answers] == [201, 200, 200]
    assert len({one.json()["id"] for one in answers}) == 1
    assert [one.json()["repeated"] for one in answers] == [False, True, True]
    other = served.client.post(MEMORIES, json={"content": "twice"}, headers=key)
    assert other.status_code == 422
    assert "another request" in other.json()["detail"]
    assert listed(served) == ["once"]


async def test_the_same_key_at_the_same_moment_makes_one_memory(served: Served, sql: psycopg.Connection) -> None:
    """faults: two upserts of one document."""
    async with httpx2.AsyncClient(base_url=served.url, timeout=60, trust_env=False) as client:
        asked = [client.post(MEMORIES, json={"content": "once"}, headers={"idempotency-key": "k"}) for _ in range(8)]
        answers = await asyncio.gather(*asked)
    assert sorted(one.status_code for one in answers) == [200] * 7 + [201]
    assert len({one.json()["id"] for one in answers}) == 1
    assert await served.substrate.durable()
    assert count(sql, "substrate_slices") == 1


def test_a_thing_of_another_system_is_stored_once(served: Served) -> None:
    first = make(served, "mail 7", external_id="7", source="mail")
    assert served.client.get(f"{MEMORIES}/{first}").status_code == 200
    again = served.client.post(MEMORIES, json={"content": "mail 7 again", "external_id": "7", "source": "mail"})
    assert (again.status_code, again.json()["id"], again.json()["repeated"]) == (200, first, True)
    assert make(served, "chat 7", external_id="7", source="chat") != first


def test_pages_follow_each_other_by_their_cursor(served: Served) -> None:
    for n in range(5):
        make(served, f"note {n}")
    found, params = [], {"limit": "2"}
    while True:
        page = served.client.get(MEMORIES, params=params).json()
        found += [memory["text"] for memory in page["memories"]]
        if page["next_cursor"] is None:
            break
        params = {"limit": "2", "cursor": page["next_cursor"]}
    assert found == [f"note {n}" for n in reversed(range(5))]
    other = served.client.get(MEMORIES, params=params | {"actor": "user"})
    assert other.status_code == 422


def test_every_filter_reaches_the_list(served: Served, sql: psycopg.Connection) -> None:
    one = make(served, "one", session="s1", metadata={"project": "thoth"}, event_time="2023-05-01T00:00:00Z", actor="maya")
    make(served, "two", session="s2", external_id="/notes/a.md", source="files", stream="thoth.world.file")
    assert listed(served) == ["two", "one"]
    slice_id, at = UUID(one), datetime.fromisoformat("2023-05-01T00:00:00+00:00")
    digested(sql, slice_id, topics=["moving"], importance=0.9)
    told_of(sql, "Maya", [slice_id], at)
    for filters in (
        {"session": "s1"}, {"metadata": '{"project":"thoth"}'}, {"until": "2024-01-01"}, {"actor": "maya"}, {"topic": "Moving"},
        {"importance": "0.8"}, {"entity": "maya"}, {"stream": "thoth.world.note"}, {"since": "2023-04-30", "until": "2023-05-02"},
    ):  # fmt: skip
        assert listed(served, **filters) == ["one"], filters
    others: tuple[dict[str, Any], ...] = (
        {"source": "/notes/"}, {"since": "2024-01-01"}, {"stream": ["thoth.world.file", "no.such"]},
    )  # fmt: skip
    for other in others:
        assert listed(served, **other) == ["two"], other


REFUSED: tuple[Any, ...] = (
    {}, {"content": ""}, {"content": "  \n"}, {"content": None}, {"content": 7}, {"content": "a", "text": "b"},
    {"content": "a", "stream": "no.such"}, {"content": "a", "stream": "substrate.self_state"},
    {"content": "a", "event_time": "yesterday"}, {"content": "a", "event_time": "0001-01-01T00:00:00Z"},
    {"content": "a", "metadata": [1]}, {"content": "a", "session": ""}, {"content": "a", "actor": "x" * 201},
    {"content": "<memory-context>\nours\n</memory-context>"}, ["content"], "content", None,
)  # fmt: skip


def test_what_cannot_be_kept_is_refused_with_a_sentence(served: Served) -> None:
    for body in REFUSED:
        refused = served.client.post(MEMORIES, json=body)
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json"), body
        assert refused.json()["status"] == 422
        assert len(refused.json()["detail"]) > 10


def test_text_that_no_store_takes_is_mended(served: Served) -> None:
    """faults: a NUL in content, in a metadata key; a lone surrogate as content; other scripts and emoji stay as they are."""
    for raw, text in (
        (b'{"content": "a\\u0000b"}', "a\ufffdb"), (b'{"content": "\\ud83d abc"}', "\ufffd abc"),
        ('{"content": "你好 🐙 ไทย"}'.encode(), "你好 🐙 ไทย"), (b'{"text": "<|endoftext|>"}', "<|endoftext|>"),
    ):  # fmt: skip
        made = served.client.post(MEMORIES, content=raw, headers={"content-type": "application/json"})
        assert made.status_code == 201, made.text
        assert served.client.get(f"{MEMORIES}/{made.json()['id']}").json()["text"] == text
    raw = b'{"content": "x", "metadata": {"a\\u0000": "\\udc00", "n": 123456789012345678901234567890}, "actor": "\\ud800"}'
    made = served.client.post(MEMORIES, content=raw, headers={"content-type": "application/json"})
    memory = served.client.get(f"{MEMORIES}/{made.json()['id']}").json()
    assert (memory["metadata"], memory["actor"]) == ({"a\ufffd": "\ufffd", "n": "123456789012345678901234567890"}, "\ufffd")


def test_a_body_that_is_no_json_or_too_long_or_too_deep_is_refused(dsn: str, tmp_path: Path) -> None:
    with serving(dsn, tmp_path, THOTH_SERVER_BODY_MAX_BYTES=100_000, THOTH_SLICE_MAX_BYTES=20_000) as served:
        for raw, status in (
            (b"{", 422), (b"\xff\xfe", 422), (b"", 422), (b'{"content": ' + b"[" * 40_000 + b"]" * 40_000 + b"}", 422),
            (b'{"content": "' + b"x" * 30_000 + b'"}', 422), (b'{"content": "' + b"x" * 100_000 + b'"}', 413),
            (b'{"content": ["x", ' + b"9" * 5000 + b"]}", 422),
        ):  # fmt: skip
            answer = served.client.post(MEMORIES, content=raw, headers={"content-type": "application/json"})
            assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), raw[:20]


def test_headers_say_for_whom_it_is_kept(served: Served) -> None:
    headers = {"x-thoth-tenant": "acme", "x-thoth-session": "s7", "x-thoth-agent": "coder", "x-thoth-user": "maya"}
    made = served.client.post(MEMORIES, json={"content": "x"}, headers=headers).json()
    assert served.client.get(f"{MEMORIES}/{made['id']}").status_code == 404
    memory = served.client.get(f"{MEMORIES}/{made['id']}", headers=headers).json()
    assert (memory["session"], memory["metadata"]) == ("s7", {"agent": "coder", "user": "maya"})


def test_ingest_is_a_short_name(served: Served) -> None:
    made = served.client.post("/ingest", json={"text": "short"})
    assert made.status_code == 201
    assert listed(served) == ["short"]


async def _ticked(db: Database, look: Callable[[], T]) -> T:
    """What is seen after the workers' next tick."""
    await _tick(db)
    return look()


async def test_waiting_answers_when_the_memory_can_be_recalled(served: Served, dsn: str) -> None:
    async with httpx2.AsyncClient(base_url=served.url, timeout=60, trust_env=False) as client:
        params = {"wait": "1", "wait_ms": "50000"}
        asked = asyncio.create_task(client.post(MEMORIES, json={"content": "Maya likes figs."}, params=params))
        db = await open_database(served.settings, dsn, pool="hands")
        try:
            await until_async(partial(_ticked, db, asked.done))
        finally:
            await db.close()
        made = (await asked).json()
    assert (made["state"], made["memory"]["text"]) == ("passed", "Maya likes figs.")
    assert "index" not in made["memory"]["waits_for"]


async def test_with_a_model_waiting_answers_when_the_memory_was_parsed(
    dsn: str, tmp_path: Path, sql: psycopg.Connection
) -> None:  # fmt: skip
    with serving(dsn, tmp_path, THOTH_AUX_MODEL="m", OPENAI_BASE_URL="http://127.0.0.1:9/v1") as served:
        async with httpx2.AsyncClient(base_url=served.url, timeout=60, trust_env=False) as client:
            params = {"wait": "true", "wait_ms": "50000"}
            asked = asyncio.create_task(client.post(MEMORIES, json={"content": "Maya likes figs."}, params=params))
            db = await open_database(served.settings, dsn, pool="hands")
            try:
                passages = "select slice_id from thoth.substrate_passages"
                passed = await until_async(partial(_ticked, db, lambda: sql.execute(passages).fetchone()))
            finally:
                await db.close()
            assert passed is not None
            assert not asked.done(), "it can be recalled, and nobody has read it yet"
            digested(sql, passed[0], topics=["food"], importance=0.75)
            memory = (await asked).json()["memory"]
    assert (memory["parsed"], memory["topics"], memory["importance"]) == (True, ["food"], 0.75)


async def _tick(db: Database) -> None:
    """What a Sentinel does."""
    await triage(db, limit_rows=100, defence=False)
    await index(db, limit_rows=100)


def test_waiting_ends_when_its_time_is_over(served: Served) -> None:
    made = served.client.post(MEMORIES, json={"content": "nobody triages here"}, params={"wait": True, "wait_ms": 1})
    assert (made.status_code, made.json()["state"], made.json()["memory"]["waits_for"]) == (201, "pending", ["triage"])
