"""Two hundred requests of every shape, as bytes: what clients write, also where a parser and a writer would change it.

Written by hand, not by a JSON library, so that whitespace, number formats, escapes, key order and doubled keys are there as
some client has them. Deterministic.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

MANY = 200
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_WORDS = (
    "Anna moved to Lisbon in March", "prose — with a dash", "東京で会いましょう", "שלום עולם", "tab\there",
    "quote \" and \\ back", "🦊 fox",
    "<|endoftext|> and <memory-context>not ours</memory-context>", "line\nend", "a\u0000b", "नमस्ते", "e\u0301", "\u2028",
)  # fmt: skip
_NUMBERS = ("1", "1.0", "1.50", "1E2", "1e-7", "-0", "0.1e+1", "12345678901234567890", "3.141592653589793238462643", "100.000")


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it goes over the wire."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


def requests() -> list[Recorded]:
    """All of them."""
    return [_request(number) for number in range(MANY)]


def _request(number: int) -> Recorded:
    chance = random.Random(number)
    kind = number % 8
    if kind == 6:
        return _got(chance)
    if kind == 7:
        body = _object(chance, [("model", '"m"'), ("input", _array(chance, [_text(chance), _text(chance)]))])
        return Recorded("POST", "/v1/embeddings", _headers(chance, "openai"), _bytes(chance, body))
    api, target, make = (
        ("openai", "/v1/chat/completions", _chat),
        ("openai", "/v1/responses", _responses),
        ("anthropic", "/v1/messages", _messages),
    )[kind % 3]
    query = chance.choice(("", "", "?beta=true", "?api-version=2026-01-01&x=%2F%20a&flag"))
    return Recorded("POST", target + query, _headers(chance, api), _bytes(chance, _object(chance, make(chance))))


def _got(chance: random.Random) -> Recorded:
    target = chance.choice(("/v1/models", "/v1/models/gpt-x", "/v1/models/org%2Fmodel", "/v1/responses/resp_1?include=a"))
    return Recorded(chance.choice(("GET", "DELETE")), target, _headers(chance, chance.choice(("openai", "anthropic"))), b"")


def _chat(chance: random.Random) -> Iterator[tuple[str, str]]:
    user = _object(chance, [("role", '"user"'), ("content", _content(chance, "text"))])
    turns = [_object(chance, [("role", '"system"'), ("content", _text(chance))])] * chance.randrange(2)
    for _ in range(chance.randrange(3)):
        turns += [_object(chance, [("role", '"user"'), ("content", _text(chance))])]
        if chance.random() < 0.5:
            call = r'{"id":"c","type":"function","function":{"name":"f","arguments":"{\"city\": \"Lisboa\"}"}}'
            turns += [
                f'{{"role":"assistant","content":null,"tool_calls":[{call}]}}',
                '{"role":"tool","tool_call_id":"c","content":"21"}',
            ]
        else:
            turns += [_object(chance, [("role", '"assistant"'), ("content", _text(chance))])]
    yield "messages", _array(chance, [*turns, user])
    yield from _common(chance)
    if chance.random() < 0.3:
        yield (
            "tools",
            '[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"n":{"maximum":1.0}}}}}]',
        )
    if chance.random() < 0.3:
        yield "stream_options", '{"include_usage" : true}'


def _responses(chance: random.Random) -> Iterator[tuple[str, str]]:
    if chance.random() < 0.4:
        yield "input", _text(chance)
    else:
        item = _object(chance, [("role", '"user"'), ("content", _content(chance, "input_text"))])
        output = r'{"type":"function_call_output","call_id":"c","output":"{\"ok\":true}"}'
        yield "input", _array(chance, [item, output][: chance.randrange(1, 3)])
    if chance.random() < 0.3:
        yield "previous_response_id", '"resp_0"'
    yield "instructions", _text(chance)
    yield from _common(chance)


def _messages(chance: random.Random) -> Iterator[tuple[str, str]]:
    yield "max_tokens", "1024"
    cached = f'[{{"type":"text","text":{_text(chance)},"cache_control":{{"type":"ephemeral"}}}}]'
    yield "system", chance.choice((_text(chance), cached))
    image = f'{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{PIXEL}"}}}}'
    result = '{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"21"}],"is_error":false}'
    content = chance.choice((_text(chance), f'[{image},{{"type":"text","text":{_text(chance)}}}]', f"[{result}]"))
    yield "messages", f'[{{"role":"user","content":{content}}}]'
    yield from _common(chance)


def _common(chance: random.Random) -> Iterator[tuple[str, str]]:
    yield "model", '"scripted-1"'
    if chance.random() < 0.5:
        yield "stream", chance.choice(("true", "false"))
    if chance.random() < 0.5:
        yield "temperature", chance.choice(_NUMBERS)
    if chance.random() < 0.4:
        yield "x_unknown", f'{{"nested":[{chance.choice(_NUMBERS)},null,{{"":{_text(chance)}}}],"a":1,"a":2}}'
    if chance.random() < 0.2:
        yield "model", '"scripted-2"'  # twice: the last counts


def _content(chance: random.Random, part: str) -> str:
    if chance.random() < 0.4:
        return _text(chance)
    picture = f'{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{PIXEL}","detail":"low"}}}}'
    return _array(chance, [f'{{"type":"{part}","text":{_text(chance)}}}', picture, f'{{"text":{_text(chance)},"type":"{part}"}}'])


def _text(chance: random.Random) -> str:
    text = " ".join(chance.choices(_WORDS, k=chance.randrange(1, 4)))
    written = json.dumps(text, ensure_ascii=chance.random() < 0.5)
    return written[:-1] + r" \ud83d\/" + '"' if chance.random() < 0.1 else written


def _object(chance: random.Random, members: object) -> str:
    gap = chance.choice(("", " ", "\n  ", "\t", "\r\n"))
    return "{" + gap + f",{gap}".join(f'"{key}"{gap}:{gap}{value}' for key, value in members) + gap + "}"  # type: ignore[attr-defined]


def _array(chance: random.Random, items: list[str]) -> str:
    gap = chance.choice(("", " ", "\n"))
    return f"[{gap}" + f"{gap},".join(items) + f"{gap}]"


def _bytes(chance: random.Random, text: str) -> bytes:
    body = text.encode()
    broken = chance.random()
    if broken < 0.03:
        return body[: len(body) // 2]
    return b"\xef\xbb\xbf" + body if broken < 0.05 else body + (b"\n" if broken < 0.2 else b"")


def _headers(chance: random.Random, api: str) -> tuple[tuple[str, str], ...]:
    own = {
        "openai": (("Authorization", "Bearer sk-test"), ("OpenAI-Organization", "org-1"), ("OpenAI-Beta", "x=v2")),
        "anthropic": (("x-api-key", "sk-ant-test"), ("anthropic-version", "2023-06-01"), ("anthropic-beta", "a,b")),
    }[api]
    more = (("X-Stainless-Lang", "python"), ("Accept", "text/event-stream"), ("Accept-Encoding", "gzip"), ("Cookie", "a=1; b=2"))
    kinds = ("application/json", "application/json; charset=utf-8")
    return (*own, ("Content-Type", chance.choice(kinds)), *chance.sample(more, chance.randrange(len(more))))
