"""Whatever of the memory is broken, a request goes on, in time, and unchanged where there is nothing to add."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest

from tests.integrations.proxy.conftest import Hearing
from tests.integrations.upstream import Says, Upstream
from tests.server.serving import serving
from tests.support_openai import Endpoint, hang, status

CHAT = "/v1/chat/completions"
IN_TIME = {"THOTH_RECALL_DEADLINE_MS": 300}
KEY = {"authorization": "Bearer sk-test"}
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Where does my sister Anna live?"}]}).encode()
HANGS_FOR_S = 30.0  # what the broken leg would take; an answer comes long before, also on a busy machine


def test_a_database_that_takes_connections_and_says_nothing_delays_no_turn(tmp_path: Path, upstream: Upstream) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        dsn = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/x"
        with serving(dsn, tmp_path, awake=False, **(upstream.settings | IN_TIME)) as served:
            for _ in range(3):
                began = time.monotonic()
                answer = served.client.post(CHAT, content=BODY, headers=KEY)
                assert answer.status_code == 200
                assert "x-thoth-memories" not in answer.headers
                assert time.monotonic() - began < HANGS_FOR_S / 2
    assert [seen.body for seen in upstream.seen] == [BODY] * 3


@pytest.mark.parametrize("broken", [hang(), status(500), status(401)], ids=["hangs", "500", "401"])
def test_an_embedder_that_is_broken_delays_no_turn(
    dsn: str, tmp_path: Path, upstream: Upstream, broken: object, heard: Hearing
) -> None:
    with Endpoint() as endpoint:
        endpoint.always(broken)  # type: ignore[arg-type]
        embedder = {"THOTH_EMBED_PROVIDER": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": endpoint.url}
        settings = upstream.settings | embedder | IN_TIME
        with serving(dsn, tmp_path, awake=False, **settings) as served:
            for _ in range(3):
                began = time.monotonic()
                assert served.client.post(CHAT, content=BODY, headers=KEY).status_code == 200
                assert time.monotonic() - began < HANGS_FOR_S / 2
            endpoint.released.set()
            heard("All right.")
    assert [seen.body for seen in upstream.seen] == [BODY] * 3


def test_a_journal_that_is_full_loses_a_memory_and_no_turn(tmp_path: Path, upstream: Upstream) -> None:
    upstream.always(Says("word " * 20_000))
    nowhere = "postgresql://nobody@127.0.0.1:9/x"
    with serving(nowhere, tmp_path, awake=False, **upstream.settings, THOTH_JOURNAL_MAX_BYTES=1 << 16) as served:
        for _ in range(5):
            assert served.client.post(CHAT, content=BODY, headers=KEY).json()["choices"][0]["message"]["content"]
    assert len(upstream.seen) == 5
