"""Show 2: requests of every shape arrive as they were sent, and the answers too; also without a database."""

from __future__ import annotations

import contextlib
import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.integrations.proxy.recorded import MANY, Recorded, requests
from tests.integrations.upstream import Answer, Seen, Stream, Upstream
from tests.server.serving import PATIENCE_S, serving
from thoth_substrate.db.embedded import EmbeddedServer

OFF = {"THOTH_SUBSTRATE_RECALL": False}


def answer(seen: Seen) -> Answer | Stream:
    """Something that depends on every byte of the request, streamed or not."""
    told = repr((seen.method, seen.target, seen.body)).encode()
    if b"stream" in seen.body:
        return Stream([told[at : at + 100] for at in range(0, len(told), 100)])
    return Answer(200 + len(told) % 3 * 100, told, headers={"X-Request-Id": str(len(told)), "Retry-After": "7"})


def sent(url: str, request: Recorded) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers of the answer."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE_S)
    try:
        connection.putrequest(request.method, request.target, skip_accept_encoding=True)
        for name, value in request.headers:
            connection.putheader(name, value)
        if request.method == "POST":
            connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        response = connection.getresponse()
        body = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, body, {name: headers[name] for name in headers if name != "date"}
    finally:
        connection.close()


def told(seen: Seen) -> tuple[str, str, list[tuple[str, str]], bytes]:
    headers = [(name.lower(), value) for name, value in seen.headers]
    return seen.method, seen.target, [(name, value) for name, value in headers if name != "host"], seen.body


def check(url: str, upstream: Upstream) -> None:
    """Every recorded request, through the proxy and direct: the same there and the same back."""
    upstream.always(answer)
    for request in requests():
        through, direct = sent(url, request), sent(upstream.url, request)
        assert through == direct, request
        one, other = map(told, upstream.seen[-2:])
        assert (one[0], one[1], one[3]) == (other[0], other[1], other[3]), request
        assert one[3] == request.body
        assert sorted(one[2]) == sorted(other[2]), request
    assert len(upstream.seen) == 2 * MANY


def test_two_hundred_requests_pass_unchanged_with_recall_off(dsn: str, tmp_path: Path, upstream: Upstream) -> None:
    assert len({request.body for request in requests()}) > MANY * 0.8
    with serving(dsn, tmp_path, **upstream.settings, **OFF) as served:
        check(served.url, upstream)


@pytest.mark.parametrize("recall", [False, True])
def test_with_the_database_stopped_all_still_succeed(tmp_path: Path, home: Path, upstream: Upstream, recall: bool) -> None:
    settings = {**upstream.settings, "THOTH_SUBSTRATE_RECALL": recall}
    with contextlib.ExitStack() as open_things:
        with EmbeddedServer(home) as server:
            served = open_things.enter_context(serving(server.dsn, tmp_path, **settings))
            assert sent(served.url, requests()[0])[0] == 200
        upstream.seen.clear()
        check(served.url, upstream)
