"""One chat completion over HTTP. The only importer of openai for chats. Whatever happens comes back as a value."""

from __future__ import annotations

import asyncio
import re
import weakref
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import openai

from thoth_substrate.llm.address import Address
from thoth_substrate.llm.tiers import Asked

LONGEST_RETRY_AFTER_S = 3600.0
REFUSING = (400, 413, 422, 501)  # this request, not everybody
TRANSIENT = (408, 409, 425, 429)
_UNKNOWN = re.compile(r"unsupported|not support|unknown|unrecognized|not permitted|unexpected", re.IGNORECASE)
_CODE = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True, slots=True)
class Said:
    """A completion: the texts in which the reply may be, likeliest first, and its usage (None where it was not told)."""

    texts: tuple[str, ...]
    cut_off: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class NotSaid:
    """No completion. `reason` never holds content.

    `refused`: this request was, and another may do; else the endpoint is at fault. `retry`: another attempt may help at
    once. `ambiguous`: the request itself may be what the endpoint cannot bear. `charged`: it may have to be paid all the same.
    `broke`: the server answered that it broke (5xx), as some do when asked in a way that they do not know.
    """

    reason: str
    refused: bool = False
    retry: bool = False
    ambiguous: bool = False
    charged: bool = False
    broke: bool = False
    retry_after: timedelta | None = None


class Wire:
    """One endpoint. May be used from several event loops; each has its own connections."""

    def __init__(self, api_key: str | None, address: Address, timeout: timedelta) -> None:
        self._api_key, self._address, self._timeout_s = api_key, address, timeout.total_seconds()
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = weakref.WeakKeyDictionary()
        # What a model turned out not to take: learnt from its refusals, for as long as the process lives.
        self._quirks: dict[str, set[str]] = {}

    async def complete(self, model: str, asked: Asked) -> Said | NotSaid:
        """One attempt, within the timeout. A parameter that the model does not know is left out and the rest asked again."""
        for _ in range(3):
            try:
                async with asyncio.timeout(self._timeout_s):  # the client's own limit starts anew with every byte
                    return _read(await self._send(model, asked))
            except openai.BadRequestError as error:
                if not self._learned(model, error):
                    return _failure(error)
            except (openai.OpenAIError, TimeoutError) as error:
                return _failure(error)
            except (ValueError, TypeError, AttributeError):  # what the client makes of a reply that is none
                return NotSaid("it answered with something else than a chat completion", charged=True)
        return NotSaid("it refuses every form of the request", refused=True)

    async def stream(self, model: str, asked: Asked) -> AsyncGenerator[str | Said | NotSaid, None]:
        """One attempt whose words are handed on as they come; the last item says what it came to.

        Each pause is within the timeout. Closed early, the connection is closed as well.
        """
        opened = await self._opened(model, asked)
        if isinstance(opened, NotSaid):
            yield opened
            return
        heard: list[str] = []
        told: Any = None
        ended: str | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(self._timeout_s):
                        chunk = await anext(opened, None)
                except (openai.OpenAIError, TimeoutError) as error:
                    failed = _failure(error)
                    yield replace(failed, charged=True, retry=failed.retry and not heard)
                    return
                except (ValueError, TypeError, AttributeError):
                    yield NotSaid("it streams something else than a chat completion", charged=True)
                    return
                if chunk is None:
                    break
                told = getattr(chunk, "usage", None) or told
                words, end = _part(chunk)
                ended = end or ended
                if words:
                    heard.append(words)
                    yield words
        finally:
            await opened.close()
        if ended is None:  # a proxy between may have closed it politely
            yield NotSaid("the connection broke while it answered", retry=not heard, ambiguous=True, charged=True)
        else:
            yield _told(("".join(heard),) if heard else (), told, cut_off=ended == "length")

    async def _opened(self, model: str, asked: Asked) -> Any:
        """The stream, or why there is none."""
        for _ in range(4):
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._send(model, asked, stream=True)
            except openai.BadRequestError as error:
                if not self._learned(model, error):
                    return _failure(error)
            except (openai.OpenAIError, TimeoutError) as error:
                return _failure(error)
        return NotSaid("it refuses every form of the request", refused=True)

    async def close(self) -> None:
        """Close the connections of the running event loop. May be used again."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _send(self, model: str, asked: Asked, *, stream: bool = False) -> Any:
        quirks = self._quirks.get(model, set())
        limit = "max_completion_tokens" if self._address.is_openai != ("max_tokens" in quirks) else "max_tokens"
        more = {limit: asked.max_tokens, **asked.extra}
        if asked.temperature is not None and "temperature" not in quirks:
            more["temperature"] = asked.temperature
        if stream:
            more["stream"] = True
            if "stream_options" not in quirks:
                more["stream_options"] = {"include_usage": True}
        client = await self._client()
        chats: Any = client.chat.completions  # its types want a literal for every word
        header = {"X-Thoth-Agent": re.sub(r"[^\w.-]", "_", asked.agent, flags=re.ASCII)}
        return await chats.create(model=model, messages=list(asked.messages), extra_headers=header, **more)

    def _learned(self, model: str, error: openai.BadRequestError) -> bool:
        """Whether the refusal names a parameter that can be done without, and was not known to."""
        said, known = str(error), self._quirks.setdefault(model, set())
        if not _UNKNOWN.search(said):
            return False
        named = {"max_tokens"} if "max_tokens" in said or "max_completion_tokens" in said else set()
        new = (named | {one for one in ("temperature", "stream_options") if one in said}) - known
        known |= new
        return bool(new)

    async def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:  # made in a thread: reading the certificates takes long
            client = self._clients.setdefault(loop, await asyncio.to_thread(self._connect))
        return client

    def _connect(self) -> openai.AsyncOpenAI:
        # Attempts are counted and paid one by one, so the client makes none of its own. A local endpoint wants no key.
        return openai.AsyncOpenAI(
            api_key=self._api_key or "none",
            base_url=self._address.url,
            default_headers=self._address.headers,
            max_retries=0,
            timeout=self._timeout_s,
        )


def _read(completion: Any) -> Said | NotSaid:
    """The completion's texts and usage, from whatever shape it has."""
    choices = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if message is None:
        return NotSaid("it answered with something else than a chat completion", charged=True)
    texts = tuple(dict.fromkeys(text for text in _texts(message) if text.strip()))
    return _told(texts, getattr(completion, "usage", None), cut_off=getattr(choice, "finish_reason", None) == "length")


