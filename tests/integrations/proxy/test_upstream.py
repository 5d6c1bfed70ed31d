"""Where requests go, and with which headers."""

from __future__ import annotations

from typing import Any

import pytest

from thoth_substrate.errors import SettingsError
from thoth_substrate.integrations.proxy import upstream
from thoth_substrate.settings import load


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8484/v1", "http://localhost:8484", "http://[::1]:8484/v1", "http://127.0.0.2:8484/v1"],
)
def test_an_upstream_that_is_this_server_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(SettingsError, match=r"OPENAI_BASE_URL is .* this server itself"):
        upstream.openai(load(OPENAI_BASE_URL=url))
    with pytest.raises(SettingsError, match=r"THOTH_PROXY_OPENAI_URL is .* run in circles"):
        upstream.openai(load(THOTH_PROXY_OPENAI_URL=url, THOTH_SERVER_HOST="0.0.0.0"))
    with pytest.raises(SettingsError, match="THOTH_PROXY_ANTHROPIC_URL"):
        upstream.anthropic(load(THOTH_PROXY_ANTHROPIC_URL=url))


def test_another_port_or_machine_is_an_upstream() -> None:
    for url in ("http://127.0.0.1:11434/v1", "http://models.internal:8484/v1", "https://127.0.0.1/v1"):
        assert upstream.openai(load(THOTH_PROXY_OPENAI_URL=url)).address.url == url


@pytest.mark.parametrize("url", ["api.openai.com/v1", "ftp://host/v1", "https://", "nonsense"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="not the address of an HTTP endpoint"):
        upstream.openai(load(THOTH_PROXY_OPENAI_URL=url))


@pytest.mark.parametrize(
    ("base", "path", "query", "there"),
    [
        ("https://api.openai.com/v1", b"/v1/chat/completions", b"", "https://api.openai.com/v1/chat/completions"),
        ("https://h/openai/v1/", b"/v1/models/a%2Fb", b"x=%2F&y", "https://h/openai/v1/models/a%2Fb?x=%2F&y"),
        ("https://h/d?api-version=1", b"/v1/embeddings", b"a=b", "https://h/d/embeddings?api-version=1&a=b"),
    ],
)
def test_a_path_is_put_behind_the_base(base: str, path: bytes, query: bytes, there: str) -> None:
    assert str(upstream.openai(load(THOTH_PROXY_OPENAI_URL=base)).url(path, query)) == there


@pytest.mark.parametrize("base", ["https://api.anthropic.com", "https://api.anthropic.com/", "https://api.anthropic.com/v1"])
def test_anthropics_base_has_no_version(base: str) -> None:
    there = upstream.anthropic(load(THOTH_PROXY_ANTHROPIC_URL=base))
    assert str(there.url(b"/v1/messages", b"beta=true")) == "https://api.anthropic.com/v1/messages?beta=true"


def test_headers_pass_but_for_those_of_a_connection_and_ours() -> None:
    given = [
        (b"host", b"127.0.0.1:8484"), (b"authorization", b"Bearer sk-1"), (b"x-thoth-session", b"s"),
        (b"x-thoth-token", b"thoth_x"),
        (b"connection", b"keep-alive, X-Hop"), (b"x-hop", b"1"), (b"te", b"trailers"), (b"transfer-encoding", b"chunked"),
        (b"openai-organization", b"org"), (b"x-twice", b"1"), (b"x-twice", b"2"), (b"content-length", b"3"),
        (b"accept-encoding", b"gzip, br;q=0.9, deflate"),
    ]  # fmt: skip
    passed = upstream.forwarded(given, readable=False)
    assert passed == [
        (b"authorization", b"Bearer sk-1"), (b"openai-organization", b"org"), (b"x-twice", b"1"), (b"x-twice", b"2"),
        (b"accept-encoding", b"gzip, br;q=0.9, deflate"),
    ]  # fmt: skip
    assert upstream.forwarded(given, readable=True)[-1] == (b"accept-encoding", b"gzip, deflate")
    assert upstream.forwarded([(b"accept-encoding", b"br, zstd")], readable=True) == [(b"accept-encoding", b"identity")]


@pytest.mark.parametrize(
    "header", [(b"authorization", b"Bearer thoth_x"), (b"x-api-key", b"thoth_x"), (b"authorization", b"bearer  thoth_x")]
)
def test_a_token_of_ours_never_leaves(header: tuple[bytes, bytes]) -> None:
    assert upstream.forwarded([header], readable=False) == []


def lent(headers: upstream.Headers, **settings: Any) -> upstream.Headers:
    return upstream.lent(upstream.openai(load(**settings)), headers)


def test_the_operators_key_is_lent_to_who_brings_none() -> None:
    own = [(b"authorization", b"Bearer sk-own")]
    assert lent([], OPENAI_API_KEY="sk-own") == own
    assert lent([(b"authorization", b"Bearer sk-1")], OPENAI_API_KEY="sk-own") == [(b"authorization", b"Bearer sk-1")]
    assert lent([(b"api-key", b"azure")], OPENAI_API_KEY="sk-own") == [(b"api-key", b"azure")]
    assert lent([], THOTH_PROXY_OPENAI_URL="https://user:pass@h/v1") == [(b"authorization", b"Basic dXNlcjpwYXNz")]
    there = upstream.anthropic(load(ANTHROPIC_API_KEY="sk-ant"))
    assert upstream.lent(there, []) == [(b"x-api-key", b"sk-ant")]


def test_and_only_to_the_host_that_it_belongs_to() -> None:
    assert lent([], OPENAI_API_KEY="sk-own", THOTH_PROXY_OPENAI_URL="https://elsewhere/v1") == []
    same = {"OPENAI_BASE_URL": "https://elsewhere/v2", "THOTH_PROXY_OPENAI_URL": "https://elsewhere/v1"}
    assert lent([], OPENAI_API_KEY="sk-own", **same) == [(b"authorization", b"Bearer sk-own")]


def test_an_answers_headers_come_back_as_they_were() -> None:
    given = [(b"Content-Type", b"application/json"), (b"Connection", b"close"), (b"X-Request-Id", b"r"), (b"Set-Cookie", b"a=1"),
             (b"Set-Cookie", b"b=2"), (b"Content-Encoding", b"br"), (b"Content-Length", b"9"), (b"Transfer-Encoding", b"chunked"),
             (b"Date", b"now")]  # fmt: skip
    assert upstream.returned(given) == [
        (b"content-type", b"application/json"), (b"x-request-id", b"r"), (b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"),
        (b"content-encoding", b"br"), (b"content-length", b"9"),
    ]  # fmt: skip
