"""What a crew member is: data and a few functions, and the one tick that all of them have in common.

    gather   what there is to do for one tenant: reads, claims, and lets go of its connection
    prompts  what to ask a model about it (pure; none for agents that ask nobody)
    decide   proposals, from what was gathered and the replies (pure: replay runs it again on what was recorded)
    enrich   what the proposals need besides, such as vectors (optional; still without a connection)
    apply    one idempotent transaction that re-checks what it rests on; the decision is written in the same one

No connection is held while a model is asked. Killed anywhere, an agent loses nothing: claims end by themselves.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Tx
from thoth_substrate.db.queries import query
from thoth_substrate.llm.chat import Answer, Outcome, Prompt
from thoth_substrate.model.ids import next_id
from thoth_substrate.model.intensity import Intensity
from thoth_substrate.model.knowledge import Maker
from thoth_substrate.model.payer import paid_by
from thoth_substrate.perceive.diary import append
from thoth_substrate.settings import Settings, switched_on
from thoth_workers.purges import gone_by, so_far
from thoth_workers.recorded import without_texts
from thoth_workers.worker import AT_ONCE, Context, Report, Worker

G = TypeVar("G")
P = TypeVar("P")
CrewContext: TypeAlias = Context
Role = Literal["intake", "enrichment", "critic", "steering"]
NO_MODEL = timedelta(minutes=1)  # a process without a model gets none later: only its heartbeat is wanted
ROUND_S = 20.0  # after so long no further tenant is begun in one tick; the next tick goes on
ASKING = 0.5  # of a tick's limit: what was answered by then is written, and not lost to the limit
LONGEST_REST = timedelta(minutes=10)
UNAVAILABLE = frozenset({Outcome.BUDGET_SPENT, Outcome.ENDPOINT_DOWN, Outcome.NO_MODEL})


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the model. `reply` is the shape of the answer; the frame adds agent, tenant and decision."""

    system: str
    user: str
    reply: type[BaseModel]
    max_tokens: int = 2000


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one Ask: `value` is None unless it was usable. `reason` says why, without content."""

    outcome: Outcome
    value: Any
    text: str
    model: str = ""
    reason: str = ""
    dropped: int = 0

    @property
    def usable(self) -> bool:
        return self.value is not None

    @property
    def unavailable(self) -> bool:
        """Nobody was asked, or nobody answered: it says nothing about what was asked."""
        return self.outcome in UNAVAILABLE


_LEFT = Reply(
    Outcome.ENDPOINT_DOWN, None, "", reason="The tick's time was up, or its process was told to stop, before this was asked."
)


@dataclass(frozen=True, slots=True)
class KnownTenant:
    tenant_id: str


_TENANTS = query(__package__, "known_tenants", KnownTenant)


async def every_tenant(ctx: CrewContext) -> Sequence[str]:
    """Whoever has perceived anything."""
    async with ctx.database.worker() as tx:
        return [known.tenant_id for known in await tx.fetch(_TENANTS)]


def no_questions(_: Any) -> Sequence[Ask]:
    """What an agent asks that asks no model."""
    return ()


@dataclass(frozen=True, slots=True)
class Agent(Generic[G, P]):
    """A crew member. `gathered` and `proposals` are dataclasses (or pydantic models) that JSON can carry: they are recorded.

    `name` is its name in the database and its gate (THOTH_SUBSTRATE_<NAME>); `version` is the prompt's, changed with it.
    `baseline` is the level when nothing presses. `gather` answers None when there is nothing to do for that tenant.
    `apply` answers what it did, as JSON values. `renew` is called before each question, so that a claim outlives slow
    answers; `let_go` when not all could be asked (no attempt is counted of what was not); `failed` when no reply was usable.
    """

    name: str
    role: Role
    reads: str
    writes: str
    version: str
    gathered: type[G]
    proposals: type[P]
    gather: Callable[[CrewContext, str], Awaitable[G | None]]
    decide: Callable[[G, Sequence[Reply]], P]
    apply: Callable[[Tx, str, G, P, Maker], Awaitable[Mapping[str, Any]]]
    prompts: Callable[[G], Sequence[Ask]] = no_questions
    enrich: Callable[[CrewContext, str, G, P], Awaitable[P]] | None = None
    renew: Callable[[CrewContext, str, G], Awaitable[None]] | None = None
    let_go: Callable[[CrewContext, str, G], Awaitable[None]] | None = None
    failed: Callable[[CrewContext, str, G, str], Awaitable[Mapping[str, Any]]] | None = None
    tenants: Callable[[CrewContext], Awaitable[Sequence[str]]] = every_tenant
    every: timedelta = timedelta(minutes=1)
    limit: timedelta = timedelta(minutes=10)
    baseline: Intensity = Intensity.FULL
    singleton: bool = True
    uses_model: bool = False


def worker_of(agent: Agent[Any, Any]) -> Worker:
    """The worker that runs an agent: gates, lease, heartbeat and net are the loop's."""

    async def tick(ctx: CrewContext) -> Report:
        return await _round(agent, ctx)

    def enabled(settings: Settings) -> bool:
        return switched_on(settings, agent.name)

    return Worker(agent.name, agent.every, agent.limit, tick, enabled, agent.singleton)


