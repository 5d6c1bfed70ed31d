"""Noting topics: one that overlaps a concept extends it, any other is a new one. Noting the same again adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from thoth_substrate.awareness.pointers import FIRST, LAST, Pointer, pointer
from thoth_substrate.awareness.words import Near, keyword, same_topic, terms_of
from thoth_substrate.db.pool import Database, Tx, as_rows
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput
from thoth_substrate.model.terms import terms

MOST_KEYWORDS = 40  # of one concept; a topic's own are few
MOST_DAYS = 366


@dataclass(frozen=True, slots=True)
class Place:
    """Where a topic was met: a source and a window of time."""

    type: str
    ref: str
    from_time: datetime
    to_time: datetime


@dataclass(frozen=True, slots=True)
class Topic:
    """What is going on: keywords as `words.keyword` writes them, where, when it was last spoken of, and until when it matters.

    `days` and `reason` are the model's own; they stay in the diary. `slices` are those that it rests on.
    """

    keywords: tuple[str, ...]
    places: tuple[Place, ...]
    last_at: datetime
    expires_at: datetime
    days: float = 0.0
    reason: str = ""
    slices: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Noted:
    """What noting did, as counts. `past` topics had expired before they were noted. `concept_ids` are those made or extended."""

    made: int = 0
    extended: int = 0
    past: int = 0
    keywords: int = 0
    sources: int = 0
    concept_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    concept_id: int


_ALONE: Query[None] = query(__package__, "one_at_a_time")
_NEAR = query(__package__, "concepts_near", Near)
_MADE = query(__package__, "concept_made", Made)
_EXTENDED: Query[None] = query(__package__, "concept_extended")
_KEYWORDS: Query[None] = query(__package__, "keywords_noted")
_SOURCES: Query[None] = query(__package__, "sources_noted")


async def note(tx: Tx, tenant_id: str, topics: Sequence[Topic], now: datetime, decision_id: UUID | None = None) -> Noted:
    """Note topics, in the caller's transaction; who notes for the same tenant meanwhile waits for its end."""
    await tx.execute(_ALONE, tenant_id)
    made = extended = past = keywords = sources = 0
    touched: list[int] = []
    for topic in topics:
        if topic.expires_at <= now or not topic.keywords:
            past += 1
            continue
        near = await tx.fetch(_NEAR, tenant_id, sorted(terms_of(topic.keywords)))
        known = same_topic(terms_of(topic.keywords), near)
        if known is None:
            row = await tx.fetch_one(_MADE, tenant_id, topic.expires_at, decision_id)
            assert row is not None, "an insert answers the row it made"
            concept_id, made = row.concept_id, made + 1
        else:
            concept_id, extended = known.concept_id, extended + 1
            await tx.execute(_EXTENDED, tenant_id, concept_id, topic.expires_at, decision_id)
        keywords += await _keywords(tx, tenant_id, concept_id, topic, known.keywords if known else [])
        places = [(one.type, one.ref, one.from_time, one.to_time) for one in topic.places]
        sources += await tx.execute(_SOURCES, tenant_id, concept_id, *as_rows(places)) if places else 0
        touched.append(concept_id)
    return Noted(made, extended, past, keywords, sources, tuple(dict.fromkeys(touched)))


async def note_by_hand(db: Database, tenant_id: str, said: Sequence[str], places: Sequence[str], lasts: timedelta) -> Noted:
    """Note one topic of these keywords, met at these pointers. Raises BadInput for what cannot be kept."""
    now = db.clock.now()
    keywords = tuple(dict.fromkeys(kept for one in said if (kept := keyword(one))))
    if not keywords or len(keywords) != len(dict.fromkeys(said)):
        raise BadInput("Give keywords of one to three words each, in English (lower-case ASCII); nothing was noted.")
    expires_at = now + within(lasts)
    found = tuple(_place(pointer(one), now) for one in places)
    async with db.tenant(tenant_id) as tx:
        return await note(tx, tenant_id, [Topic(keywords, found, now, expires_at)], now)


def within(lasts: timedelta) -> timedelta:
    """A span for which something may be kept in mind. Raises BadInput."""
    if not timedelta(0) < lasts <= timedelta(days=MOST_DAYS):
        raise BadInput(f"A topic stays in mind for more than 0 and at most {MOST_DAYS} days; nothing was changed.")
    return lasts


def _place(given: Pointer, now: datetime) -> Place:
    """What is outside and has no window was met now."""
    whole = (given.from_time, given.to_time) == (FIRST, LAST)
    window = (now, now) if whole and given.conversation is None else (given.from_time, given.to_time)
    return Place(given.type, given.ref, *window)


async def _keywords(tx: Tx, tenant_id: str, concept_id: int, topic: Topic, known: Sequence[str]) -> int:
    """Add the keywords that are new, as many as there is room for, and say when the others were last spoken of."""
    fresh = [one for one in dict.fromkeys(topic.keywords) if one not in known][: max(MOST_KEYWORDS - len(known), 0)]
    kept = [one for one in dict.fromkeys(topic.keywords) if one in known or one in fresh]
    rows = [(one, term, topic.last_at) for one in kept for term in sorted(set(terms(one)))]
    if rows:
        await tx.execute(_KEYWORDS, tenant_id, concept_id, *as_rows(rows))
    return len(fresh)
