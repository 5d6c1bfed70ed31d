"""The façade: perceive, recall, pin, forget. Never raises into a turn (net 1), never keeps one waiting.

A Substrate runs on a voice, a thread with its own event loop. A host may call it from any thread, from a running loop
(the coroutines) or without one (their `_sync` twins). When the database, the embedder or anything else is away it goes
dormant, says so in `health`, and comes back by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import orjson
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseUnavailable, EmbeddingError, JournalFull, ThothError
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin, unpin
from thoth_substrate.fade.reinforce import reinforce
from thoth_substrate.inject.compose import compose, with_free_handles
from thoth_substrate.model.clock import Clock, SystemClock
from thoth_substrate.model.embedding import shortened
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.model.ports import Embedder, Vector
from thoth_substrate.model.projection import EmptyReason, LegState, Missing, Projection
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.model.streams import DIARY
from thoth_substrate.model.tokens import count
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.perceive.redact import redact
from thoth_substrate.purge.purge import purge
from thoth_substrate.purge.receipts import Receipt
from thoth_substrate.recall.aftermath import Aftermath
from thoth_substrate.recall.at_hand import AtHand
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.deadline import Deadline, Legs, Reading
from thoth_substrate.recall.facts import fact_lines, rank_facts
from thoth_substrate.recall.lines import Found, lines_of, wanted
from thoth_substrate.recall.log import EXCERPT_CHARS, Logged, digest, log_recall, nearby
from thoth_substrate.recall.look import Look
from thoth_substrate.recall.past import as_they_were, released_since
from thoth_substrate.recall.periods import periods
from thoth_substrate.recall.question import is_trivial
from thoth_substrate.recall.rank import Scene, Weights, rank
from thoth_substrate.recall.search import background, note_legs, texts
from thoth_substrate.recall.thought import Ask, Thought, nothing, why_empty
from thoth_substrate.recall.turns import Turns
from thoth_substrate.settings import Settings
from thoth_substrate.voice import Voice

log = logging.getLogger("thoth")
T = TypeVar("T")
WAITING_SHARE = 0.7  # of the time left, at most: a turn that comes later could not be used, only wasted
LONGEST_QUERY_CHARS = 8000  # of a question: its beginning and its end
RESERVE = 0.1  # of the deadline, kept for composing and handing over: what is late by then is left out, and said
SLACK_S = 0.005  # beyond the deadline, for an answer that is on its way
REINFORCED_LINES = 5  # of a projection at most: what leads it, not what merely fills it
CLOSING_S = 5.0


class Substrate:
    """One process's memory. Made by `boot.open_substrate`; ended by `close`, or as a context manager."""

    def __init__(
        self, settings: Settings, connect: Callable[[Clock], Awaitable[Database]], embedder: Embedder | None = None,
        clock: Clock | None = None,
    ) -> None:  # fmt: skip
        self._settings, self._connect, self._embedder = settings, connect, embedder
        self._clock: Clock = clock or SystemClock()
        self._ids = SliceIds()
        self._perceiver = Perceiver(settings, self._clock)
        self._weights = Weights(**{name: getattr(settings, f"recall_{name}_weight") for name in Weights.__dataclass_fields__})
        ranking = {name: value for name, value in settings.model_dump().items() if name.startswith("recall_")}
        self._config_hash = digest(orjson.dumps(ranking).decode())
        self._begin()

    def _begin(self) -> None:
        """Start the voice, at birth and again in a forked child: a thread does not survive a fork."""
        self._pid = os.getpid()
        self._aftermath = Aftermath()
        self._at_hand = AtHand(self._settings.recall_vectors_bytes, self._aftermath.offer)
        self._db: Database | None = None
        self._failure = ""
        self._awake = threading.Event()
        self._turns = Turns(self._settings.voice_pool)
        self._life: asyncio.Task[Any] | None = None
        self._voice = Voice()
        self._voice.submit(self._live())

    def _here(self) -> Voice:
        """The voice of this process."""
        if self._pid != os.getpid():
            self._begin()
        return self._voice

    # ── Perceive ────────────────────────────────────────────────────────────────────────────────────────────────────

    def perceive_sync(self, event: Event, *, tenant: str | None = None) -> Ack:
        """Record an event, in microseconds, from any thread. Never raises: what was not kept says why in `dropped`."""
        try:
            self._here()
            return self._perceiver.perceive(_worldly(event), tenant_id=tenant)
        except ThothError as error:
            log.warning("An event was not kept: %s", error)
            return Ack(None, str(error), full=isinstance(error, JournalFull))
        except Exception as error:
            log.exception("An event was not kept; the turn goes on")
            return Ack(None, f"{type(error).__name__}: {error}")

    async def perceive(self, event: Event, *, tenant: str | None = None) -> Ack:
        """Record an event. It is never waited for: the journal has it when this returns, the database soon after."""
        return self.perceive_sync(event, tenant=tenant)

    async def durable(self, timeout_s: float = 30.0) -> bool:
        """Wait until everything perceived so far is committed; False when that takes longer."""
        return await self._perceiver.durable(timeout_s)

    # ── Recall ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def recall(self, query: str, **options: Any) -> Projection:
        """What memory has to say about `query`, within the deadline. Never raises; see `recall_sync` for the options."""
        ask = self._ask(query, **options)
        answer = self._answering(ask)
        if answer is None:
            return nothing(ask, EmptyReason.ERROR)
        future = asyncio.wrap_future(answer)
        done, _ = await asyncio.wait({future}, timeout=ask.deadline_ms / 1000 + SLACK_S)
        return future.result() if done else nothing(ask, EmptyReason.TIMEOUT)

    def recall_sync(
        self, query: str, *, session: str | None = None, tenant: str | None = None, budget_tokens: int | None = None,
        deadline_ms: int | None = None, forced: bool = False, as_of: datetime | None = None,
    ) -> Projection:  # fmt: skip
        """What memory has to say about `query`: a projection, which is empty for a reason when it says nothing.

        `session` is the one that asks: its own turns are not recalled into it. `budget_tokens` and `deadline_ms` default
        to the settings. `forced` answers although recall is switched off. `as_of` asks the mind as it was at that
        instant (without an offset: UTC). Never raises.
        """
        ask = self._ask(query, session, tenant, budget_tokens, deadline_ms, forced, as_of)
        answer = self._answering(ask)
        if answer is None:
            return nothing(ask, EmptyReason.ERROR)
        try:
            return answer.result(ask.deadline_ms / 1000 + SLACK_S)
        except TimeoutError:
            return nothing(ask, EmptyReason.TIMEOUT)

    def _answering(self, ask: Ask) -> Future[Projection] | None:
        """The answer being made on the voice, or None once the façade is closed."""
        voice = self._here()
        work = self._answer(ask, voice.time())
        try:
            return voice.submit(work)
        except RuntimeError as closed:
            work.close()
            log.warning("A recall came after closing and was answered with nothing: %s", closed)
            return None

    async def _answer(self, ask: Ask, asked_at_s: float) -> Projection:
        """Net 1: whatever happens beneath, the turn gets a projection, and the log its row."""
        legs = Legs(Deadline(asked_at_s + ask.deadline_ms / 1000 * (1 - RESERVE), asked_at_s))
        if not (self._settings.recall or ask.forced):
            return nothing(ask, EmptyReason.DISABLED)
        thought = Thought(ask, legs)
        try:
            projection = await self._think(thought)
        except Exception as error:
            log.exception("Recall failed; the turn goes on without memory")
            projection = nothing(ask, EmptyReason.ERROR)
            thought.detail["failure"] = f"{type(error).__name__}: {error}"
        return self._ended(thought, projection)

    async def _think(self, thought: Thought) -> Projection:
        """A question waits for its turn, and is embedded and searched for; each within what is left of the deadline."""
        ask, legs = thought.ask, thought.legs
        if is_trivial(ask.query):
            return nothing(ask, EmptyReason.TRIVIAL_QUERY)
        if self._db is None:
            legs.note("database", LegState.ABSENT, why=self._failure or "not reached yet")
            return nothing(ask, EmptyReason.ERROR)
        if await legs.run("turn", self._turns.take(), legs.deadline.left_s() * WAITING_SHARE) is None:
            return nothing(ask, why_empty(legs))
        try:
            async with self._look().embedding(thought) as vector:
                return await self._search(thought, Reading(self._db, ask.tenant_id), vector)
        finally:
            self._turns.give_back()

    async def _search(self, thought: Thought, reading: Reading, vector: Awaitable[Vector | None]) -> Projection:
        """The path of a question that has its turn: understand, look, rank, weigh, read, compose. Embedded beside it."""
        ask, legs, look = thought.ask, thought.legs, self._look()
        worded = await look.by_words(thought, reading)
        if worded is None:
            return nothing(ask, why_empty(legs))
        lookup = await look.compared(legs, worded.lookup, vector)
        async with reading.together():
            meant = await look.meant(legs, reading, lookup, worded)
            near, seen = meant.near, Candidates.joined(worded.found, meant.around)
            note_legs(legs, seen)
            if ask.as_of and len(seen):
                seen = await legs.run("salience", as_they_were(reading, seen, ask.as_of), cut=reading.cut) or seen
            knowledge = await look.known(thought, reading, lookup, seen)
            if not seen and not knowledge:
                return nothing(ask, EmptyReason.NO_CANDIDATES)
            scene = Scene(self._weights, background(near, lookup.state), ask.instant, frozenset(lookup.state.worldly))
            thought.found = Found(seen, rank(lookup.question, lookup.words.idf, seen, scene))
            thought.facts = rank_facts(lookup.question, knowledge, scene) if knowledge else []
            verdict = look.judge(lookup, near, seen, knowledge)
            thought.detail["floor"] = verdict.detail
            if not verdict.enough:
                return nothing(ask, EmptyReason.BELOW_FLOOR)
            return await self._tell(thought, reading)

    async def _tell(self, thought: Thought, reading: Reading) -> Projection:
        """Read the words of the best, and compose what fits."""
        ask, legs, found = thought.ask, thought.legs, thought.found
        assert found is not None
        found_texts = await legs.run("texts", texts(reading, wanted(found, ask.budget_tokens)), cut=reading.cut)
        if found_texts is None:
            return nothing(ask, why_empty(legs))
        zone = self._settings.timezone
        known = fact_lines(thought.facts, ask.instant, zone)
        offered = [*known, *lines_of(found, found_texts, zone)]
        composed = compose(offered, ask.budget_tokens)
        thought.detail["composed"] = {"folded": composed.folded, "skipped": composed.skipped}
        gone: tuple[Missing, ...] = ()
        if ask.as_of:
            thought.detail["as_of"] = ask.as_of
            since = await legs.run("released", released_since(reading, thought.facts, ask.as_of, zone), cut=reading.cut) or []
            gone = with_free_handles(since, composed.lines)
        why = EmptyReason.TOKEN_BUDGET_EXHAUSTED if offered else EmptyReason.NO_CANDIDATES
        reason = None if composed.lines or gone else why
        return Projection(
            composed.block, composed.lines, composed.tokens, reason, recall_id=ask.recall_id, as_of=ask.as_of, missing=gone
        )

    def _look(self) -> Look:
        return Look(self._settings, self._embedder, self._turns, self._at_hand)

    def _ended(self, thought: Thought, projection: Projection) -> Projection:
        """Stamp the projection, and leave the log and the reinforcement to be done after the answer has gone."""
        legs, ask = thought.legs, thought.ask
        ended = replace(projection, legs=tuple(legs.ended), took_ms=round(legs.deadline.spent_ms(), 2), detail=thought.detail)
        self._aftermath.add(partial(self._remember, thought, ended))
        shown = ended.leading(REINFORCED_LINES)
        if shown and self._settings.recall_reinforce and ask.as_of is None:  # looking back is no attention to it
            self._aftermath.add(partial(self._reinforce, ask.tenant_id, shown, "surfaced"))
        return ended

    async def _remember(self, thought: Thought, projection: Projection) -> None:
        if self._db is None:
            raise DatabaseUnavailable(self._failure or "The database has not been reached yet; the recall was not logged.")
        ask, found = thought.ask, thought.found
        candidates_seen, ranking = (found.candidates, found.ranking) if found else (None, None)
        entry = Logged(
            ask.tenant_id, ask.session, ask.asked_at, digest(ask.query), redact(ask.query)[0][:EXCERPT_CHARS], self._config_hash,
            ask.deadline_ms, projection, nearby(candidates_seen, ranking, projection.lines, thought.facts),
        )  # fmt: skip
        await log_recall(self._db, entry)

    async def _reinforce(self, tenant_id: str, slice_ids: list[UUID], cause: Any) -> None:
        if self._db is not None:
            await reinforce(self._db, tenant_id, slice_ids, cause)

    def _ask(
        self, query: str, session: str | None = None, tenant: str | None = None, budget_tokens: int | None = None,
        deadline_ms: int | None = None, forced: bool = False, as_of: datetime | None = None,
    ) -> Ask:  # fmt: skip
        now, settings = self._clock.now(), self._settings
        return Ask(
            shortened(query, LONGEST_QUERY_CHARS) if query.strip() else "", tenant or settings.tenant, session,
            settings.recall_budget_tokens if budget_tokens is None else budget_tokens,
            settings.recall_deadline_ms if deadline_ms is None else deadline_ms, forced, self._ids.next(now), now,
            as_of.replace(tzinfo=as_of.tzinfo or UTC) if as_of else None,
        )  # fmt: skip

    # ── Attention ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def pin(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """Never let a slice fade; False when it was pinned already. Raises UnknownSlice, BadInput, DatabaseUnavailable."""
        return await self._here().call(self._with_database(pin, tenant, slice_id))

    async def unpin(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """Let a pinned slice fade again; False when it was not pinned. Raises UnknownSlice, DatabaseUnavailable."""
        return await self._here().call(self._with_database(unpin, tenant, slice_id))

    async def forget(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """Forget a slice: found no more from now on, gone on the next cycle; False when it was forgotten already."""
        return (await self._here().call(self._with_database(forget, tenant, slice_id))).changed

    async def purge(self, slice_ids: list[UUID], *, tenant: str | None = None) -> Receipt:
        """Forget slices now and for good, with all that was made of them; not undone. Raises UnknownSlice, BadInput."""
        return await self._here().call(self._with_database(purge, tenant, slice_ids))

    async def used(self, slice_ids: list[UUID], *, tenant: str | None = None) -> int:
        """Say that memories were used (cited, fetched, echoed): they fade later. Answers how many moved."""
        return await self._here().call(self._with_database(_used, tenant, slice_ids))

    def pin_sync(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """`pin`, for callers without an event loop."""
        return self._here().call_sync(self._with_database(pin, tenant, slice_id))

    def unpin_sync(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """`unpin`, for callers without an event loop."""
        return self._here().call_sync(self._with_database(unpin, tenant, slice_id))

    def forget_sync(self, slice_id: UUID, *, tenant: str | None = None) -> bool:
        """`forget`, for callers without an event loop."""
        return self._here().call_sync(self._with_database(forget, tenant, slice_id)).changed

    def purge_sync(self, slice_ids: list[UUID], *, tenant: str | None = None) -> Receipt:
        """`purge`, for callers without an event loop."""
        return self._here().call_sync(self._with_database(purge, tenant, slice_ids))

    async def _with_database(self, deed: Callable[[Database, str, Any], Awaitable[T]], tenant: str | None, what: Any) -> T:
        return await self._lent(lambda database, _: deed(database, tenant or self._settings.tenant, what))

    async def lend(self, deed: Callable[[Database, Embedder | None], Awaitable[T]]) -> T:
        """Run a surface's own deed on the voice, with its database and embedder. Raises DatabaseUnavailable while dormant."""
        return await self._here().call(self._lent(deed))

    def lend_sync(self, deed: Callable[[Database, Embedder | None], Awaitable[T]]) -> T:
        """`lend`, for callers without an event loop."""
        return self._here().call_sync(self._lent(deed))

    async def _lent(self, deed: Callable[[Database, Embedder | None], Awaitable[T]]) -> T:
        if self._db is None:
            raise DatabaseUnavailable(f"The database is away ({self._failure or 'not reached yet'}); nothing was changed.")
        return await deed(self._db, self._embedder)

    # ── Life ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def health(self) -> Mapping[str, Any]:
        """How the façade is: dormant or not and why, the journal and buffer, what could not be logged."""
        return {
            "dormant": self._db is None,
            "failure": self._failure,
            "perceive": asdict(self._perceiver.stats()),
            "recall": self._settings.recall,
            "embedder": self._embedder.model.name if self._embedder else None,
            "unlogged": self._aftermath.lost.count,
        }

    def ready_sync(self, timeout_s: float = 30.0) -> bool:
        """Wait until the database is reached and what a first recall needs is loaded; False when that takes longer."""
        return self._awake.wait(timeout_s)

    async def wait_until_awake(self, timeout_s: float = 30.0) -> bool:
        """`ready_sync`, for callers on an event loop."""
        return await asyncio.to_thread(self.ready_sync, timeout_s)

    async def logged(self) -> None:
        """Wait until every recall answered so far has its row in the log."""
        await self._here().call(self._aftermath.done())

    async def close(self) -> None:
        """Flush what can be flushed within a few seconds, and end. What is left waits in the journal."""
        await asyncio.to_thread(self.close_sync)

    def close_sync(self) -> None:
        """`close`, for callers without an event loop."""
        try:
            self._voice.call_sync(self._die(), CLOSING_S * 2)
        except (TimeoutError, ThothError) as error:
            log.warning("Closing took too long; what was not written waits in the journal (%s)", error)
        self._voice.stop(CLOSING_S)
        self._perceiver.close()

    def __enter__(self) -> Substrate:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close_sync()

    async def __aenter__(self) -> Substrate:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def _live(self) -> None:
        """Reach the database, however long that takes, then write what is perceived and log what was recalled.

        Whatever breaks beneath is said, and after a pause begun anew: perceiving goes into the journal meanwhile.
        """
        self._life = asyncio.current_task()
        patience = wait_random_exponential(multiplier=0.2, max=5.0)
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(Exception), wait=patience, before_sleep=self._note_dormant
        ):
            with attempt:
                db = await self._connect(self._clock)
                self._db, self._failure = db, ""
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._perceiver.run(db))
                    tasks.create_task(self._aftermath.run())
                    tasks.create_task(self._warm())

    async def _warm(self) -> None:
        """Load what the first recall would otherwise wait for: the model, the date reader, the tokens' vocabulary."""
        await asyncio.to_thread(periods, "on 1 January 2020", self._clock.now())
        await asyncio.to_thread(count, "What do you remember?")
        gc.freeze()  # what is loaded by now stays: a full collection would go through it, 50–110 ms that a turn waits [measured]
        try:
            if self._embedder is not None:
                await self._embedder.query("What do you remember?")
        except EmbeddingError as error:
            log.warning("The embedding model does not answer; recall goes by keyword until it does: %s", error)
        self._awake.set()

    def _note_dormant(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if str(error) != self._failure:
            log.warning("Dormant: %s", error, exc_info=None if isinstance(error, ThothError) else error)
        self._db, self._failure = None, str(error)

    async def _die(self) -> None:
        if self._db is not None:
            await self._perceiver.durable(CLOSING_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._aftermath.done(), CLOSING_S)
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait({self._life}, timeout=CLOSING_S)
        if self._db is not None:
            await self._db.close()


def _worldly(event: Event) -> Event:
    if event.stream == DIARY:
        raise BadInput(f"{DIARY} is the workers' diary, which only they write; the event was not kept.")
    return event


async def _used(db: Database, tenant_id: str, slice_ids: Sequence[UUID]) -> int:
    return await reinforce(db, tenant_id, slice_ids, "used")
