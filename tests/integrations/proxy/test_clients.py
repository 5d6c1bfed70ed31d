"""Show 1: the clients that people use talk through the proxy, streaming or not, and the next day they are remembered.

Each says a fact in one conversation and asks for it in another. What the upstream then gets is, but for the block in the user's
turn, byte for byte what the same client sends to it directly: the system prompt too.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import anthropic
import openai
import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from tests.integrations.hosted import settle
from tests.integrations.proxy.conftest import Hearing
from tests.integrations.upstream import Says, Upstream
from tests.server.serving import PATIENCE_S, Served

Talk = Callable[[str, str, bool], str]  # the proxy's or the upstream's URL, what the user says, streaming: the reply

SYSTEM = 'You are “Ada”, terse — answer in one line.\nNever say "perhaps".'
FACT = "My sister Anna moved to Lisbon in March and works at the aquarium there."
QUESTION = "Where does my sister Anna live?"
REPLY = "In Lisbon — since March."
_INNER = rb"<memory-context>(?:(?!</memory-context>).)*</memory-context>"
_BLOCK = re.compile(rb'\\n\\n%b|,\{"type":"\w+","text":"%b"\}' % (_INNER, _INNER))
NPM_S = 120.0


def openai_chat(url: str, said: str, stream: bool) -> str:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0) as client:
        if not stream:
            answer = client.chat.completions.create(
                model="m", messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}]
            )
            return answer.choices[0].message.content or ""
        chunks = client.chat.completions.create(
            model="m", messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}], stream=True
        )
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def openai_responses(url: str, said: str, stream: bool) -> str:
    with openai.OpenAI(base_url=f"{url}/v1", api_key="sk-test", max_retries=0) as client:
        if not stream:
            return client.responses.create(model="m", instructions=SYSTEM, input=said).output_text
        events = client.responses.create(model="m", instructions=SYSTEM, input=said, stream=True)
        return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def anthropic_messages(url: str, said: str, stream: bool) -> str:
    with anthropic.Anthropic(base_url=url, api_key="sk-ant-test", max_retries=0) as client:
        if not stream:
            answer = client.messages.create(model="m", max_tokens=99, system=SYSTEM, messages=[{"role": "user", "content": said}])
            return "".join(block.text for block in answer.content if block.type == "text")
        with client.messages.stream(
            model="m", max_tokens=99, system=[{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
            messages=[{"role": "user", "content": [{"type": "text", "text": said, "cache_control": {"type": "ephemeral"}}]}],
        ) as streamed:  # fmt: skip
            return "".join(streamed.text_stream)


def langchain(url: str, said: str, stream: bool) -> str:
    model = ChatOpenAI(base_url=f"{url}/v1", api_key=SecretStr("sk-test"), model="m", max_retries=0)
    messages: list[BaseMessage] = [SystemMessage(SYSTEM), HumanMessage(said)]
    chunks = model.stream(messages) if stream else [model.invoke(messages)]
    return "".join(str(chunk.content) for chunk in chunks)


def curl(url: str, said: str, stream: bool) -> str:
    body = {
        "model": "m",
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": said}],
        "stream": stream,
    }
    written = json.dumps(body, ensure_ascii=False)
    done = subprocess.run(
        ["curl", "-sSN", "--noproxy", "*", "--compressed", f"{url}/v1/chat/completions", "-H", "Authorization: Bearer sk-test",
         "-H", "Content-Type: application/json", "--data-binary", "@-"],
        input=written.encode(), capture_output=True, check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    if not stream:
        return str(json.loads(done.stdout)["choices"][0]["message"]["content"])
    data = [line[6:] for line in done.stdout.decode().splitlines() if line.startswith("data: {")]
    return "".join(json.loads(chunk)["choices"][0]["delta"].get("content", "") for chunk in data)


PYTHON_CLIENTS = (openai_chat, openai_responses, anthropic_messages, langchain)


@pytest.fixture(scope="session")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which OpenAI's package for Node is installed."""
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("Node and npm are not installed here")
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(Path(__file__).parent / "talk.mjs", folder)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1", "openai"]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=NPM_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"OpenAI's package for Node cannot be installed here, no registry answers: {error}")
    return folder


