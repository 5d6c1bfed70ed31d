"""A scripted OpenAI-compatible endpoint: real HTTP on a port of its own, answering as it is told to.

    with Endpoint() as endpoint:
        endpoint.then(status(429, retry_after="7"), hang())     # one for each request, in order; then well again
        OpenAIEmbedder(…, base_url=endpoint.url)

Vectors are made of the words of a text, so that texts which share words are near each other.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np

from thoth_substrate.model.terms import terms

Behaviour = Callable[["_Handler", dict[str, Any]], None]
Data = list[dict[str, Any]]


def vector_of(text: str, dimensions: int) -> list[float]:
    """The endpoint's vector of a text: the sum of a fixed random vector for each of its terms."""
    total = np.zeros(dimensions, np.float32)
    for term in terms(text) or [text]:
        seed = int.from_bytes(hashlib.sha256(term.encode()).digest()[:8])
        total += np.random.default_rng(seed).standard_normal(dimensions, np.float32)
    return [float(x) for x in total / np.linalg.norm(total)]


class Endpoint:
    """The server; `requests` are the bodies it got, oldest first. Use it as a context manager."""

    def __init__(self, dimensions: int = 1536) -> None:
        self.dimensions = dimensions
        self.requests: list[dict[str, Any]] = []
        self._came = threading.Condition()
        self.released = threading.Event()
        self._script: deque[Behaviour] = deque()
        self._always: Behaviour = well
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.endpoint = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def then(self, *behaviours: Behaviour) -> None:
        """How to answer the next requests, one each."""
        self._script.extend(behaviours)

    def always(self, behaviour: Behaviour) -> None:
        """How to answer every request that is not scripted."""
        self._always = behaviour

    async def arrived(self, many: int, patience_s: float = 60.0) -> None:
        """Wait until so many requests were read."""
        if not await asyncio.to_thread(self._wait, many, patience_s):
            raise TimeoutError(f"{len(self.requests)} of {many} requests came within {patience_s:.0f} s.")

    def _wait(self, many: int, patience_s: float) -> bool:
        with self._came:
            return self._came.wait_for(lambda: len(self.requests) >= many, patience_s)

    def came(self, body: dict[str, Any]) -> None:
        """Note a request, and wake who waits for it."""
        with self._came:
            self.requests.append(body)
            self._came.notify_all()

    def take(self) -> Behaviour:
        return self._script.popleft() if self._script else self._always

    def __enter__(self) -> Endpoint:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def endpoint(self) -> Endpoint:
        found: Endpoint = self.server.endpoint  # type: ignore[attr-defined]
        return found

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body["authorization"] = self.headers.get("Authorization")
        body["path"] = self.path
        self.endpoint.came(body)
        self.endpoint.take()(self, body)

    def send(self, code: int, content: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def well(handler: _Handler, body: dict[str, Any]) -> None:
    """Answers as it should."""
    handler.send(200, json.dumps(_reply(handler, body, _data(handler, body))).encode())


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    """An error of that status, e.g. status(429, retry_after="7")."""
    return lambda handler, _: handler.send(code, json.dumps({"error": {"message": message, "code": code}}).encode(), **headers)


def says(content: bytes, kind: str = "application/json") -> Behaviour:
    """200 with that content, whatever was asked."""
    return lambda handler, _: handler.send(200, content, kind)


def changed(change: Callable[[Data], Data]) -> Behaviour:
    """A good answer whose list of vectors was tampered with."""
    return lambda handler, body: handler.send(200, json.dumps(_reply(handler, body, change(_data(handler, body)))).encode())


def hang() -> Behaviour:
    """Takes the request and says nothing until the test is over."""

    def behave(handler: _Handler, _: dict[str, Any]) -> None:
        handler.endpoint.released.wait(60)
        handler.close_connection = True

    return behave


def cut() -> Behaviour:
    """Begins to answer and closes the connection in the middle."""

    def behave(handler: _Handler, body: dict[str, Any]) -> None:
        content = json.dumps(_reply(handler, body, _data(handler, body))).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content[: len(content) // 2])
        handler.close_connection = True

    return behave


def poisoned(word: str, code: int = 500) -> Behaviour:
    """Fails whenever a text contains that word, and works for all others."""

    def behave(handler: _Handler, body: dict[str, Any]) -> None:
        bad = any(word in text for text in _texts(body))
        (status(code, f"cannot take {word}") if bad else well)(handler, body)

    return behave


def _texts(body: dict[str, Any]) -> Sequence[str]:
    given = body["input"]
    return [given] if isinstance(given, str) else given


def _data(handler: _Handler, body: dict[str, Any]) -> Data:
    dimensions = body.get("dimensions") or handler.endpoint.dimensions
    return [
        {"object": "embedding", "index": index, "embedding": vector_of(text, dimensions)}
        for index, text in enumerate(_texts(body))
    ]


def _reply(handler: _Handler, body: dict[str, Any], data: Data) -> dict[str, Any]:
    return {"object": "list", "model": body["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
