"""Let a memory know what the data's annotators noted, as if a model that extracts well had proposed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from bench.data import Conversation, Noted
from bench.settle import calibrate, set_clock
from thoth_substrate.consolidate.claim import claim
from thoth_substrate.consolidate.promote import promote
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.knowledge import (
    EntityProposal,
    Maker,
    Proposals,
    Quote,
    RelationshipProposal,
    Source,
    VerdictProposal,
)
from thoth_substrate.model.ports import Embedder

LEASE = timedelta(hours=1)
FOR_EVER = timedelta(days=3650)  # sessions are over, whatever the clock stood at when their slices were queued
CLAIMED_ROWS = 1000
MAKER = Maker("annotators")
NOTHING = "the annotators noted nothing of it"


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was promoted, as counts: notes proposed, facts made, citations, slices consolidated and not."""

    notes: int = 0
    facts: int = 0
    corroborated: int = 0
    citations: int = 0
    quotes_dropped: int = 0
    consolidated: int = 0
    partial: int = 0

    def __add__(self, other: Learnt) -> Learnt:
        return Learnt(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


async def learn(
    db: Database, embedder: Embedder | None, clock: PinnedClock, conversations: Sequence[Conversation],
    items: Mapping[str, Mapping[UUID, str]],
) -> Learnt:  # fmt: skip
    """Promote every conversation's notes, those without any too; then calibrate anew. Answers what came of it."""
    learnt = Learnt()
    for conversation in conversations:
        set_clock(clock, conversation)
        while conversation.notes and (claimed := await claim(
            db, conversation.name, limit_rows=CLAIMED_ROWS, lease=LEASE, quiet=-FOR_EVER
        )):  # fmt: skip
            proposals = propose(conversation.notes, claimed.sources, items[conversation.name])
            proposals = await _embedded(proposals, embedder)
            async with db.tenant(conversation.name) as tx:
                done = await promote(tx, conversation.name, claimed.token, claimed.sources, proposals, MAKER)
            learnt += Learnt(
                len(proposals.relationships), done.relationships, done.corroborated, done.citations, done.quotes_dropped,
                len(done.consolidated), len(done.partial),
            )  # fmt: skip
            if not done.consolidated:
                raise RuntimeError(f"nothing of {conversation.name} was consolidated: {done.detail}")
    if learnt.notes < sum(len(conversation.notes) for conversation in conversations):
        raise RuntimeError(f"not every note was promoted: {learnt}")
    await calibrate(db, embedder, [conversation.name for conversation in conversations])
    return learnt


async def _embedded(proposals: Proposals, embedder: Embedder | None) -> Proposals:
    """The same, each fact with its sentence's vector."""
    if embedder is None:
        return proposals
    vectors = await embedder.passages([one.statement for one in proposals.relationships])
    facts = [replace(one, embedding=tuple(vector.tolist())) for one, vector in zip(proposals.relationships, vectors, strict=True)]
    return replace(proposals, relationships=tuple(facts), embedding_model=embedder.model.name)


def propose(notes: Sequence[Noted], sources: Sequence[Source], items: Mapping[UUID, str]) -> Proposals:
    """The notes that rest on these sources, each with its turns quoted whole; what nobody noted holds nothing. Pure."""
    by_item = {items[source.slice_id]: source for source in sources}
    relationships, noted = [], set()
    for note in notes:
        rests_on = [by_item[item] for item in note.evidence if item in by_item]
        if rests_on:
            noted |= {source.slice_id for source in rests_on}
            quotes = tuple(Quote(source.slice_id, first_passage(source)) for source in rests_on)
            relationships.append(
                RelationshipProposal(
                    note.person, "was_noted", note.text, object_is_entity=False, statement=note.text, functional=False,
                    confidence=0.9, quotes=quotes,
                )
            )  # fmt: skip
    people = {one.subject: one.quotes for one in relationships}
    nothing = tuple(
        VerdictProposal(source.slice_id, span.passage_no, "nothing", NOTHING) for source in sources for span in source.passages
    )
    entities = tuple(EntityProposal(name, "person", quotes=quotes) for name, quotes in people.items())
    return Proposals(entities, tuple(relationships), (), nothing)


def first_passage(source: Source) -> str:
    """What is quoted of a turn: a quote lies inside one passage."""
    if not source.passages:
        return source.text
    return source.text[source.passages[0].char_start : source.passages[0].char_end]
