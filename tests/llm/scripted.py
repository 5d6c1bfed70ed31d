"""A scripted OpenAI-compatible server: real HTTP on a thread of its own, answering chats and embeddings as it is told to.

    with ScriptedModel(lambda request: {"entities": []}) as model:
        model.then(Status(429, retry_after=7), Hang())           # one for each request, in order; then the script again
        load(OPENAI_BASE_URL=model.url, THOTH_AUX_MODEL="scripted")

By hand: `python -m tests.llm.scripted --port 8099 --script crew`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.llm import crew_script
from tests.support_openai import vector_of

PROBE = "probe"
LONGEST_HANG_S = 60.0
SCHEMA_MARK = "JSON schema:"  # before the schema in a prompt that asks for plain JSON


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked. `body` is the JSON as it came."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def agent(self) -> str:
        """Who asks, as a module's name: by the header, else by the first line of the system prompt; "" when neither says."""
        said = self.headers.get("x-thoth-agent", "")
        if not said:
            found = re.match(r"You are the ([\w -]+?) of a memory", self.system)
            said = found[1] if found else ""
        return re.sub(r"[^a-z0-9]+", "_", said.lower()).strip("_")

    @property
    def system(self) -> str:
        return next((_text(m) for m in self.body.get("messages", ()) if m["role"] in ("system", "developer")), "")

    @property
    def user(self) -> str:
        """The first user message: what the agent wrote (a corrective retry adds others)."""
        return next((_text(m) for m in self.body.get("messages", ()) if m["role"] == "user"), "")

    @property
    def tier(self) -> str:
        """How structure is asked for: schema, tool or json."""
        if self.body.get("tools"):
            return "tool"
        return "schema" if (self.body.get("response_format") or {}).get("type") == "json_schema" else "json"

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the reply, wherever the request has it; {} when it has none."""
        if self.tier == "tool":
            found: dict[str, Any] = self.body["tools"][0]["function"]["parameters"]
        elif self.tier == "schema":
            found = self.body["response_format"]["json_schema"]["schema"]
        else:
            _, mark, text = self.system.partition(SCHEMA_MARK)
            found = json.JSONDecoder().raw_decode(text.strip())[0] if mark else {}
        return found

    def plain(self) -> dict[str, Any]:
        """The body with `agent`, `system` and `user`: what the scripts of the crew get."""
        return self.body | {"agent": self.agent, "system": self.system, "user": self.user}


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error."""

    code: int
    message: str = "no"
    retry_after: float | None = None
    kind: str | None = None  # the error's code, e.g. context_length_exceeded


@dataclass(frozen=True, slots=True)
class Hang:
    """The request is taken, and nothing comes until the server stops."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The answer (or its stream) is cut in the middle."""

    reply: Any = "cut in the middle of a sentence"


@dataclass(frozen=True, slots=True)
class Raw:
    """200 with these bytes, whatever was asked."""

    content: bytes
    kind: str = "application/json"


@dataclass(frozen=True, slots=True)
class Delay:
    """The reply, after so many seconds, or when `until` is set."""

    reply: Any
    seconds: float = LONGEST_HANG_S
    until: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Message:
    """The assistant's message as it stands, e.g. one whose answer is in `reasoning_content`."""

    fields: dict[str, Any]
    finish_reason: str = "stop"
    usage: dict[str, Any] | None = None  # instead of the counted one; {} leaves it out


# str: the assistant's words; dict: the same as JSON; None: the smallest answer that fits the schema.
Reply = Status | Hang | Cut | Raw | Delay | Message | str | dict[str, Any] | None
Script = Callable[[Request], Reply]


