"""Show 4: Claude Code's hook payloads, all events, give exactly one valid JSON object each, also with the database gone."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import tenacity

from tests.integrations.claude_code.recorded import BROKEN, EVENTS, SESSION, Payload, payload
from tests.integrations.hosted import a_token, settle
from tests.server.serving import Served, serving
from thoth_substrate.db.embedded import EmbeddedServer

HOOK = "/hooks/claude-code"
HOST_WAITS_S = 2.0
LONGEST_ANSWER_CHARS = 50_000


def post(served: Served, sent: Payload | bytes, **headers: str) -> httpx2.Response:
    body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    return served.client.post(HOOK, content=body, headers={"content-type": "application/json"} | headers)


def only_object(response: httpx2.Response) -> Mapping[str, Any]:
    """The one JSON object that a hook may be answered with."""
    assert response.status_code == 200
    assert len(response.text) < LONGEST_ANSWER_CHARS
    found, end = json.JSONDecoder().raw_decode(response.text)
    assert isinstance(found, dict)
    assert response.text[end:] == ""
    assert set(found) <= {"hookSpecificOutput"}
    return found


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.1), reraise=True)
def context(served: Served, sent: Payload, **headers: str) -> Mapping[str, Any]:
    """What a prompt is given; asked again where a busy machine was too late, which harms nobody."""
    answer = only_object(post(served, sent, **headers))
    assert "hookSpecificOutput" in answer
    told: Mapping[str, Any] = answer["hookSpecificOutput"]
    return told


def took_s(served: Served, sent: Payload) -> float:
    """How long it takes until a hook is answered with nothing; at the third try at the latest, where a machine is busy."""
    for _ in range(3):
        began = time.monotonic()
        assert only_object(post(served, sent)) == {}
        took = time.monotonic() - began
        if took < HOST_WAITS_S:
            break
    return took


def perceived(sql: psycopg.Connection) -> list[tuple[str, str, str, str]]:
    """Stream, session, actor and text of everything that was perceived, in order."""
    return sql.execute(
        "select stream, session_id, actor, text from thoth.substrate_slices join thoth.substrate_streams using (stream_id)"
        " where stream <> 'substrate.self_state' order by slice_id"
    ).fetchall()  # fmt: skip


def test_every_event_is_answered_by_one_object(served: Served) -> None:
    for name, sent in EVENTS.items():
        assert only_object(post(served, sent)) == {}, name


def test_whatever_is_wrong_with_a_payload_harms_no_turn(served: Served, sql: psycopg.Connection) -> None:
    for name, sent in BROKEN.items():
        assert only_object(post(served, sent)) == {}, name
    settle(served)
    kept = {stream for stream, *_ in perceived(sql)}
    assert kept <= {"thoth.self_action.tool_call", "thoth.self_action.tool_result", "thoth.world.user_message.cli"}


def test_what_happens_is_perceived_where_it_belongs(served: Served, sql: psycopg.Connection) -> None:
    for name in ("session start", "prompt", "shell", "file read", "tool failed", "stop", "subagent begins", "subagent ends",
                 "before compaction", "session end"):  # fmt: skip
        post(served, EVENTS[name])
    settle(served)
    found = perceived(sql)
    assert [(stream.rsplit("thoth.", 1)[1], actor) for stream, _, actor, _ in found] == [
        ("self_state.session_lifecycle", "system"),
        ("world.user_message.cli", "user"),
        ("self_action.tool_call", "assistant"),
        ("self_action.tool_result", "Bash"),
        ("self_action.tool_call", "assistant"),
        ("self_action.tool_result", "Read"),
        ("self_action.tool_call", "assistant"),
        ("self_action.tool_result", "Bash"),
        ("self_action.assistant_response", "assistant"),
        ("self_action.subagent_spawn", "assistant"),
        ("self_action.subagent_return", "subagent"),
        ("self_state.session_lifecycle", "system"),
        ("self_state.session_lifecycle", "system"),
    ]
    texts = [text for *_, text in found]
    assert texts[1] == "Which port does the staging database use?"
    assert texts[3] == "staging answers on 5433"
    assert texts[5] == "# Größe\n"
    assert texts[7] == "exit 1"
    assert texts[8] == "Staging uses port 5433."
    lived = {session for stream, session, *_ in found if stream == "thoth.self_state.session_lifecycle"}
    assert {session for _, session, *_ in found} - lived == {SESSION, f"{SESSION}/a1"}
    assert not lived & {SESSION, f"{SESSION}/a1"}


def test_both_spellings_of_the_prompt_are_one_prompt(served: Served, sql: psycopg.Connection) -> None:
    post(served, EVENTS["prompt"])
    post(served, EVENTS["prompt, other spelling"])
    settle(served)
    assert len(perceived(sql)) == 1


def test_a_hook_delivered_twice_is_perceived_once(served: Served, sql: psycopg.Connection) -> None:
    for _ in range(2):
        for sent in EVENTS.values():
            post(served, sent)
    settle(served)
    first = perceived(sql)
    for sent in EVENTS.values():
        post(served, sent)
    settle(served)
    assert perceived(sql) == first
    assert len({(stream, text) for stream, _, _, text in first}) == len(first)


def test_our_own_answers_and_bulk_are_not_perceived(served: Served, sql: psycopg.Connection) -> None:
    for name in ("our own tool", "file edited", "display", "before a tool", "stop without words"):
        post(served, EVENTS[name])
    post(served, payload("UserPromptSubmit", prompt="<system-reminder>be brief</system-reminder>"))
    post(served, payload("PostToolUse", tool_name="Cat", tool_use_id="t", tool_response={"stdout": "y" * 300_000}))
    settle(served)
    texts = [text for *_, text in perceived(sql)]
    assert not any("what memory said" in text or "xxxx" in text or "be brief" in text for text in texts)
    assert max(map(len, texts)) <= 64_000
    assert len(texts) == 4


def test_a_prompt_gets_what_another_session_said_and_not_its_own(served: Served) -> None:
    post(served, payload("UserPromptSubmit", session_id="day-1", prompt="The staging database listens on port 5433."))
    settle(served)
    asked = "Which port does the staging database use?"
    for spelling in ("prompt", "user_prompt"):
        told = context(served, payload("UserPromptSubmit", session_id="day-2", **{spelling: asked}))
        assert told["hookEventName"] == "UserPromptSubmit"
        assert told["additionalContext"].startswith("<memory-context>")
        assert "port 5433" in told["additionalContext"]
    assert only_object(post(served, payload("UserPromptSubmit", session_id="day-1", prompt=asked))) == {}


def test_what_was_injected_is_never_perceived(served: Served, sql: psycopg.Connection) -> None:
    block = "<memory-context>\n101 user: a secret of before\n</memory-context>"
    post(served, payload("UserPromptSubmit", prompt=f"What now?\n{block}"))
    settle(served)
    assert [text for *_, text in perceived(sql)] == ["What now?"]


def test_recall_is_opted_into(dsn: str, tmp_path: Path) -> None:
    with serving(dsn, tmp_path, THOTH_SUBSTRATE_RECALL=False) as served:
        post(served, payload("UserPromptSubmit", session_id="day-1", prompt="The staging database listens on port 5433."))
        settle(served)
        sent = payload("UserPromptSubmit", session_id="day-2", prompt="Which port does the staging database use?")
        assert only_object(post(served, sent)) == {}


def test_tenants_do_not_hear_each_other(served: Served, sql: psycopg.Connection) -> None:
    said = payload("UserPromptSubmit", session_id="day-1", prompt="The staging database listens on port 5433.")
    post(served, said, **{"x-thoth-tenant": "maya"})
    settle(served)
    asked = payload("UserPromptSubmit", session_id="day-2", prompt="Which port does the staging database use?")
    assert only_object(post(served, asked)) == {}
    assert "5433" in context(served, asked, **{"x-thoth-tenant": "maya"})["additionalContext"]
    assert only_object(post(served, asked, **{"x-thoth-tenant": "not a tenant!"})) == {}


def test_many_sessions_at_once_get_each_its_own(served: Served) -> None:
    """faults: an answer prepared for the previous question; a session switched while recall was running."""
    ports = {f"tenant-{number}": 5000 + number for number in range(8)}
    for tenant, port in ports.items():
        said = payload("UserPromptSubmit", session_id="day-1", prompt=f"The staging database listens on port {port}.")
        post(served, said, **{"x-thoth-tenant": tenant})
    settle(served)

    def told(tenant: str) -> set[str]:
        asked = payload("UserPromptSubmit", session_id="day-2", prompt="Which port does the staging database use?")
        answer = only_object(post(served, asked, **{"x-thoth-tenant": tenant}))
        return set(re.findall(r"port (\d+)", answer["hookSpecificOutput"]["additionalContext"])) if answer else set()

    for tenant in ports:
        context(served, payload("UserPromptSubmit", session_id="day-3", prompt="The port?"), **{"x-thoth-tenant": tenant})
    with ThreadPoolExecutor(len(ports)) as asking:
        found = list(asking.map(told, list(ports) * 4))
    assert all(one <= {str(port)} for one, port in zip(found, list(ports.values()) * 4, strict=True))


def test_a_page_cannot_speak_as_claude_code(served: Served, sql: psycopg.Connection) -> None:
    """A form or a text is what a page of somebody else may post without being asked; nothing of it is perceived."""
    body = json.dumps(EVENTS["prompt"])
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert only_object(served.client.post(HOOK, content=body, headers={"content-type": kind})) == {}
    assert post(served, EVENTS["prompt"], origin="https://example.org").status_code == 403
    settle(served)
    assert perceived(sql) == []


def test_with_the_database_gone_every_hook_is_answered_in_time(home: Path, tmp_path: Path) -> None:
    """faults: a hook that must answer in 2 s with the server gone."""
    with EmbeddedServer(home) as database, serving(database.dsn, tmp_path) as served:
        post(served, payload("UserPromptSubmit", session_id="day-1", prompt="The staging database listens on port 5433."))
        database.release()
        for name, sent in EVENTS.items():
            assert took_s(served, sent) < HOST_WAITS_S, name


def test_with_the_database_away_from_the_start_too_and_nothing_is_lost(dsn: str, tmp_path: Path, sql: psycopg.Connection) -> None:
    away = "postgresql://nobody@127.0.0.1:9/none"
    with serving(away, tmp_path, awake=False) as served:
        for name, sent in EVENTS.items():
            assert took_s(served, sent) < HOST_WAITS_S, name
    with serving(dsn, tmp_path) as served:
        settle(served)
        assert "Which port does the staging database use?" in [text for *_, text in perceived(sql)]


def test_once_a_token_exists_a_hook_without_one_is_answered_and_not_perceived(
    dsn: str, tmp_path: Path, sql: psycopg.Connection
) -> None:
    token = a_token(dsn, "write", tenant="maya")
    with serving(dsn, tmp_path) as served:
        assert only_object(post(served, EVENTS["stop"])) == {}
        assert only_object(post(served, EVENTS["stop"], **{"x-thoth-token": ""})) == {}
        assert only_object(post(served, EVENTS["stop"], **{"x-thoth-token": "thoth_wrong"})) == {}
        assert only_object(post(served, EVENTS["prompt"], **{"x-thoth-token": token})) == {}
        settle(served)
    assert [text for *_, text in perceived(sql)] == ["Which port does the staging database use?"]
    assert sql.execute("select distinct tenant_id from thoth.substrate_slices").fetchall() == [("maya",)]
