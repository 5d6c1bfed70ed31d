"""Three ways of asking for structure, best first: a schema for the reply, a tool that must be called, plain JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import openai
from pydantic import BaseModel

from thoth_substrate.llm.structure import clean
from thoth_substrate.model.ports import Tier
from thoth_substrate.model.tokens import measure

ORDER: tuple[Tier, ...] = ("schema", "tool", "json")
NAME = "reply"
ECHO_CHARS = 4000  # of an unreadable reply that its writer is shown again
FRAME_TOKENS = 24  # roles, separators and names, which no tokenizer of ours sees
IMAGE_TOKENS = 1600  # what providers count for a large picture, about
_PLAIN = "\n\nAnswer with one JSON object and nothing else: no prose, no code fences. It follows this JSON schema:\n"
_AGAIN = "That could not be read ({problem}). Answer again: one JSON object that follows the schema, complete, and nothing else."


@dataclass(frozen=True, slots=True)
class Asked:
    """What goes over the wire, but for the model's name. `tokens` is how many that is, by cl100k.

    `temperature` None leaves it to the endpoint.
    """

    agent: str
    messages: Sequence[dict[str, Any]]
    max_tokens: int
    tokens: int
    extra: dict[str, Any] = field(default_factory=dict)
    temperature: float | None = 0.0


def first_try(
    agent: str, system: str, user: str, reply: type[BaseModel], max_tokens: int, tier: Tier, images: Sequence[str] = ()
) -> Asked:  # fmt: skip
    """The request at one tier, with pictures as data URLs."""
    schema = schema_of(reply)
    text = json.dumps(schema, ensure_ascii=False)
    said: str = clean(system) + (_PLAIN + text if tier == "json" else "")
    asked = clean(user)
    shown = [{"type": "image_url", "image_url": {"url": image}} for image in images]
    content: Any = [{"type": "text", "text": asked}, *shown] if shown else asked
    messages = [{"role": "system", "content": said}, {"role": "user", "content": content}]
    tokens = measure(said) + measure(asked) + IMAGE_TOKENS * len(images) + FRAME_TOKENS
    if tier != "json":
        tokens += measure(text)
    return Asked(agent, messages, max_tokens, tokens, _extra(tier, schema))


def second_try(asked: Asked, text: str, problem: str) -> Asked:
    """The same once more, with what came back and what was wrong with it."""
    shown, wish = clean(text)[:ECHO_CHARS] or "(nothing)", _AGAIN.format(problem=problem)
    messages = [*asked.messages, {"role": "assistant", "content": shown}, {"role": "user", "content": wish}]
    tokens = asked.tokens + measure(shown) + measure(wish) + FRAME_TOKENS
    return Asked(asked.agent, messages, asked.max_tokens, tokens, asked.extra)


@cache
def schema_of(reply: type[BaseModel]) -> dict[str, Any]:
    """The reply's schema in the strict form that endpoints demand: every property required, no others."""
    found: dict[str, Any] = dict(openai.pydantic_function_tool(reply)["function"]["parameters"])
    return found


def _extra(tier: Tier, schema: dict[str, Any]) -> dict[str, Any]:
    if tier == "schema":
        form = {"name": NAME, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if tier == "tool":
        tool = {"name": NAME, "description": "Hand in the reply.", "parameters": schema, "strict": True}
        chosen = {"type": "function", "function": {"name": NAME}}
        return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}
    return {}