class ScriptedModel:
    """The server; `requests` are those it got, oldest first. Use it as a context manager."""

    def __init__(self, script: Script | None = None, *, port: int = 0, dimensions: int = 64) -> None:
        self.dimensions = dimensions
        self.requests: list[Request] = []
        self.usage: Counter[str] = Counter()
        self.stopped = threading.Event()
        self._script = script or crew
        self._next: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._came = threading.Condition(self._lock)
        self._seen: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._server.daemon_threads = True
        self._server.model = self  # type: ignore[attr-defined]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[Request]:
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def then(self, *replies: Reply) -> None:
        """How to answer the next chats, one each."""
        self._next.extend(replies)

    def always(self, script: Script | Reply) -> None:
        """How to answer every chat from now on."""
        self._next.clear()
        self._script = script if callable(script) else lambda _: script

    async def arrived(self, many: int, patience_s: float = 30.0) -> None:
        """Wait until so many requests have come in all. Raises TimeoutError."""
        if not await asyncio.to_thread(self._wait, many, patience_s):
            raise TimeoutError(f"{len(self.requests)} of {many} requests came within {patience_s:.0f} s.")

    def _wait(self, many: int, patience_s: float) -> bool:
        with self._came:
            return self._came.wait_for(lambda: len(self.requests) >= many, patience_s)

    def take(self, request: Request) -> Reply:
        """The reply to a request, noted."""
        with self._lock:
            self.requests.append(request)
            self._came.notify_all()
            scripted = bool(self._next) and request.path.endswith("/chat/completions")
            reply = self._next.popleft() if scripted else None
        reply = reply if scripted else self._script(request)
        return _of_probe(reply) if request.agent == PROBE else reply

    def count(self, request: Request, said: str) -> dict[str, Any]:
        """Usage as the wire has it; a system prompt that was seen before is cached."""
        prompt = sum(_tokens(_text(message)) + 4 for message in request.body.get("messages", ()))
        with self._lock:
            cached = _tokens(request.system) if request.system in self._seen else 0
            self._seen.add(request.system)
            self.usage.update(prompt=prompt, completion=_tokens(said), cached=cached, calls=1)
        return {
            "prompt_tokens": prompt, "completion_tokens": _tokens(said), "total_tokens": prompt + _tokens(said),
            "prompt_tokens_details": {"cached_tokens": cached},
        }  # fmt: skip

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


def _of_probe(reply: Reply) -> Reply:
    """A probe asks whether the endpoint is well: who answers agents well answers it well."""
    if isinstance(reply, Delay):
        return Delay(_of_probe(reply.reply), reply.seconds, reply.until)
    return None if isinstance(reply, dict) else reply


def crew(request: Request) -> Reply:
    """What a good model would answer the agent that asks."""
    return crew_script.answer(request.plain())


