"""Answers pass through as they come: chunk by chunk, errors too; whoever goes away ends the upstream's work."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.integrations.hosted import a_token
from tests.integrations.upstream import Answer, Hang, Says, Stream, Upstream
from tests.server.serving import PATIENCE_S, Served, serving

CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
KEY = {"authorization": "Bearer sk-test"}


def ask(path: str = CHAT, words: str = "How are you today?", **more: Any) -> dict[str, Any]:
    """A request's body for that path."""
    if path == RESPONSES:
        return {"model": "m", "input": words, **more}
    return {"model": "m", "messages": [{"role": "user", "content": words}], **more}


def test_a_chunk_is_with_the_client_before_the_next_has_been_made(proxy: Served, upstream: Upstream) -> None:
    more = threading.Event()
    upstream.then(Stream([b"data: 1\n\n", b"data: 2\n\n"], until=more))
    with proxy.client.stream("POST", CHAT, json=ask(stream=True), headers=KEY) as response:
        chunks = response.iter_raw()
        assert next(chunks) == b"data: 1\n\n"
        more.set()
        assert b"".join(chunks) == b"data: 2\n\n"


def test_a_client_that_goes_away_ends_the_upstreams_work(proxy: Served, upstream: Upstream) -> None:
    for number, (path, first) in enumerate(((CHAT, b""), (CHAT, b"data: 1\n\n"), ("/v1/embeddings", b""), (MESSAGES, b"x")), 1):
        hang = Hang(first=first)
        upstream.then(hang)
        body = json.dumps(ask(path)).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer k\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), PATIENCE_S) as client:
            client.sendall(head.encode() + body)
            upstream.arrived(number)
            if first:
                assert client.recv(100).startswith(b"HTTP/1.1 200")
            assert not hang.gone.is_set()
        assert hang.gone.wait(PATIENCE_S)


def test_an_error_of_the_upstream_is_passed_on(proxy: Served, upstream: Upstream) -> None:
    said = b'{"error": {"message":"no", "n":1.0}}'
    for path in (CHAT, RESPONSES, MESSAGES, "/v1/embeddings"):
        for status in (400, 404, 429, 500, 529):
            upstream.then(Answer(status, said, headers={"Retry-After": "3", "x-request-id": "r1"}))
            answer = proxy.client.post(path, json=ask(path, input="x"), headers=KEY)
            assert (answer.status_code, answer.content) == (status, said)
            assert (answer.headers["retry-after"], answer.headers["x-request-id"]) == ("3", "r1")


def test_a_redirect_is_the_clients_to_follow(proxy: Served, upstream: Upstream) -> None:
    upstream.then(Answer(307, b"", headers={"Location": "https://elsewhere/v1/models"}))
    answer = proxy.client.get("/v1/models", headers=KEY)
    assert (answer.status_code, answer.headers["location"]) == (307, "https://elsewhere/v1/models")


def test_an_answer_that_breaks_off_breaks_off_for_the_client(proxy: Served, upstream: Upstream) -> None:
    upstream.then(Stream([b"data: 1\n\n"], cut=True))
    with proxy.client.stream("POST", CHAT, json=ask(stream=True), headers=KEY) as response:
        chunks = response.iter_raw()
        assert next(chunks) == b"data: 1\n\n"
        with pytest.raises(httpx2.RemoteProtocolError):
            next(chunks)
    assert proxy.client.get("/v1/models", headers=KEY).status_code == 200


def test_packed_answers_stay_packed(proxy: Served, upstream: Upstream) -> None:
    upstream.then(Says("All is well.", coding="gzip"))
    with proxy.client.stream("POST", CHAT, json=ask(), headers=KEY) as response:
        assert response.headers["content-encoding"] == "gzip"
        assert b"".join(response.iter_raw())[:2] == b"\x1f\x8b"


def test_an_upstream_that_is_away_is_told_in_the_apis_own_shape(dsn: str, tmp_path: Path) -> None:
    with Upstream() as gone:
        settings = gone.settings
    with serving(dsn, tmp_path, **settings) as served:
        for path in (MESSAGES, MESSAGES + "/count_tokens"):
            answer = served.client.post(path, json=ask(path), headers=KEY)
            assert (answer.status_code, answer.json()["type"], answer.json()["error"]["type"]) == (502, "error", "api_error")
            assert "THOTH_PROXY_ANTHROPIC_URL" in answer.json()["error"]["message"]
        for path in (CHAT, RESPONSES, "/v1/embeddings", "/v1/models"):
            answer = served.client.post(path, json=ask(path), headers=KEY)
            assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_unreachable")
            assert "cannot be reached" in answer.json()["error"]["message"]
            assert "THOTH_PROXY_OPENAI_URL" in answer.json()["error"]["message"]


