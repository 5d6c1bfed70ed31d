"""Promotion: what an agent proposes becomes knowledge, and its slices' states move with it, in one transaction.

Everything is checked again under lock: the claim, the slices, the quotes. Whatever fails the check is left out and counted,
so that a stale, doubled or half-wrong proposal does no harm. Locks are taken in one order by all: the tenant's knowledge,
rows of the queue, slices, their salience, each in the order of their ids.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import orjson

from thoth_substrate.consolidate import predicates
from thoth_substrate.consolidate.attempts import ATTEMPTS_MOST, HeldSlice, hold
from thoth_substrate.consolidate.calibrate import calibration
from thoth_substrate.consolidate.entities import Mentions, Resolved, resolve
from thoth_substrate.consolidate.facts import Written, cite, work_in
from thoth_substrate.consolidate.judge import Judged, clean, judge
from thoth_substrate.consolidate.quotes import Checker, Found
from thoth_substrate.consolidate.resolve import Mention, mention
from thoth_substrate.consolidate.supersede import Claimed, Fact
from thoth_substrate.db.again import again
from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.calibration import Calibration
from thoth_substrate.model.knowledge import DigestProposal, Maker, Promoted, Proposals, RelationshipProposal, Source
from thoth_substrate.model.names import norm

STATEMENT_CHARS = 1000
OBJECT_CHARS = 500
TRUSTED = 0.5  # a source below it may add to what is known, and overturns nothing
_OWN = ("thoth.self_", "substrate.")  # streams of what the agent itself does, says and is


@dataclass(frozen=True, slots=True)
class SliceState:
    slice_id: UUID
    content_hash: str
    state: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class Stated:
    """A proposed fact whose quotes stand, with the mentions that it is about; `object` is None for a value."""

    proposal: RelationshipProposal
    predicate: str
    subject: Mention
    object: Mention | None
    quotes: tuple[Found, ...]


_ONE_AT_A_TIME: Query[None] = query(__package__, "one_at_a_time")
_SLICES = query(__package__, "slices_held", SliceState)
_ANCHORS: Query[None] = query(__package__, "anchors_held")
_UNWANTED: Query[None] = query(__package__, "unwanted")
_DIGESTS: Query[None] = query(__package__, "digests_made")
_UNASSOCIATED: Query[None] = query(__package__, "unassociated")


async def promote(
    tx: Tx, tenant_id: str, claim_token: UUID, sources: Sequence[Source], proposals: Proposals, maker: Maker,
    *, attempts_most: int = ATTEMPTS_MOST, unfinished: Collection[UUID] = (),
) -> Promoted:  # fmt: skip
    """Write what `proposals` say of `sources` and settle their slices, in the caller's transaction.

    Only slices still held under `claim_token`, and unchanged since they were read, take part; the others are `lost`. Slices
    that are not settled are due again with a growing wait, and dead letters after `attempts_most` attempts. Called twice
    with the same claim, the second call finds nothing of its own and writes nothing. `unfinished` slices were asked about
    in part only: where that settled something they are due again at once, and no attempt is counted.
    """
    await tx.execute(POINT_LOOKUPS)
    await tx.execute(_ONE_AT_A_TIME, tenant_id)
    held, ours = await _held(tx, tenant_id, claim_token, sources)
    lost = tuple(source.slice_id for source in sources if source.slice_id not in {one.slice_id for one in ours})
    if not ours:
        return Promoted(lost=lost)
    checker = Checker(ours)
    entities, facts = _checked(proposals, checker)
    named = await resolve(tx, tenant_id, entities, maker, proposals.embedding_model)
    numbers = itertools.count(-1, -1)
    judged_by = await calibration(tx, tenant_id, maker.agent, maker.model)
    claims = [_claimed(one, named, next(numbers), judged_by, maker) for one in facts]
    written = await work_in(tx, tenant_id, claims, numbers, maker.decision_id, proposals.embedding_model)
    cited = await cite(tx, tenant_id, ((named.of(one).entity_id, q) for one in entities for q in one.quotes), maker.decision_id)
    touched = sorted({named.of(one).entity_id for one in entities})
    if touched:
        await tx.execute(_UNASSOCIATED, tenant_id, touched)
    await _digest(tx, tenant_id, proposals.digests, {one.slice_id for one in ours}, maker)
    judged = await judge(tx, tenant_id, ours, held, proposals.verdicts, written.refused, maker, attempts_most, unfinished)
    return _told(named, written, cited, checker.dropped, judged, lost)


async def promote_alone(
    db: Database, tenant_id: str, claim_token: UUID, sources: Sequence[Source], proposals: Proposals, maker: Maker,
    *, attempts_most: int = ATTEMPTS_MOST,
) -> Promoted:  # fmt: skip
    """`promote` in a transaction of its own, done again when the server says that another try may succeed."""

    async def once() -> Promoted:
        async with db.tenant(tenant_id) as tx:
            return await promote(tx, tenant_id, claim_token, sources, proposals, maker, attempts_most=attempts_most)

    return await again(db, once)


async def _held(
    tx: Tx, tenant_id: str, claim_token: UUID, sources: Sequence[Source]
) -> tuple[list[HeldSlice], list[Source]]:  # fmt: skip
    """What of the claim is still ours and still what was read, under lock. What can no longer be promoted leaves the queue."""
    held = await hold(tx, tenant_id, claim_token, [source.slice_id for source in sources])
    ids = [one.slice_id for one in held]
    if ids:
        await tx.execute(
            _SLICES, tenant_id, ids
        )  # takes the locks; it was seen to leave out rows changed while they were waited for
    states = {one.slice_id: one for one in await tx.fetch(_SLICES, tenant_id, ids)} if ids else {}
    await tx.execute(_ANCHORS, tenant_id, ids)
    gone = [i for i in ids if i not in states or not states[i].wanted]
    if gone:
        await tx.execute(_UNWANTED, tenant_id, gone)
    same = {source.slice_id: source for source in sources if _is_same(source, states.get(source.slice_id))}
    return [one for one in held if one.slice_id in same], list(same.values())


def _is_same(source: Source, state: SliceState | None) -> bool:
    return state is not None and state.wanted and state.content_hash == source.content_hash.lower()


def _checked(proposals: Proposals, checker: Checker) -> tuple[list[Mention], list[Stated]]:
    """Entities and facts of which at least one quote stands in its source. Pure."""
    mentions = Mentions()
    for entity in proposals.entities:
        one = mention(_plain(entity.name), entity.kind, map(_plain, entity.aliases))
        if one is None:
            checker.dropped += len(entity.quotes)
            continue
        one.summary, one.confidence, one.embedding = clean(entity.summary), _unit(entity.confidence), entity.embedding
        one.quotes = checker.check(entity.quotes)
        mentions.propose(one)
    facts = [fact for proposal in proposals.relationships if (fact := _stated(proposal, mentions, checker)) is not None]
    for fact in facts:
        for one in (fact.subject, fact.object):
            if one is not None and not one.quotes:
                one.quotes = list(fact.quotes)
    quoted = [one for one in mentions.all if one.quotes]
    for one in quoted:
        one.sessions = {found.source.session_id for found in one.quotes}
    return quoted, facts


def _stated(proposal: RelationshipProposal, mentions: Mentions, checker: Checker) -> Stated | None:
    """A fact as it can be worked in; None when no quote of it stands, or it lacks a subject, predicate or object."""
    quotes = tuple(checker.check(proposal.quotes))
    predicate = predicates.normal(_plain(proposal.predicate))
    value = _plain(proposal.object)[:OBJECT_CHARS]
    if not quotes or not predicate or not (norm(value) or value) or not norm(_plain(proposal.subject)):
        return None
    subject = mentions.named(_plain(proposal.subject))
    target = mentions.named(value) if proposal.object_is_entity and norm(value) else None
    return Stated(proposal, predicate, subject, target, quotes) if subject is not None else None


def _claimed(stated: Stated, named: Resolved, number: int, judged_by: Calibration, maker: Maker) -> Claimed:
    """The fact with its entities, its times and its weight. Times come from the sources' events, never from the clock."""
    said = stated.proposal
    said_at = min(found.event_time for found in stated.quotes)
    start = _aware(said.valid_from) or said_at
    end = _aware(said.valid_to)
    if end is not None and end < start:
        end, start = (end, end) if said.ends else (None, start)
    subject, target = named.of(stated.subject), named.of(stated.object) if stated.object else None
    value = _plain(said.object)[:OBJECT_CHARS]
    words = " ".join((said.statement, *(found.text for found in stated.quotes)))
    stated_confidence = _unit(said.confidence)
    trusted = any(found.source.trust >= TRUSTED for found in stated.quotes)
    fact = Fact(
        row_id=number, subject=subject.entity_id, predicate=stated.predicate, root=target.entity_id if target else None,
        object_text=value, object_norm=norm(value) or value.casefold(), negated=said.negated,
        functional=trusted and predicates.functional(stated.predicate, said.functional, words),
        statement=_statement(stated), valid_from=start, valid_to=end, stated=stated_confidence,
        confidence=_unit(judged_by.confidence(maker.agent, maker.model, stated.predicate, stated_confidence)),
        by_person=trusted and any(not found.source.stream.startswith(_OWN) for found in stated.quotes),
        slices=frozenset(found.slice_id for found in stated.quotes),
        mentions=frozenset((start,) if end else (start, *(found.event_time for found in stated.quotes))),
        agent=maker.agent, model=maker.model, decision_id=maker.decision_id, quotes=list(stated.quotes), embedding=said.embedding,
    )  # fmt: skip
    return Claimed(fact, said_at, said.valid_from is not None, said.ends, said.corrects)