@dataclass(frozen=True, slots=True)
class _Unit:
    """One gather → apply for one tenant: what it did, or until when nobody can be asked."""

    did: Mapping[str, Any] | None = None
    retry_at: datetime | None = None
    unavailable: bool = False


async def _round(agent: Agent[G, P], ctx: CrewContext) -> Report:
    """One unit for each tenant that has work, in an order by chance; ended early by time, by a stop, or by want of a model."""
    if agent.uses_model and (ctx.chat is None or ctx.chat.model_for(agent.name) is None):
        return Report(next_in=NO_MODEL)
    tenants = list(await agent.tenants(ctx))
    random.shuffle(tenants)
    did: dict[str, Mapping[str, Any]] = {}
    began = ctx.clock.monotonic_s()
    for tenant_id in tenants:
        if ctx.stopping or ctx.clock.monotonic_s() > began + ROUND_S:
            break
        with paid_by(tenant_id):
            unit = await run_unit(agent, ctx, tenant_id)
        if unit.did is not None:
            did[tenant_id] = unit.did
        if unit.unavailable:
            return Report(len(did), {"tenants": len(did)}, _rest(agent, ctx, unit.retry_at), told=True)
    return Report(len(did), {"tenants": len(did)}, ctx.again(bool(did)), told=True)


async def run_unit(agent: Agent[G, P], ctx: CrewContext, tenant_id: str) -> _Unit:
    """gather → ask → decide → apply for one tenant, once. Nothing comes of it when a purge goes by meanwhile."""
    purged = await so_far(ctx.database, tenant_id)
    gathered = await agent.gather(ctx, tenant_id)
    if gathered is None:
        return _Unit()
    decision_id = next_id(ctx.clock)
    replies, retry_at = await _ask(agent, ctx, tenant_id, gathered, decision_id)
    unavailable = any(reply.unavailable for reply in replies)
    did: Mapping[str, Any] | None = None
    if not replies or any(reply.usable for reply in replies):
        proposals = agent.decide(gathered, replies)
        did = await _apply(agent, ctx, tenant_id, gathered, replies, proposals, decision_id, purged)
    elif not unavailable:
        did = await _failed(agent, ctx, tenant_id, gathered, replies, decision_id, purged)
    if (unavailable or did is None) and agent.let_go is not None:
        await agent.let_go(ctx, tenant_id, gathered)
    return _Unit(did, retry_at, unavailable)


async def _ask(
    agent: Agent[G, P], ctx: CrewContext, tenant_id: str, gathered: G, decision_id: UUID
) -> tuple[list[Reply], datetime | None]:
    """One question after another, so that a spent budget is overrun by one call at most. What is left unasked says so."""
    replies: list[Reply] = []
    asks = agent.prompts(gathered)
    ends = ctx.clock.monotonic_s() + agent.limit.total_seconds() * ASKING
    for number, ask in enumerate(asks):
        if number and (ctx.stopping or ctx.clock.monotonic_s() > ends):
            return replies + [_LEFT] * (len(asks) - number), None
        if agent.renew is not None:
            await agent.renew(ctx, tenant_id, gathered)
        assert ctx.chat is not None, "an agent that asks says uses_model"
        prompt = Prompt(agent.name, tenant_id, ask.system, ask.user, ask.reply, ask.max_tokens, decision_id)
        reply = reply_of(answer := await ctx.chat.ask(prompt))
        replies.append(reply)
        if reply.unavailable:
            unasked = replace(reply, text="")
            return replies + [unasked] * (len(asks) - number - 1), answer.retry_at
    return replies, None


