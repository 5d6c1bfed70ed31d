"""Which conversation a request belongs to.

A client that says so in `X-Thoth-Session` is believed. Else the name is a hash of who asks, the system prompt and the first
user message, which stay while a client resends its history. Two things would break that, and are remembered while this
process lives: a history cut at its front, which is known again by its last reply, and the Responses API's way of naming the
response before.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping

from thoth_substrate.imports.parts import words
from thoth_substrate.integrations.proxy.dialects import Conversation, Turn
from thoth_substrate.integrations.proxy.replies import Reply

MOST_REMEMBERED = 20_000
NAME_DIGITS = 24


class Sessions:
    """Names conversations; one a server. Forgets the oldest of what it remembers."""

    def __init__(self) -> None:
        self._links: OrderedDict[str, str] = OrderedDict()  # what a later request will show -> its session

    def of(self, conversation: Conversation, tenant: str, asker: str) -> str:
        """The session of a request without a header that says it. `asker` tells apart who shares a tenant."""
        named = _named(conversation.body)
        if named:
            return named
        before = words(conversation.body.get("previous_response_id"))
        if before:
            return self._links.get(_key(tenant, "response", before)) or _name(tenant, asker, before)
        derived = _name(tenant, asker, conversation.system, conversation.opening())
        if self._links.get(_key(tenant, "session", derived)):
            return derived
        known = (self._links.get(place) for place in self._places(conversation, tenant))
        return next(filter(None, known), derived)

    def note(self, conversation: Conversation, tenant: str, session: str, reply: Reply) -> None:
        """Remember what the next request of this conversation will show: that this reply stands before it."""
        asked = next((turn.text for turn in conversation.backwards() if turn.role == "user"), "")
        self._link(_key(tenant, "session", session), session)
        self._link(_key(tenant, "reply", asked, said(reply)), session)
        if reply.id:
            self._link(_key(tenant, "response", reply.id), session)

    def _places(self, conversation: Conversation, tenant: str) -> list[str]:
        """The keys of the last reply in a history and of what was asked before it: of its last entry, and of them all.

        A reply may be several entries, say words and a call, or the last of several was a reply by itself.
        """
        reply: list[Turn] = []
        ended = False
        for turn in conversation.backwards():
            if turn.role == "assistant" and not ended:
                reply.insert(0, turn)
            elif turn.role == "user" and reply:
                last = next(filter(None, map(said_by, reversed(reply))), "")
                whole = said(Reply(" ".join(one.text for one in reply), tuple(call for one in reply for call in one.calls)))
                return [_key(tenant, "reply", turn.text, words) for words in dict.fromkeys((last, whole)) if words]
            ended = ended or bool(reply and turn.role == "tool")
        return []

    def _link(self, key: str, session: str) -> None:
        self._links[key] = session
        self._links.move_to_end(key)
        if len(self._links) > MOST_REMEMBERED:
            self._links.popitem(last=False)


def said(reply: Reply) -> str:
    """A reply as it is known again in a history: its words, however they are spaced, else the ids of its calls."""
    return " ".join(reply.text.split()) or " ".join(call.id or call.name for call in reply.calls)


def said_by(turn: Turn) -> str:
    """An assistant's turn as it is known again."""
    return said(Reply(turn.text, turn.calls))


def _named(body: Mapping[str, object]) -> str:
    """The Responses API's conversation: its id, or an object that has it."""
    given = body.get("conversation")
    return words(given.get("id")) if isinstance(given, dict) else words(given)


def _name(*parts: str) -> str:
    return f"proxy-{digest(*parts)[:NAME_DIGITS]}"


def _key(*parts: str) -> str:
    return digest(*parts)


def digest(*parts: str) -> str:
    """One name for several words, in hexadecimal digits: no two lists of words that differ are written alike before hashing."""
    found = hashlib.sha256()
    for part in parts:
        written = part.encode("utf-8", "surrogatepass")
        found.update(len(written).to_bytes(8, "big") + written)
    return found.hexdigest()