def remembered(proxy: Served, upstream: Upstream, heard: Hearing, talk: Talk, *, stream: bool) -> None:
    """A fact said in one conversation is in the current turn of the next, and nothing else is changed."""
    upstream.always(Says(REPLY))
    assert talk(proxy.url, FACT, stream) == REPLY
    assert [(one.stream, one.text) for one in heard(REPLY)] == [("cli", FACT), ("assistant_response", REPLY)]
    settle(proxy)
    assert talk(upstream.url, QUESTION, stream) == REPLY
    assert talk(proxy.url, QUESTION, stream) == REPLY
    direct, through = upstream.seen[-2:]
    found = _BLOCK.search(through.body)
    assert found is not None, through.body
    assert FACT.encode() in found[0]
    assert _BLOCK.sub(b"", through.body) == direct.body
    turns = through.json.get("messages") or [{"role": "user", "content": through.json["input"]}]
    assert turns[-1]["role"] == "user"
    assert "<memory-context>" in str(turns[-1]["content"])
    assert "<memory-context>" not in str([*turns[:-1], through.json.get("system"), through.json.get("instructions")])


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("talk", PYTHON_CLIENTS, ids=lambda talk: talk.__name__)
def test_clients_in_python(proxy: Served, upstream: Upstream, heard: Hearing, talk: Talk, stream: bool) -> None:
    remembered(proxy, upstream, heard, talk, stream=stream)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
@pytest.mark.parametrize("stream", [False, True])
def test_curl(proxy: Served, upstream: Upstream, heard: Hearing, stream: bool) -> None:
    remembered(proxy, upstream, heard, curl, stream=stream)


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("stream", [False, True])
def test_openais_package_for_node(
    proxy: Served, upstream: Upstream, heard: Hearing, node_folder: Path, api: str, stream: bool
) -> None:
    def talk(url: str, said: str, streaming: bool) -> str:
        command = ["node", "talk.mjs", f"{url}/v1", api, str(streaming).lower(), SYSTEM, said]
        done = subprocess.run(command, cwd=node_folder, capture_output=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    remembered(proxy, upstream, heard, talk, stream=stream)


def test_embeddings_and_models_and_counting_are_as_without_it(proxy: Served, upstream: Upstream) -> None:
    with openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="sk-test", max_retries=0) as client:
        vectors = client.embeddings.create(model="e", input=["one", "two"], encoding_format="float")
        assert [len(one.embedding) for one in vectors.data] == [8, 8]
        assert [model.id for model in client.models.list()] == ["scripted"]
        assert client.models.retrieve("scripted").id == "scripted"
    with anthropic.Anthropic(base_url=proxy.url, api_key="sk-ant-test", max_retries=0) as other:
        counted = other.messages.count_tokens(model="m", messages=[{"role": "user", "content": QUESTION}])
        assert counted.input_tokens == 7


def test_an_error_is_what_the_client_knows(proxy: Served, upstream: Upstream) -> None:
    asked = {"role": "user", "content": QUESTION}
    with (
        openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="thoth_wrong", max_retries=0) as client,
        pytest.raises(openai.AuthenticationError, match="thoth token create"),
    ):
        client.post("/chat/completions", cast_to=object, body={"model": "m", "messages": [asked]})
    with (
        anthropic.Anthropic(base_url=proxy.url, api_key="thoth_wrong", max_retries=0) as other,
        pytest.raises(anthropic.AuthenticationError, match="thoth token create"),
    ):
        other.post("/v1/messages", cast_to=object, body={"model": "m", "max_tokens": 9, "messages": [asked]})
    assert upstream.seen == []
