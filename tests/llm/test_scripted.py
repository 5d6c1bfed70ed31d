"""The scripted server speaks the wire format as the official client reads it."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest
from pydantic import BaseModel

from tests.house.source import ROOT
from tests.llm.conftest import GOOD
from tests.llm.scripted import Cut, Delay, Message, ScriptedModel, Status, smallest

ASKED: list[Any] = [{"role": "system", "content": "You are the Pattern-finder of a memory."}, {"role": "user", "content": "hi"}]


def client(model: ScriptedModel) -> openai.OpenAI:
    return openai.OpenAI(base_url=model.url, api_key="sk", max_retries=0)


def test_chats_streams_models_and_vectors(model: ScriptedModel) -> None:
    with client(model) as asking:
        whole = asking.chat.completions.create(model="m", messages=ASKED)
        assert whole.usage is not None
        again = asking.chat.completions.create(model="m", messages=ASKED)
        assert again.usage is not None
        assert again.usage.prompt_tokens_details is not None
        assert again.usage.prompt_tokens_details.cached_tokens
        stream = asking.chat.completions.create(model="m", messages=ASKED, stream=True, stream_options={"include_usage": True})
        chunks = list(stream)
        assert (
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == whole.choices[0].message.content
        )
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens
        assert [one.id for one in asking.models.list()] == ["scripted"]
        assert len(asking.embeddings.create(model="e", input=["a", "b"], dimensions=16).data[1].embedding) == 16
    assert (model.requests[0].agent, model.requests[0].user) == ("pattern_finder", "hi")


def test_a_client_that_is_killed_while_it_asks_has_asked_nothing(model: ScriptedModel) -> None:
    place = urlsplit(model.url)
    with socket.create_connection((str(place.hostname), place.port or 0), timeout=60) as dying:
        said = b'{"model": "m", "messages": []}'
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(said) + 5}\r\n\r\n"
        dying.sendall(head.encode() + said)
        dying.shutdown(socket.SHUT_WR)
        assert dying.recv(1000) == b""
    assert model.requests == []


def test_it_fails_as_it_is_told_to(model: ScriptedModel) -> None:
    late = Delay(GOOD, seconds=0.0)
    model.then(Status(429, retry_after=3, kind="rate_limit_exceeded"), Cut("half of this"), Message({"reasoning": "x"}), late)
    with client(model) as asking:
        with pytest.raises(openai.RateLimitError) as refused:
            asking.chat.completions.create(model="m", messages=ASKED)
        assert (refused.value.code, refused.value.response.headers["retry-after"]) == ("rate_limit_exceeded", "3")
        with pytest.raises(openai.APIConnectionError):
            asking.chat.completions.create(model="m", messages=ASKED)
        assert asking.chat.completions.create(model="m", messages=ASKED).choices[0].message.content is None
        assert asking.chat.completions.create(model="m", messages=ASKED).choices[0].message.content


def test_the_smallest_reply_fits_the_schema() -> None:
    class Inner(BaseModel):
        name: str
        share: float

    class Outer(BaseModel):
        inner: Inner
        more: list[Inner]
        maybe: Inner | None
        yes: bool

    assert Outer.model_validate(smallest(Outer.model_json_schema())).more == []


def test_it_runs_by_hand() -> None:
    command = [sys.executable, "-m", "tests.llm.scripted", "--port", "0", "--script", "crew"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        said = running.stdout.readline()
        running.terminate()
    assert said.startswith("OPENAI_BASE_URL=http://127.0.0.1:")