def smallest(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """The smallest value that fits a JSON schema: empty lists and texts, noughts, the first of the alternatives."""
    root = schema if root is None else root
    if "$ref" in schema:
        return smallest(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return smallest(schema[key][-1], root)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if schema.get("type") == "object" or "properties" in schema:
        return {name: smallest(inner, root) for name, inner in schema.get("properties", {}).items()}
    kind = schema.get("type", "null")
    number = schema.get("minimum", 0)
    return {"array": [], "string": "", "integer": number, "number": number, "boolean": False}.get(str(kind))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def model(self) -> ScriptedModel:
        found: ScriptedModel = self.server.model  # type: ignore[attr-defined]
        return found

    def handle(self) -> None:
        with contextlib.suppress(ConnectionResetError):  # a client that was killed
            super().handle()

    def do_GET(self) -> None:
        listed = [{"id": "scripted", "object": "model", "owned_by": "tests"}]
        self._json(200, {"object": "list", "data": listed}) if self.path.endswith("/models") else self._json(404, _error("no"))

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        if len(said := self.rfile.read(length)) < length:
            self.close_connection = True  # the client was killed while it asked
            return
        request = Request(self.path, json.loads(said), {name.lower(): value for name, value in self.headers.items()})
        reply = self.model.take(request) if not self.path.endswith("/embeddings") else self._embedding(request)
        try:
            self._answer(request, reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait

    def _embedding(self, request: Request) -> Reply:
        with self.model._lock:
            self.model.requests.append(request)
        texts = [request.body["input"]] if isinstance(request.body["input"], str) else request.body["input"]
        size = request.body.get("dimensions") or self.model.dimensions
        data = [{"object": "embedding", "index": n, "embedding": vector_of(text, size)} for n, text in enumerate(texts)]
        tokens = sum(map(_tokens, texts))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return Raw(json.dumps({"object": "list", "model": request.body["model"], "data": data, "usage": usage}).encode())

    def _answer(self, request: Request, reply: Reply) -> None:
        if isinstance(reply, Delay):
            deadline = time.monotonic() + reply.seconds
            while time.monotonic() < deadline and not (reply.until.wait(0.005) or self.model.stopped.is_set()):
                pass
            self._answer(request, reply.reply)
        elif isinstance(reply, Status):
            after = {} if reply.retry_after is None else {"Retry-After": f"{reply.retry_after:g}"}
            self._json(reply.code, _error(reply.message, reply.kind or reply.code), after)
        elif isinstance(reply, Hang):
            self.model.stopped.wait(LONGEST_HANG_S)
            self.close_connection = True
        elif isinstance(reply, Raw):
            self._send(200, reply.content, reply.kind)
        else:
            self._say(request, reply)

    def _say(self, request: Request, reply: Cut | Message | str | dict[str, Any] | None) -> None:
        inner = reply.reply if isinstance(reply, Cut) else reply
        message = inner if isinstance(inner, Message) else _message(request, inner)
        said = json.dumps(message.fields, ensure_ascii=False)
        usage = self.model.count(request, said) if message.usage is None else message.usage
        cut = isinstance(reply, Cut)
        if request.body.get("stream"):
            self._stream(list(_chunks(request, message, usage)), cut=cut)
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": None} | message.fields,
                  "finish_reason": message.finish_reason}  # fmt: skip
        whole = _envelope(request, "chat.completion") | {"choices": [choice]} | ({"usage": usage} if usage else {})
        content = json.dumps(whole).encode()
        self._send(200, content, "application/json", keep=len(content) // 2 if cut else None)

    def _stream(self, chunks: Sequence[dict[str, Any]], *, cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for chunk in chunks[: len(chunks) // 2] if cut else chunks:
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        if not cut:
            self.wfile.write(b"data: [DONE]\n\n")

    def _json(self, code: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self._send(code, json.dumps(value).encode(), "application/json", headers)

    def _send(
        self, code: int, content: bytes, kind: str, headers: Mapping[str, str] | None = None, keep: int | None = None
    ) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[:keep])
        self.close_connection = self.close_connection or keep is not None

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def _message(request: Request, reply: str | dict[str, Any] | None) -> Message:
    """The reply where the request wants it: as words, or as the arguments of the tool that was asked for."""
    value = smallest(request.schema) if reply is None and request.schema else reply
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if request.tier != "tool":
        return Message({"content": said})
    name = request.body["tools"][0]["function"]["name"]
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": said}}
    return Message({"tool_calls": [call]}, "tool_calls")


def _chunks(request: Request, message: Message, usage: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The message as a stream has it: a few characters at a time, then the end, then the usage if it was asked for."""
    base = _envelope(request, "chat.completion.chunk")
    yield base | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    for name, value in message.fields.items():
        parts = [value[n : n + 8] for n in range(0, len(value), 8)] if isinstance(value, str) else [value]
        if name == "tool_calls":
            parts = [[call | {"index": n} for n, call in enumerate(value)]]
        for part in parts:
            yield base | {"choices": [{"index": 0, "delta": {name: part}, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": message.finish_reason}]}
    if usage and (request.body.get("stream_options") or {}).get("include_usage"):
        yield base | {"choices": [], "usage": usage}


def _envelope(request: Request, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 1, "model": request.body.get("model", "scripted")}


def _error(message: str, kind: str | int = "error") -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "code": kind, "param": None}}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _tokens(text: str) -> int:
    return len(text) // 4 + 1


def main() -> None:
    """Serve until interrupted."""
    given = argparse.ArgumentParser(description="A scripted OpenAI-compatible server")
    given.add_argument("--port", type=int, default=8099)
    given.add_argument("--script", choices=("crew", "smallest", "garbage"), default="crew")
    options = given.parse_args()
    scripts: dict[str, Script] = {"crew": crew, "smallest": lambda _: None, "garbage": lambda _: "Certainly! Here is"}
    with ScriptedModel(scripts[options.script], port=options.port) as model:
        print(f"OPENAI_BASE_URL={model.url} OPENAI_API_KEY=none THOTH_AUX_MODEL=scripted", flush=True)
        try:
            model.stopped.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
