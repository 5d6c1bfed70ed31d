"""A scripted upstream of the proxy: OpenAI's and Anthropic's APIs over real HTTP, which notes the bytes that it was sent.

    with Upstream() as upstream:
        upstream.then(Answer(429, b"slow down"), Says("All right."))     # one for each request, in order; then the script

It answers chat completions, responses, messages, embeddings and models, streaming or not, as the providers do.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import select
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.support_openai import vector_of

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came. `headers` in order, with their names as written; `body` its bytes."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body or b"{}")
        return value

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the assistant calls."""

    name: str
    arguments: Mapping[str, Any]
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Says:
    """What the assistant says and calls, in the form that was asked for. `coding`: gzip packs it."""

    text: str = "All right."
    calls: Sequence[Call] = ()
    coding: str = ""
    id: str = "scripted_1"


@dataclass(frozen=True, slots=True)
class Answer:
    """These bytes, whatever was asked."""

    status: int = 200
    body: bytes = b"{}"
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stream:
    """These chunks, one at a time. Before the second one `until` is waited for; `cut` breaks off without an end."""

    chunks: Sequence[bytes]
    until: threading.Event | None = None
    cut: bool = False
    kind: str = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing, until the client goes away; then `gone` is set."""

    gone: threading.Event = field(default_factory=threading.Event)
    first: bytes = b""  # streamed before nothing more comes


Reply = Says | Answer | Stream | Hang
Script = Callable[[Seen], Reply]


class Upstream:
    """The server; `seen` are the requests it got, oldest first. Use it as a context manager."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.stopped = threading.Event()
        self._script: Script = lambda _: Says()
        self._next: deque[Reply] = deque()
        self._came = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.upstream = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        """Where it is, without a path: Anthropic's base URL. OpenAI's has /v1 behind it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a proxy before it. Recall may take its time: a busy machine is no reason for a test to fail."""
        urls = {"THOTH_PROXY_OPENAI_URL": f"{self.url}/v1", "THOTH_PROXY_ANTHROPIC_URL": self.url}
        return urls | {"THOTH_RECALL_DEADLINE_MS": 30_000}

    def then(self, *replies: Reply) -> None:
        """How to answer the next requests, one each."""
        self._next.extend(replies)

    def always(self, script: Script | Reply) -> None:
        """How to answer every request that is not scripted."""
        self._script = script if callable(script) else lambda _: script

    def take(self, seen: Seen) -> Reply:
        with self._came:
            self.seen.append(seen)
            self._came.notify_all()
            return self._next.popleft() if self._next else self._script(seen)

    def arrived(self, many: int) -> None:
        """Wait until so many requests have come in all."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.seen) >= many, PATIENCE_S)

    def __enter__(self) -> Upstream:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a whole answer in one packet; streams are flushed chunk by chunk
    disable_nagle_algorithm = True

    @property
    def upstream(self) -> Upstream:
        found: Upstream = self.server.upstream  # type: ignore[attr-defined]
        return found

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            super().handle()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        seen = Seen(self.command, self.path, tuple(self.headers.items()), body)
        reply = self.upstream.take(seen)
        if isinstance(reply, Says):
            reply = reply_of(seen, reply)
        if isinstance(reply, Hang):
            self._hang(reply)
        elif isinstance(reply, Stream):
            self._stream(reply)
        else:
            self._send(reply)

    do_GET = do_DELETE = do_POST

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.kind, "Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, stream: Stream) -> None:
        self._begin(stream.kind)
        for number, chunk in enumerate(stream.chunks):
            if number == 1 and stream.until is not None:
                stream.until.wait(PATIENCE_S)
            self._chunk(chunk)
        if stream.cut:
            self.close_connection = True
        else:
            self._chunk(b"")

    def _hang(self, hang: Hang) -> None:
        if hang.first:
            self._begin("text/event-stream")
            self._chunk(hang.first)
        while not self.upstream.stopped.is_set():
            if select.select([self.connection], [], [], 0.02)[0] and not self.connection.recv(1):
                hang.gone.set()
                break
        self.close_connection = True

    def _begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, chunk: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def reply_of(seen: Seen, says: Says) -> Answer | Stream:
    """What the provider's API would answer that request."""
    made = _MADE.get(seen.path, _models)(seen, says)
    if isinstance(made, Stream) or not says.coding:
        return made
    return Answer(made.status, gzip.compress(made.body), made.kind, {**made.headers, "Content-Encoding": says.coding})