def reply_of(answer: Answer[Any]) -> Reply:
    """An answer as it is recorded."""
    value = answer.value if answer.usable else None
    return Reply(answer.outcome, value, answer.text, answer.model, answer.reason, answer.dropped)


async def _apply(
    agent: Agent[G, P], ctx: CrewContext, tenant_id: str, gathered: G, replies: Sequence[Reply], proposals: P, decision_id: UUID,
    purged: int,
) -> Mapping[str, Any] | None:  # fmt: skip
    told = _decision(agent, ctx, gathered, replies, proposals)
    enriched = proposals if agent.enrich is None else await agent.enrich(ctx, tenant_id, gathered, proposals)
    maker = Maker(agent.name, _model(replies), decision_id)

    async def once() -> Mapping[str, Any] | None:
        async with ctx.database.tenant(tenant_id) as tx:
            if await gone_by(tx, tenant_id, purged):
                return None
            applied = await agent.apply(tx, tenant_id, gathered, enriched, maker)
            await append(tx, tenant_id, agent.name, {**told, "applied": applied}, slice_id=decision_id)
            return applied

    return await again(ctx.database, once)


async def _failed(
    agent: Agent[G, P], ctx: CrewContext, tenant_id: str, gathered: G, replies: Sequence[Reply], decision_id: UUID, purged: int
) -> Mapping[str, Any]:
    reason = next((reply.reason for reply in replies if reply.reason), "no usable reply")
    outcome = {"failed": reason}
    if agent.failed is not None:
        outcome = {**outcome, **await agent.failed(ctx, tenant_id, gathered, reason)}
    told = _decision(agent, ctx, gathered, replies, None)

    async def once() -> None:
        async with ctx.database.tenant(tenant_id) as tx:
            if not await gone_by(tx, tenant_id, purged):
                await append(tx, tenant_id, agent.name, {**told, "applied": outcome}, slice_id=decision_id)

    await again(ctx.database, once)
    return outcome


def _decision(agent: Agent[G, P], ctx: CrewContext, gathered: G, replies: Sequence[Reply], proposals: P | None) -> dict[str, Any]:
    """What replay needs. Texts of slices are left out: they are read again by id, and checked by hash."""
    recorded, inputs = without_texts(jsonable(agent.gathered, gathered))
    return {
        "version": agent.version,
        "level": ctx.level.name,
        "settings": settings_hash(ctx.settings),
        "model": _model(replies),
        "inputs": inputs,
        "gathered": recorded,
        "replies": [_recorded(reply) for reply in replies],
        "proposals": None if proposals is None else jsonable(agent.proposals, proposals),
    }  # fmt: skip


def _recorded(reply: Reply) -> dict[str, Any]:
    """A reply as the decision keeps it: the model's own words, from which its value is read again."""
    return {name: getattr(reply, name) for name in ("outcome", "text", "model", "reason", "dropped")}


def jsonable(kind: type[Any], value: Any) -> Any:
    """A dataclass or pydantic model as JSON values."""
    return TypeAdapter(kind).dump_python(value, mode="json")


def settings_hash(settings: Settings) -> str:
    """A digest of all settings but secrets, so that two decisions can be told to have been made under the same ones."""
    return hashlib.sha256(settings.model_dump_json().encode()).hexdigest()[:16]


def _model(replies: Sequence[Reply]) -> str:
    return next((reply.model for reply in replies if reply.model), "")


def _rest(agent: Agent[Any, Any], ctx: CrewContext, retry_at: datetime | None) -> timedelta:
    """How long to leave a model alone that cannot be asked now."""
    if retry_at is None:
        return max(agent.every, NO_MODEL)
    return min(max(retry_at - ctx.clock.now(), agent.every, AT_ONCE), LONGEST_REST)
