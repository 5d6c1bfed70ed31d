"""What the client does when a server answers badly, late or not at all: a scripted one, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import pytest

from tests.house.write_client import TWIN, twin
from thoth_substrate.client import SyncThothClient, ThothClient
from thoth_substrate.errors import BadInput, RequestFailed, ServerUnavailable, UnknownSlice, UnknownStream

MADE = {"id": "019e2a3b-4c5d-7001-8a6b-1f0c9d2e4b77", "state": "pending", "repeated": False, "memory": None}
Answer = tuple[int, bytes, dict[str, str]]
CUT: Answer = (0, b"", {})  # the connection is closed without a word


def _json(status: int, value: Any, **headers: str) -> Answer:
    return status, json.dumps(value).encode(), {name.replace("_", "-"): text for name, text in headers.items()}


def _problem(status: int, detail: str, **headers: str) -> Answer:
    return _json(status, {"title": "x", "status": status, "detail": detail}, **headers)


class Scripted:
    """A server that answers as it is told to, one after the other; `asked` are method, path and key of each request."""

    def __init__(self) -> None:
        self.answers: deque[Answer] = deque()
        self.asked: list[tuple[str, str, str | None]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.script = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def then(self, *answers: Answer) -> None:
        self.answers.extend(answers)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)


class _Handler(BaseHTTPRequestHandler):
    def _any(self) -> None:
        script: Scripted = self.server.script  # type: ignore[attr-defined]
        self.rfile.read(int(self.headers.get("content-length", 0)))
        script.asked.append((self.command, self.path, self.headers.get("idempotency-key")))
        status, body, headers = script.answers.popleft()
        if not status:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(status)
        for name, text in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_DELETE = _any

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.stop()


@pytest.fixture
def thoth(server: Scripted) -> Iterator[SyncThothClient]:
    with SyncThothClient(server.url, timeout_s=30) as client:
        yield client


def test_what_the_server_cannot_do_now_is_asked_again_with_one_key(server: Scripted, thoth: SyncThothClient) -> None:
    server.then(_problem(503, "away"), _problem(429, "slowly", retry_after="0.3"), CUT, _json(201, MADE))
    assert str(thoth.remember("once").id) == MADE["id"]
    keys = {key for _, _, key in server.asked}
    assert len(server.asked) == 4
    assert len(keys) == 1
    assert None not in keys


def test_after_its_attempts_it_says_why(server: Scripted, thoth: SyncThothClient) -> None:
    server.then(*[_problem(503, "The database is away; start it.")] * 4)
    with pytest.raises(ServerUnavailable, match="The database is away") as caught:
        thoth.memories()
    assert caught.value.status == 503
    server.then(*[CUT] * 4)
    with pytest.raises(ServerUnavailable, match="does not answer"):
        thoth.memories()
    assert len(server.asked) == 8


@pytest.mark.parametrize("answer", [CUT, _problem(503, "away")], ids=["no answer", "503"])
def test_a_change_that_may_have_been_made_is_not_sent_again(answer: Answer, server: Scripted, thoth: SyncThothClient) -> None:
    server.then(answer)
    with pytest.raises(ServerUnavailable):
        thoth.change(uuid4(), "new words")
    assert len(server.asked) == 1
    server.then(_problem(429, "slowly"), _json(200, {"id": MADE["id"], "replaces": MADE["id"], "version": 2}))
    assert thoth.change(uuid4(), "new words").version == 2


NO_ANSWERS: list[tuple[Answer, type[Exception]]] = [
    (_problem(422, "limit: too many"), BadInput),
    (_problem(404, "no such"), UnknownSlice),
    (_json(422, {"kind": "UnknownStream", "detail": "no such stream"}), UnknownStream),
    (_json(404, {"kind": "SystemExit", "detail": "x"}), UnknownSlice),
    (_json(404, {"kind": "DatabaseError", "detail": "x"}), RequestFailed),
    (_problem(500, "a fault"), RequestFailed),
    ((500, b"<html>", {}), RequestFailed),
    ((200, b"<html>", {}), RequestFailed),
    (_json(200, {"other": 1}), RequestFailed),
    (_json(200, [1]), RequestFailed),
    (_json(200, {"memories": 7, "next_cursor": None}), RequestFailed),
]


@pytest.mark.parametrize(("answer", "error"), NO_ANSWERS)
def test_what_is_no_answer_is_an_error_at_once(
    answer: Answer, error: type[Exception], server: Scripted, thoth: SyncThothClient
) -> None:
    server.then(answer)
    with pytest.raises(error):
        thoth.memories()
    assert len(server.asked) == 1


def test_a_stream_that_breaks_off_says_so(server: Scripted, thoth: SyncThothClient) -> None:
    server.then((200, b'event: text\ndata: {"text": "Por"}\n\n', {"content-length": "1000"}))
    words = thoth.ask_streamed("where?")
    assert next(words) == "Por"
    with pytest.raises(RequestFailed, match="broke off"):
        next(words)


async def test_with_asyncio_it_does_the_same(server: Scripted) -> None:
    server.then(_problem(503, "away"), CUT, _json(201, MADE), CUT)
    async with ThothClient(server.url, timeout_s=30) as thoth:
        assert str((await thoth.remember("once")).id) == MADE["id"]
        with pytest.raises(ServerUnavailable):
            await thoth.change(uuid4(), "x")
    assert len(server.asked) == 4


async def test_many_calls_share_one_client(server: Scripted) -> None:
    server.then(*[_json(201, MADE)] * 20)
    async with ThothClient(server.url, timeout_s=30) as thoth:
        made = await asyncio.gather(*(thoth.remember(f"{n}") for n in range(20)))
    assert len(made) == 20
    assert len({key for _, _, key in server.asked}) == 20


def test_the_twin_is_what_is_written_from_the_client() -> None:
    assert TWIN.read_text(encoding="utf-8") == twin(), "run `make docs`"


def test_the_twin_has_every_call() -> None:
    def calls(kind: type[Any]) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert calls(ThothClient) - {"aclose"} == calls(SyncThothClient) - {"close"}
