"""From words to where they were met: by stems, and by near spellings of words that nobody used. Pointers, and no content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thoth_substrate.awareness.keep import Concept, told
from thoth_substrate.db.pool import Database, Tx
from thoth_substrate.db.queries import query
from thoth_substrate.model.terms import terms

SPELLING_DISTANCE = 0.65  # by trigrams, 0 is the same word; two letters changed places in one of eight
MOST_TERMS = 32


@dataclass(frozen=True, slots=True)
class Found:
    """A concept that was looked for. `matched` are the words by which it was found, as the index has them."""

    concept: Concept
    matched: list[str]


@dataclass(frozen=True, slots=True)
class Match:
    concept_id: int
    matched: list[str]


@dataclass(frozen=True, slots=True)
class Known:
    term: str


@dataclass(frozen=True, slots=True)
class NearTerm:
    term: str
    distance: float


_KNOWN = query(__package__, "terms_known", Known)
_NEAR = query(__package__, "terms_near", NearTerm)
_MATCHES = query(__package__, "matches", Match)


async def lookup(db: Database, tenant_id: str, words: str, *, limit_rows: int = 10) -> list[Found]:
    """What is going on about these words, the best match first: who has more of the words, then the last noted."""
    asked = list(dict.fromkeys(terms(words)))[:MOST_TERMS]
    if not asked:
        return []
    async with db.tenant(tenant_id) as tx:
        meant = await _meant(tx, tenant_id, asked)
        matches = await tx.fetch(_MATCHES, tenant_id, meant, limit_rows) if meant else []
        found = await told(tx, tenant_id, [match.concept_id for match in matches])
    by_id = {match.concept_id: match.matched for match in matches}
    return [Found(one, by_id[one.concept_id]) for one in found]


async def _meant(tx: Tx, tenant_id: str, asked: Sequence[str]) -> list[str]:
    """The terms themselves, and for those that no concept has the nearest that one has."""
    known = {row.term for row in await tx.fetch(_KNOWN, tenant_id, asked)}
    meant = [term for term in asked if term in known]
    for term in asked:
        if term not in known and len(term) > 2:
            near = await tx.fetch(_NEAR, tenant_id, term, 1)
            meant += [row.term for row in near if row.distance <= SPELLING_DISTANCE]
    return list(dict.fromkeys(meant))
