"""What the Parser's model answers, and what of it is proposed. Pure: an id that does not exist drops that item alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from uuid import UUID

from pydantic import BaseModel

from thoth_substrate.model.knowledge import (
    DigestProposal,
    EntityProposal,
    Proposals,
    Quote,
    RelationshipProposal,
    VerdictProposal,
)
from thoth_substrate.model.names import norm
from thoth_workers.agent import Reply
from thoth_workers.fragments import Fragment, Portion, date_of

UNSTATED = 0.6  # the confidence of what came without one
LONGEST_REASON, LONGEST_SENTENCE, MOST_TOPICS = 200, 500, 8
NO_REASON = "The model gave no reason."
SPEAKERS = frozenset({"i", "me", "my", "myself", "speaker", "the speaker", "narrator"})


class QuoteOut(BaseModel):
    """Words of one fragment."""

    passage: str
    text: str


class EntityOut(BaseModel):
    """Somebody or something that is named."""

    name: str
    kind: str = ""
    aliases: list[str] = []
    summary: str = ""
    confidence: float = UNSTATED
    quotes: list[QuoteOut] = []


class FactOut(BaseModel):
    """Something that is said to be so."""

    subject: str
    predicate: str
    object: str
    object_is_entity: bool = True
    statement: str = ""
    negated: bool = False
    ends: bool = False
    corrects: bool = False
    one_at_a_time: bool | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float = UNSTATED
    quotes: list[QuoteOut] = []


class PassageOut(BaseModel):
    """What became of a fragment."""

    id: str
    verdict: str
    reason: str = ""


class SliceOut(BaseModel):
    """A slice as a whole."""

    id: str
    importance: float = 0.5
    topics: list[str] = []
    summary: str = ""


class ParserReply(BaseModel):
    """The whole reply. `passages` must be there: a reply that judges nothing is a failed one."""

    passages: list[PassageOut]
    entities: list[EntityOut] = []
    facts: list[FactOut] = []
    slices: list[SliceOut] = []


@dataclass(frozen=True, slots=True)
class Parsed:
    """Proposals; how many items named a fragment or slice that does not exist.

    Of the `unasked` slices nothing could be asked, of the `unfinished` ones not everything.
    """

    proposals: Proposals
    unasked: tuple[UUID, ...] = ()
    unfinished: tuple[UUID, ...] = ()
    unknown_ids: int = 0


def parsed(asked: Sequence[Portion], replies: Sequence[Reply], silent: tuple[VerdictProposal, ...]) -> Parsed:
    """All replies as one proposal. `replies` are those to the first of `asked`; `silent` are verdicts that needed none."""
    reading = _Reading()
    judged: set[UUID] = set()
    unasked: list[UUID] = []
    for portion, reply in zip_longest(asked, replies):
        ids = [source.slice_id for source in portion.slices]
        if reply is None or reply.unavailable:
            unasked += ids
            continue
        judged.update(ids)
        if isinstance(reply.value, ParserReply):
            reading.read(portion, reply.value)
        else:
            reading.failed(portion, reply.reason)
    proposals = Proposals(
        tuple(reading.entities), tuple(reading.facts), tuple(reading.digests.values()), (*silent, *reading.verdicts)
    )
    left = tuple(dict.fromkeys(unasked))
    wholly, partly = tuple(one for one in left if one not in judged), tuple(one for one in left if one in judged)
    return Parsed(proposals, wholly, partly, reading.unknown_ids)


class _Reading:
    """Replies, read one after another."""

    def __init__(self) -> None:
        self.entities: list[EntityProposal] = []
        self.facts: list[RelationshipProposal] = []
        self.digests: dict[UUID, DigestProposal] = {}
        self.verdicts: list[VerdictProposal] = []
        self.unknown_ids = 0

    def failed(self, portion: Portion, reason: str) -> None:
        """No word of this portion's reply could be used."""
        self.verdicts += [
            VerdictProposal(one.source.slice_id, one.passage_no, "failed", reason[:LONGEST_REASON]) for one in portion.fragments
        ]

    def read(self, portion: Portion, reply: ParserReply) -> None:
        """A reply: first what it names, then what it says of what it names, then its verdicts."""
        named = {norm(entity.name) for entity in reply.entities}
        self.entities += [proposal for entity in reply.entities if (proposal := self._entity(portion, entity))]
        for fact in reply.facts:
            stated = self._fact(portion, fact)
            if stated is not None:
                self.facts.append(stated)
                self.entities += _unnamed(stated, named)
        for said in reply.slices:
            source = portion.slice(said.id)
            if source is None:
                self.unknown_ids += 1
            else:
                self._digest(source.slice_id, said)
        self.verdicts += self._verdicts(portion, reply.passages)

    def _entity(self, portion: Portion, said: EntityOut) -> EntityProposal | None:
        quotes = self._quotes(portion, said.quotes)
        name = _sentence(said.name)
        if not norm(name) or not quotes:
            return None
        aliases = tuple(dict.fromkeys(alias for one in said.aliases if norm(alias := _sentence(one))))
        return EntityProposal(
            name, said.kind.strip().lower()[:40], aliases, _sentence(said.summary), _unit(said.confidence), quotes
        )

    def _fact(self, portion: Portion, said: FactOut) -> RelationshipProposal | None:
        quotes = self._quotes(portion, said.quotes)
        subject, target = self._name(portion, said, said.subject), said.object
        if said.object_is_entity:
            target = self._name(portion, said, said.object)
        if not quotes or not norm(subject) or not said.predicate.strip() or not target.strip():
            return None
        since, until = date_of(said.valid_from), date_of(said.valid_to)
        return RelationshipProposal(
            subject=subject,
            predicate=said.predicate.strip(),
            object=_sentence(target),
            object_is_entity=said.object_is_entity and bool(norm(target)),
            statement=_sentence(said.statement),
            negated=said.negated,
            functional=said.one_at_a_time,
            valid_from=since,
            valid_to=until if since is None or until is None or until >= since else None,
            ends=said.ends,
            corrects=said.corrects,
            confidence=_unit(said.confidence),
            quotes=quotes,
        )

    def _name(self, portion: Portion, said: FactOut, name: str) -> str:
        """The name, or whose it is when the model writes “I” as the speaker does."""
        first = next((found for quote in said.quotes if (found := portion.fragment(quote.passage))), None)
        if first is not None and name.strip().lower() in SPEAKERS:
            return _sentence(first.source.actor)
        return _sentence(name)

    def _quotes(self, portion: Portion, said: Iterable[QuoteOut]) -> tuple[Quote, ...]:
        found: list[Quote] = []
        for quote in said:
            fragment = _holder(portion, quote)
            if fragment is None or not quote.text.strip():
                self.unknown_ids += fragment is None
            else:
                found.append(Quote(fragment.source.slice_id, quote.text))
        return tuple(dict.fromkeys(found))

    def _digest(self, slice_id: UUID, said: SliceOut) -> None:
        """A long slice is digested portion by portion: its importance is that of the weightiest one."""
        topics = [topic for one in said.topics if (topic := _sentence(one).lower())]
        before = self.digests.get(slice_id)
        if before is None:
            self.digests[slice_id] = DigestProposal(
                slice_id, _unit(said.importance), tuple(dict.fromkeys(topics))[:MOST_TOPICS], _sentence(said.summary)
            )
            return
        self.digests[slice_id] = DigestProposal(
            slice_id,
            max(before.importance, _unit(said.importance)),
            tuple(dict.fromkeys((*before.topics, *topics)))[:MOST_TOPICS],
            _sentence(f"{before.summary} {said.summary}"),
        )

    def _verdicts(self, portion: Portion, said: Iterable[PassageOut]) -> Iterator[VerdictProposal]:
        """At most one for each fragment; what has none stays without, and is tried again."""
        done: set[tuple[UUID, int]] = set()
        for one in said:
            fragment = portion.fragment(one.id)
            word = one.verdict.strip().lower()
            if fragment is None or word not in ("extracted", "nothing"):
                self.unknown_ids += 1
                continue
            key = (fragment.source.slice_id, fragment.passage_no)
            if key not in done:
                done.add(key)
                reason = _sentence(one.reason)[:LONGEST_REASON]
                if word == "extracted":
                    yield VerdictProposal(*key, "extracted", reason)
                else:
                    yield VerdictProposal(*key, "nothing", reason or NO_REASON)


def _unnamed(fact: RelationshipProposal, named: set[str]) -> Iterator[EntityProposal]:
    """Entities for what a fact is about and the reply forgot to name."""
    for name in (fact.subject, fact.object) if fact.object_is_entity else (fact.subject,):
        if norm(name) not in named:
            named.add(norm(name))
            yield EntityProposal(name, confidence=fact.confidence, quotes=fact.quotes)


def _holder(portion: Portion, quote: QuoteOut) -> Fragment | None:
    """The fragment that a quote is of: the one it names, or the one that holds its words when that one does not."""
    named = portion.fragment(quote.passage)
    if named is not None and quote.text in named.source.text:
        return named
    return next((fragment for fragment in portion.fragments if quote.text and quote.text in fragment.text), named)


def _sentence(text: str) -> str:
    return " ".join(text.split())[:LONGEST_SENTENCE]


def _unit(value: float) -> float:
    """Within 0..1; a model that counts to a hundred means per cent."""
    if math.isnan(value):
        return UNSTATED
    return min(max(value / 100 if 1 < value <= 100 else value, 0.0), 1.0)
