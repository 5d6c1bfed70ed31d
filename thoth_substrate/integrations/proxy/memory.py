"""What the memory does with a request that is forwarded: a block for its current turn, and what was said, perceived.

The current turn is the user's that is to be answered. While tools are at work for it, it is the same, with the same block
(`kept.py`); nothing is recalled for it again.

Nothing here fails a request. What a body of no known shape, a façade that is closed or anything else of that kind leads to is
a request without memory, and a line in the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar
from uuid import UUID

from thoth_substrate.access.caller import Caller, Right, Scope
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import ThothError
from thoth_substrate.house import House
from thoth_substrate.imports.found import ASSISTANT, TOOL_CALL, TOOL_RESULT
from thoth_substrate.integrations.proxy import replies
from thoth_substrate.integrations.proxy.dialects import Conversation, Dialect, Turn, conversation
from thoth_substrate.integrations.proxy.kept import Block, Kept, names
from thoth_substrate.integrations.proxy.perceiving import DEFAULT_STREAM, Exchange, Heard
from thoth_substrate.integrations.proxy.sessions import Sessions
from thoth_substrate.integrations.proxy.splice import with_block
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.clean import without_own_context
from thoth_substrate.recall.deadline import Late, Reading, within
from thoth_substrate.views.still import still_there

log = logging.getLogger("thoth.proxy")
T = TypeVar("T")
BESIDE_S = 0.005  # a request is perceived so long after it was sent on: an answer that comes sooner does not wait for it
INLINE_BYTES = 1 << 18  # what is longer is read in a thread
WORLD = "thoth.world."
_OWN_STREAMS = frozenset((DEFAULT_STREAM, ASSISTANT, TOOL_CALL, TOOL_RESULT))
KEPT_ANSWER_BYTES = 32 << 20  # of an answer, as it came; the rest is forwarded and not perceived
# What reading what others wrote may raise, beside what Thoth raises itself.
_UNFIT = (ThothError, ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError, RuntimeError)


@dataclass
class Asked:
    """A request that may have to do with memory: whose, in which dialect, and what it says."""

    dialect: Dialect
    caller: Caller
    whom: Scope
    named: Mapping[str, str]  # its headers
    body: bytes
    asker: str
    session: str = ""

    def may(self, right: Right) -> bool:
        return bool({right, "admin"} & self.caller.scopes)

    def header(self, name: str) -> str:
        return self.named.get(name, "").strip()

    @property
    def is_heard(self) -> bool:
        """Whether it is perceived."""
        return self.may("write") and self.header("x-thoth-perceive").lower() != "off"

    @cached_property
    def talk(self) -> Conversation | None:
        """The request, read once."""
        return conversation(self.dialect, self.body)


@dataclass
class Answer:
    """What came back, collected while it passes through; not collected unless `wanted`."""

    wanted: bool = False
    coding: str = ""
    kind: str = ""
    good: bool = False
    whole: bool = False
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, chunk: bytes) -> None:
        """Keep a chunk, as long as there is room."""
        self.size += len(chunk)
        if self.wanted and self.size <= KEPT_ANSWER_BYTES:
            self.chunks.append(chunk)


@dataclass(frozen=True, slots=True)
class Injected:
    """A body with memory in its current turn; the recall that it came from, and how many lines that showed."""

    body: bytes
    recall_id: UUID
    lines: int


class Memory:
    """The memory's part in forwarding; one a server."""

    def __init__(self, house: House) -> None:
        self._house, self._recall_is_on = house, house.settings.recall
        self._sessions, self._kept = Sessions(), Kept(house.clock)

    async def block(self, asked: Asked) -> Injected | None:
        """The body with what is remembered in its current turn; None when it shall go as it came."""
        said = asked.header("x-thoth-recall").lower()
        if said == "off" or not (self._recall_is_on or said == "on") or not asked.may("read"):
            return None
        try:
            return await self._injected(asked)
        except _UNFIT as error:
            log.warning("A request went on without memory: %s", error)
            return None

    async def _injected(self, asked: Asked) -> Injected | None:
        size = len(asked.body)
        current, is_new = await _apart(size, _current, asked)
        if current is None or asked.talk is None:
            return None
        named = await _apart(size, names, asked.whom.tenant, self._session(asked), asked.talk, current)
        block = await (self._recalled(asked, current, named) if is_new else self._again(asked, named))
        if block is None:
            return None
        put = partial(with_block, as_part=block.is_part)
        body = await _apart(size, put, asked.body, asked.dialect.turns_key, current.index, asked.dialect.part_type, block.text)
        if body is None:
            return None
        self._kept.keep(named, block)
        return Injected(body, block.recall_id, block.lines)

    async def _recalled(self, asked: Asked, current: Turn, named: Sequence[str]) -> Block | None:
        """The block of a turn that is asked for the first time, or once more by a client that tries again."""
        assert asked.talk is not None
        projection = await self._house.substrate.recall(
            without_own_context(current.text),
            session=self._session(asked),
            tenant=asked.whom.tenant,
            forced=asked.header("x-thoth-recall").lower() == "on",
        )
        self._kept.forget(named)
        return Block.of(projection, is_part=asked.talk.is_of_parts(current)) if projection.block else None

    async def _again(self, asked: Asked, named: Sequence[str]) -> Block | None:
        """The block that a turn had before, if all that it shows still stands. What cannot be looked up is not shown."""
        block = self._kept.find(named)
        if block is None:
            return None
        tenant, seconds = asked.whom.tenant, self._house.settings.recall_deadline_ms / 1000

        async def look(database: Database, _: object) -> bool:
            reading = Reading(database, tenant)
            return await within(_stands(reading, block), seconds, reading.cut)

        try:
            stands = await self._house.substrate.lend(look)
        except Late:
            log.warning("The database did not say in time whether a block still stands; the request went on without it")
            return None
        if not stands:
            self._kept.let_go(block)
        return block if stands else None

    async def hear_request(self, asked: Asked) -> None:
        """Perceive what is new in a request, a moment after it went on."""
        await asyncio.sleep(BESIDE_S)
        await self._beside(self._perceive_request, len(asked.body), asked)

    async def hear_answer(self, asked: Asked, answer: Answer) -> None:
        """Perceive the reply, once it has gone."""
        if answer.good:
            await self._beside(self._perceive_answer, len(asked.body) + answer.size, asked, answer)

    async def _beside(self, work: Callable[..., None], size: int, *given: Any) -> None:
        try:
            await _apart(size, work, *given)
        except _UNFIT as error:
            log.warning("A conversation that was forwarded could not be perceived: %s", error)

    def _perceive_request(self, asked: Asked) -> None:
        if asked.talk is not None:
            self._perceive(asked, Exchange(asked.talk, self._heard(asked)).of_request())

    def _perceive_answer(self, asked: Asked, answer: Answer) -> None:
        if asked.talk is None:
            return
        reply = replies.read(asked.dialect, b"".join(answer.chunks), answer.coding, answer.kind)
        if reply is None:
            return
        reply = reply if answer.whole else reply.broken_off()
        self._sessions.note(asked.talk, asked.whom.tenant, self._session(asked), reply)
        self._perceive(asked, Exchange(asked.talk, self._heard(asked)).of_reply(reply))

    def _perceive(self, asked: Asked, events: list[Event]) -> None:
        for event in events:
            ack = self._house.substrate.perceive_sync(event, tenant=asked.whom.tenant)
            if ack.dropped and event.stream not in _OWN_STREAMS:  # nobody registered the stream that the header names
                self._house.substrate.perceive_sync(replace(event, stream=DEFAULT_STREAM), tenant=asked.whom.tenant)

    def _session(self, asked: Asked) -> str:
        """The session of a request; found out once, since what it is told by changes with the answer."""
        if not asked.session:
            assert asked.talk is not None
            asked.session = asked.whom.session or self._sessions.of(asked.talk, asked.whom.tenant, asked.asker)
        return asked.session

    def _heard(self, asked: Asked) -> Heard:
        assert asked.talk is not None
        stream = asked.header("x-thoth-stream")
        told = {"agent": asked.whom.agent, "user": asked.whom.user, "model": asked.talk.model}
        return Heard(
            self._session(asked),
            self._house.clock.now().date(),
            stream if stream.startswith(WORLD) else DEFAULT_STREAM,
            {name: value for name, value in told.items() if value},
        )


def _current(asked: Asked) -> tuple[Turn | None, bool]:
    """The turn that is to be answered, and whether it is new, and not one that tools are at work for."""
    if asked.talk is None:
        return None, True
    current = asked.talk.current()
    return (current, True) if current else (asked.talk.at_work(), False)


async def _stands(reading: Reading, block: Block) -> bool:
    async with reading.tx() as tx:
        return await still_there(tx, reading.tenant_id, block.slice_ids, block.row_ids, block.recall_id)


async def _apart(size: int, work: Callable[..., T], *given: Any) -> T:
    """Do something at once, or in a thread when it goes through so many bytes that others would wait for it."""
    return await asyncio.to_thread(work, *given) if size > INLINE_BYTES else work(*given)
