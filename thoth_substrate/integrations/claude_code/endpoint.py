"""The server's end of Claude Code's hooks: each payload is perceived, and answered by exactly one JSON object, in time.

A hook must never harm the turn: whatever is wrong with a payload or with Thoth, the answer is `{}` with status 200, and
the log says why. Only a request that the gate refuses (another origin, too long a body) fails, before it comes here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from starlette.requests import ClientDisconnect

from thoth_substrate.access.caller import Scope, require, scope_of
from thoth_substrate.awareness.line import line
from thoth_substrate.errors import BadInput, ThothError, TokenNeeded
from thoth_substrate.house import House
from thoth_substrate.imports.parts import words
from thoth_substrate.integrations.claude_code.payloads import Payload, events, prompt_of, session_of

PATH = "/hooks/claude-code"
ANSWER_WITHIN_S = 1.2  # what is not there by then is left out; the host waits two seconds
MOST_CHARS = 40_000  # of context: what is longer the host moves into a file
LOOK_UP = "the tool awareness of thoth, with"
_log = logging.getLogger("thoth.hooks")


def routes(house: House) -> APIRouter:
    """The endpoint of the hooks."""
    router = APIRouter(tags=["hooks"])

    @router.post(PATH, summary="Take an event of Claude Code and answer its hook")
    async def hook(request: Request) -> Response:
        answer: Mapping[str, Any] = {}
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                answer = await _answer(house, request)
        except TokenNeeded:
            _log.warning(
                "A hook came without a token that is good, and was not perceived: set THOTH_TOKEN where Claude Code runs."
            )
        except (ThothError, TimeoutError, ClientDisconnect) as error:
            _log.warning("A hook was answered with nothing: %s", error or "it took too long")
        return Response(orjson.dumps(answer), media_type="application/json")

    return router


async def _answer(house: House, request: Request) -> Mapping[str, Any]:
    payload = await _payload(request)
    scope = scope_of(request.headers, require(getattr(request.state, "caller", None), "write"))
    name = words(payload.get("hook_event_name"))
    _perceive(house, payload, scope)
    if name == "UserPromptSubmit":
        return _context(name, await _recalled(house, payload, scope))
    if name == "SessionStart":
        return _context(name, await line(await house.database(), scope.tenant, how=LOOK_UP))
    return {}


async def _payload(request: Request) -> Payload:
    """The request's JSON object. A form or a text is not taken: a page could send one without being asked whether it may."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise BadInput("A hook's payload comes as application/json.")
    try:
        payload = orjson.loads(await request.body())
    except orjson.JSONDecodeError as error:
        raise BadInput(f"A hook's payload is no JSON: {error}.") from error
    if not isinstance(payload, dict):
        raise BadInput("A hook's payload is a JSON object.")
    return payload


def _perceive(house: House, payload: Payload, scope: Scope) -> None:
    for event in events(payload):
        ack = house.substrate.perceive_sync(event, tenant=scope.tenant)
        if ack.dropped:
            _log.debug("%s of a hook was not kept: %s", event.stream, ack.dropped)


async def _recalled(house: House, payload: Payload, scope: Scope) -> str:
    prompt = prompt_of(payload)
    if not prompt:
        return ""
    return (await house.substrate.recall(prompt, session=session_of(payload), tenant=scope.tenant)).block


def _context(event: str, text: str) -> Mapping[str, Any]:
    """The answer that puts `text` before the model; nothing for nothing, and for more than the host takes whole."""
    if not text or len(text) > MOST_CHARS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
