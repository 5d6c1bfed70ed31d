"""Looking: a question is understood by what the tenant has, and each leg asked within its share of the time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from thoth_substrate.errors import DatabaseError
from thoth_substrate.model.payer import paid_by
from thoth_substrate.model.ports import Embedder, Vector
from thoth_substrate.model.projection import LegState
from thoth_substrate.recall.at_hand import AtHand, Held
from thoth_substrate.recall.candidate import CandidateColumns, Candidates
from thoth_substrate.recall.deadline import Late, Legs, Reading, within
from thoth_substrate.recall.floor import Floor, Verdict, judge, raised
from thoth_substrate.recall.knowledge import Knowledge, recollect
from thoth_substrate.recall.near import Near
from thoth_substrate.recall.search import LONGEST_AGO, Limits, Lookup, Meant, TenantState, by_meaning, candidates, centred, know
from thoth_substrate.recall.signs import signs_of
from thoth_substrate.recall.thought import Thought
from thoth_substrate.recall.turns import Turns
from thoth_substrate.settings import Settings

log = logging.getLogger("thoth.recall")
VECTOR_SHARE = 0.5  # of the time left, at most: the legs after it must have their turn
# One of them must be left: else what the vector finds comes too late, on a machine where a turn is waited for so long.
EMBEDDING_NEEDS, EMBEDDING_NEEDS_S = 0.6, 0.18  # of the whole time; seconds
KNOWLEDGE_SHARE = 0.5  # the same: texts are still to be fetched
PAST_FACTOR = 5  # rows a leg may bring for one, when what came since is left out afterwards


@dataclass(frozen=True, slots=True)
class Worded:
    """What was found without the question's vector, and the vectors to compare it with, where they are at hand."""

    lookup: Lookup
    found: CandidateColumns
    held: Held | None


@dataclass(frozen=True, slots=True)
class Look:
    """How this process looks: by its settings, and with the embedder at hand."""

    settings: Settings
    embedder: Embedder | None
    turns: Turns
    at_hand: AtHand

    async def embed(self, legs: Legs, query: str) -> Vector | None:
        """The question's vector, unless there is no model, it is busy or it is late.

        Nobody queues for the model: those behind would all be late, for it and then for the search.
        """
        if self.embedder is None:
            legs.note("embedding", LegState.ABSENT, why="no embedding model; recall goes by keyword")
            return None
        if legs.deadline.left_s() < EMBEDDING_NEEDS_S and legs.deadline.share_left() < EMBEDDING_NEEDS:
            why = "too little time was left when its turn came; this question went by keyword"
            legs.note("embedding", LegState.SKIPPED, why=why)
            return None
        with self.turns.embedding() as may:
            if not may:
                why = "the model was busy with other questions; this one went by keyword"
                legs.note("embedding", LegState.SKIPPED, why=why)
                return None
            return await legs.run("embedding", self.embedder.query(query), self.settings.recall_embed_budget_ms / 1000)

    @contextlib.asynccontextmanager
    async def embedding(self, thought: Thought) -> AsyncIterator[asyncio.Task[Vector | None]]:
        """The question being embedded beside what is done meanwhile; given up when that fails or is late."""
        with paid_by(thought.ask.tenant_id):
            task = asyncio.create_task(self.embed(thought.legs, thought.ask.query))
        try:
            yield task
        finally:
            task.cancel()

    async def by_words(self, thought: Thought, reading: Reading) -> Worded | None:
        """All that needs no vector of the question; None where not even that came in time."""
        legs = thought.legs
        async with reading.together():
            lookup = await self.understand(thought, reading)
            words = await legs.run("words", candidates(reading, lookup), cut=reading.cut) if lookup else None
            return Worded(lookup, words, await self.held(legs, reading, lookup)) if lookup and words else None

    async def understand(self, thought: Thought, reading: Reading) -> Lookup | None:
        """Read the question by what the tenant has."""
        ask, legs, settings = thought.ask, thought.legs, self.settings
        window = timedelta(hours=settings.recall_time_window_hours)
        oldest = ask.instant - window if window else LONGEST_AGO
        rows = settings.recall_candidates * (PAST_FACTOR if ask.as_of else 1)
        limits = Limits(rows, settings.recall_row_budget, settings.recall_exact_rows, oldest)
        lookup = await legs.run("question", know(reading, ask.query, ask.instant, limits), cut=reading.cut)
        return replace(lookup, session=ask.session, as_of=ask.as_of) if lookup is not None else None

    async def compared(self, legs: Legs, lookup: Lookup, embedding: Awaitable[Vector | None]) -> Lookup:
        """The same with the question's vector, where there is something to compare it with.

        It is waited for in any case: a call that is broken off is paid for all the same, and its account would stay open.
        """
        vector, state = await embedding, lookup.state
        if vector is None or self.embedder is None or not (state.vectors or state.knows):
            return lookup
        if not self._compares(state):
            why = f"the stored vectors are {state.model}'s, and {self.embedder.model.name} is at hand"
            legs.note("vector", LegState.ABSENT, why=why)
            return lookup
        return replace(lookup, vector=vector)

    async def held(self, legs: Legs, reading: Reading, lookup: Lookup) -> Held | None:
        """The tenant's vectors, where they are at hand and as the database has them; else it compares them itself."""
        embedding, state = legs["embedding"], lookup.state
        if embedding is not None and embedding.state is not LegState.ANSWERED:
            return None
        if not self._compares(state) or state.vectors > lookup.limits.exact_rows:
            return None
        try:
            return await within(self.at_hand.of(reading, state), legs.deadline.left_s() * VECTOR_SHARE, reading.cut)
        except (Late, DatabaseError) as error:
            log.debug("Vectors at hand were not brought up to date, and the database compares: %r", error)
            return None

    def _compares(self, state: TenantState) -> bool:
        """Whether the stored vectors are of the model at hand."""
        return self.embedder is not None and state.model == self.embedder.model.name

    async def meant(self, legs: Legs, reading: Reading, lookup: Lookup, worded: Worded) -> Meant:
        """The nearest by meaning and what stands around them, within half of the time that is left."""
        if lookup.vector is None or not lookup.state.vectors:
            return Meant()
        likeness = worded.held.compare(centred(lookup.vector, lookup.state)) if worded.held else None
        work = by_meaning(reading, lookup, worded.found.passage_ids, likeness)
        return await legs.run("vector", work, legs.deadline.left_s() * VECTOR_SHARE, reading.cut) or Meant()

    async def known(self, thought: Thought, reading: Reading, lookup: Lookup, found: Candidates) -> Knowledge | None:
        """Facts, patterns and insights, within half of the time that is left; None when there are none, or not in time."""
        if not lookup.state.knows:
            return None
        legs = thought.legs
        work = recollect(reading, lookup, found, thought.ask.instant)
        return await legs.run("knowledge", work, legs.deadline.left_s() * KNOWLEDGE_SHARE, reading.cut)

    def judge(self, lookup: Lookup, near: Sequence[Near], found: Candidates, knowledge: Knowledge | None) -> Verdict:
        """Whether there is anything here about this at all."""
        if self.settings.recall_floor == "off":
            return Verdict(True, {"floor": "off"})
        shift = raised(self.settings.recall_floor_shift, lookup.state.coherence)
        return judge(signs_of(lookup, near, found, knowledge), Floor.read(lookup.state.floor), shift)