def test_an_upstream_that_hangs_is_left_in_time(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    hangs = Hang(), Hang(), Hang(first=b"data: 1\n\n")
    upstream.then(*hangs)
    with serving(dsn, tmp_path, **upstream.settings, THOTH_PROXY_TIMEOUT_MS=300) as served:
        late = served.client.post(CHAT, json=ask(), headers=KEY)
        assert (late.status_code, late.json()["error"]["code"]) == (504, "upstream_timeout")
        late = served.client.post(MESSAGES, json=ask(), headers=KEY)
        assert (late.status_code, late.json()["error"]["type"]) == (504, "timeout_error")
        with pytest.raises(httpx2.RemoteProtocolError):
            served.client.post(CHAT, json=ask(stream=True), headers=KEY)
    assert all(hang.gone.wait(PATIENCE_S) for hang in hangs)


def test_models_are_those_of_the_api_that_is_spoken(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    with (
        Upstream() as other,
        serving(dsn, tmp_path, THOTH_PROXY_OPENAI_URL=f"{upstream.url}/v1", THOTH_PROXY_ANTHROPIC_URL=other.url) as served,
    ):
        served.client.get("/v1/models", headers=KEY)
        served.client.get("/v1/models/claude-x", headers={"x-api-key": "k", "anthropic-version": "2023-06-01"})
        assert [seen.target for seen in upstream.seen] == ["/v1/models"]
        assert [seen.target for seen in other.seen] == ["/v1/models/claude-x"]


def test_other_paths_below_these_pass_too(proxy: Served, upstream: Upstream) -> None:
    proxy.client.get("/v1/responses/resp_1?stream=true", headers=KEY)
    proxy.client.post("/v1/responses/resp_1/cancel", headers=KEY)
    proxy.client.delete("/v1/chat/completions/c1", headers=KEY)
    proxy.client.post("/v1/messages/count_tokens", json=ask(), headers=KEY)
    assert [(seen.method, seen.target) for seen in upstream.seen] == [
        ("GET", "/v1/responses/resp_1?stream=true"), ("POST", "/v1/responses/resp_1/cancel"),
        ("DELETE", "/v1/chat/completions/c1"), ("POST", "/v1/messages/count_tokens"),
    ]  # fmt: skip


def test_the_operators_key_serves_who_brings_none(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    base = f"{upstream.url}/v1"
    keys: dict[str, Any] = {"OPENAI_API_KEY": "sk-own", "OPENAI_BASE_URL": base, "ANTHROPIC_API_KEY": "sk-ant-own"}
    with serving(dsn, tmp_path, **upstream.settings, **keys) as served:
        served.client.post(CHAT, json=ask())
        served.client.post(MESSAGES, json=ask())
        served.client.post(CHAT, json=ask(), headers=KEY)
    assert [seen.header("authorization") for seen in upstream.seen] == ["Bearer sk-own", None, "Bearer sk-test"]
    assert upstream.seen[1].header("x-api-key") == "sk-ant-own"


def test_once_tokens_exist_the_operators_key_is_for_those_who_have_one(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    good, idle, scraper = a_token(dsn, "read", "write"), a_token(dsn), a_token(dsn, "metrics")
    strangers = ({}, *({"authorization": f"Bearer {token}"} for token in ("thoth_wrong", idle, scraper)))
    base = f"{upstream.url}/v1"
    with serving(dsn, tmp_path, **upstream.settings, OPENAI_API_KEY="sk-own", OPENAI_BASE_URL=base) as served:
        for headers in strangers:
            refused = served.client.post(CHAT, json=ask(), headers=headers)
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
        refused = served.client.post(MESSAGES, json=ask())
        assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
        assert upstream.seen == []
        for headers in ({"authorization": f"Bearer {good}"}, {"x-thoth-token": good}, {"x-api-key": good}, KEY):
            assert served.client.post(CHAT, json=ask(), headers=headers).status_code == 200
    assert [seen.header("authorization") for seen in upstream.seen] == ["Bearer sk-own"] * 3 + ["Bearer sk-test"]
    assert good not in repr(upstream.seen)


def test_another_tenants_token_is_refused(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    mine = a_token(dsn, "read", "write", tenant="mine")
    with serving(dsn, tmp_path, **upstream.settings) as served:
        headers = {**KEY, "x-thoth-token": mine, "x-thoth-tenant": "theirs"}
        refused = served.client.post(CHAT, json=ask(), headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_permitted")
        refused = served.client.post(MESSAGES, json=ask(), headers=headers | {"x-thoth-tenant": "no name!"})
        assert (refused.status_code, refused.json()["error"]["type"]) == (422, "invalid_request_error")
    assert upstream.seen == []


def test_an_upstream_on_this_machine_is_reached_past_the_networks_own_proxy(
    dsn: str, tmp_path: Path, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(dsn, tmp_path, **upstream.settings) as served:
        assert served.client.get("/v1/models", headers=KEY).status_code == 200