def _told(texts: tuple[str, ...], usage: Any, *, cut_off: bool) -> Said:
    """The texts with the usage that came with them, if any did."""
    details = getattr(usage, "prompt_tokens_details", None)
    return Said(
        texts,
        cut_off,
        _whole(getattr(usage, "prompt_tokens", None)),
        _whole(getattr(usage, "completion_tokens", None)),
        _whole(getattr(details, "cached_tokens", None)) or 0,
    )


def _part(chunk: Any) -> tuple[str, str | None]:
    """The words of one piece of a stream, and why the completion ends there, if it does. Reasoning is not passed on."""
    choices = getattr(chunk, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    content = getattr(getattr(choice, "delta", None), "content", None)
    return content if isinstance(content, str) else "", getattr(choice, "finish_reason", None)


def _texts(message: Any) -> Iterator[str]:
    """Where models put the answer: the tool's arguments, the content (text or parts of it), or among their reasoning."""
    for call in getattr(message, "tool_calls", None) or ():
        arguments = getattr(getattr(call, "function", None), "arguments", None)
        if isinstance(arguments, str):
            yield arguments
    content = getattr(message, "content", None)
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    for name in ("reasoning_content", "reasoning", "thinking"):
        reasoning = getattr(message, name, None)
        if isinstance(reasoning, str):
            yield reasoning


def _failure(error: Exception) -> NotSaid:
    """What an error of the client means."""
    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return NotSaid("no answer in time", ambiguous=True, charged=True)
    if isinstance(error, openai.APIConnectionError):
        never = type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")
        reason = "no connection" if never else "the connection broke while it answered"
        return NotSaid(reason, retry=True, ambiguous=not never, charged=not never)
    return NotSaid("it answered with something else than a chat completion", charged=True)


def _status(error: openai.APIStatusError) -> NotSaid:
    code = str(error.code or "")
    reason = f"HTTP {error.status_code}" + (f" ({code})" if _CODE.fullmatch(code) and code != str(error.status_code) else "")
    if error.status_code in REFUSING:
        return NotSaid(reason, refused=True)
    after = error.response.headers.get("retry-after", "")
    seconds = min(float(after), LONGEST_RETRY_AFTER_S) if after.replace(".", "", 1).isdigit() else None
    passing = error.status_code in TRANSIENT or error.status_code >= 500
    return NotSaid(
        reason, retry=passing, ambiguous=error.status_code >= 500, broke=error.status_code >= 500,
        retry_after=None if seconds is None else timedelta(seconds=seconds),
    )  # fmt: skip


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**31 else None