def _chat(seen: Seen, says: Says) -> Answer | Stream:
    base = {"id": says.id, "object": "chat.completion", "created": 1, "model": seen.json.get("model", "scripted")}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in says.calls
    ]
    reason = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    if not seen.json.get("stream"):
        message = {"role": "assistant", "content": says.text or None} | ({"tool_calls": calls} if calls else {})
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return _json(base | {"choices": [choice], "usage": usage})
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in _pieces(says.text))]
    for number, call in enumerate(calls):
        arguments = call["function"].pop("arguments")  # type: ignore[attr-defined]
        deltas.append({"tool_calls": [{"index": number, **call, "function": {**call["function"], "arguments": ""}}]})  # type: ignore[dict-item]
        deltas += ({"tool_calls": [{"index": number, "function": {"arguments": piece}}]} for piece in _pieces(arguments))
    base["object"] = "chat.completion.chunk"
    chunks = [base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    return Stream([*(_data(chunk) for chunk in chunks), b"data: [DONE]\n\n"])


def _response(seen: Seen, says: Says) -> Answer | Stream:
    part = {"type": "output_text", "text": says.text, "annotations": []}
    items: list[dict[str, Any]] = []
    if says.text:
        items.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]})
    items += (
        {"id": f"fc_{n}", "type": "function_call", "call_id": call.id, "name": call.name,
         "arguments": json.dumps(call.arguments), "status": "completed"}
        for n, call in enumerate(says.calls)
    )  # fmt: skip
    whole = {
        "id": says.id, "object": "response", "created_at": 1, "status": "completed", "model": seen.json.get("model", "scripted"),
        "output": items, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "instructions": None,
        "incomplete_details": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip
    if not seen.json.get("stream"):
        return _json(whole)
    events: list[dict[str, Any]] = [{"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}]
    for place, item in enumerate(items):
        where = {"output_index": place, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", "output_index": place, "item": item | {"status": "in_progress"}})
        if item["type"] == "message":
            inner = where | {"content_index": 0}
            events.append({"type": "response.content_part.added", **inner, "part": part | {"text": ""}})
            events += ({"type": "response.output_text.delta", **inner, "delta": p, "logprobs": []} for p in _pieces(says.text))
            events.append({"type": "response.output_text.done", **inner, "text": says.text, "logprobs": []})
            events.append({"type": "response.content_part.done", **inner, "part": part})
        else:
            events.append({"type": "response.function_call_arguments.done", **where, "arguments": item["arguments"]})
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return Stream([_event(event | {"sequence_number": number}) for number, event in enumerate(events)])


def _messages(seen: Seen, says: Says) -> Answer | Stream:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": says.text}] if says.text else []
    blocks += ({"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in says.calls)
    reason = "tool_use" if says.calls else "end_turn"
    whole = {
        "id": says.id, "type": "message", "role": "assistant", "model": seen.json.get("model", "scripted"), "content": blocks,
        "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 2},
    }  # fmt: skip
    if not seen.json.get("stream"):
        return _json(whole)
    events: list[dict[str, Any]] = [{"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in _pieces(block["text"])]
        else:
            start = block | {"input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in _pieces(json.dumps(block["input"]))]
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": reason, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}}, {"type": "message_stop"}]
    return Stream([_event(event) for event in events])


def _embeddings(seen: Seen, _: Says) -> Answer:
    given = seen.json["input"]
    texts = [given] if isinstance(given, str) else given
    data = [{"object": "embedding", "index": n, "embedding": vector_of(str(text), 8)} for n, text in enumerate(texts)]
    return _json({"object": "list", "data": data, "model": seen.json["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}})


def _models(seen: Seen, _: Says) -> Answer:
    model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
    return _json({"object": "list", "data": [model]} if seen.path.endswith("/models") else model)


def _count_tokens(_seen: Seen, _: Says) -> Answer:
    return _json({"input_tokens": 7})


_MADE: Mapping[str, Callable[[Seen, Says], Answer | Stream]] = {
    "/v1/chat/completions": _chat,
    "/v1/responses": _response,
    "/v1/messages": _messages,
    "/v1/messages/count_tokens": _count_tokens,
    "/v1/embeddings": _embeddings,
}


def _pieces(text: str) -> Iterator[str]:
    yield from (text[at : at + 7] for at in range(0, len(text), 7))


def _json(value: Mapping[str, Any]) -> Answer:
    return Answer(body=json.dumps(value).encode())


def _data(value: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _event(value: Mapping[str, Any]) -> bytes:
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode()