def _statement(stated: Stated) -> str:
    said = stated.proposal
    words = clean_line(_plain(said.statement), STATEMENT_CHARS)
    if words:
        return words
    verb = stated.predicate.replace("_", " ")
    return f"{_plain(said.subject)} {'not ' if said.negated else ''}{verb} {_plain(said.object)}"[:STATEMENT_CHARS]


def clean_line(text: str, most: int) -> str:
    """A sentence on one line, at most so many characters."""
    return " ".join(text.split())[:most]


async def _digest(tx: Tx, tenant_id: str, digests: Iterable[DigestProposal], ours: set[UUID], maker: Maker) -> None:
    rows = {
        one.slice_id: (one.slice_id, _unit(one.importance), _topics(one.topics), clean(one.summary))
        for one in digests
        if one.slice_id in ours
    }
    if rows:
        await tx.execute(_DIGESTS, tenant_id, *as_rows(list(rows.values())), maker.model, maker.decision_id)


def _topics(topics: Iterable[str]) -> str:
    return orjson.dumps(
        list(dict.fromkeys(word for topic in topics if (word := clean(_plain(topic)).lower()[:80])))[:20]
    ).decode()


def _told(named: Resolved, written: Written, cited: int, dropped: int, judged: Judged, lost: tuple[UUID, ...]) -> Promoted:
    detail = {"facts": list(written.made), "merged": list(named.merged), "refused": len(written.refused),
              "failed": [str(i) for i in judged.failed], "dead": [str(i) for i in judged.dead]}  # fmt: skip
    return Promoted(
        named.made, len(written.made), written.superseded, written.corroborated, cited + written.citations, dropped,
        judged.consolidated, judged.partial, lost, {key: value for key, value in detail.items() if value},
    )  # fmt: skip


def _plain(text: str) -> str:
    """Text that PostgreSQL takes: no NUL, no lone surrogate."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def _unit(value: float) -> float:
    """Within 0..1; what is no number counts as 0.5."""
    return min(max(value, 0.0), 1.0) if value == value else 0.5  # noqa: PLR0124 - not a number


def _aware(at: datetime | None) -> datetime | None:
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)
