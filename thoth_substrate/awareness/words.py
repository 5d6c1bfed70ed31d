"""Keywords: how they are written, what they are found by, and when two sets of them are about the same. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.model.terms import plain, terms

LONGEST_KEYWORD, MOST_WORDS = 40, 3  # a name or a phrase, and no sentence: the line is put before every agent
SHARE, LEAST_SHARED = 0.4, 2
_LETTERS = str.maketrans("łøđıæœ’‘", "lodiao''")
_OTHER = re.compile(r"[^a-z0-9 .+#&'/@_-]+")


@dataclass(frozen=True, slots=True)
class Near:
    """A concept that shares words with a topic."""

    concept_id: int
    renewed_at: datetime
    terms: list[str]
    keywords: list[str]


def keyword(said: str) -> str | None:
    """A keyword as it is kept: lower-case, ASCII, one to three words; None for what is none, or is not written in English."""
    folded = "".join(c if c.isascii() or c.isalnum() else " " for c in plain(said.casefold().translate(_LETTERS)))
    if not folded.isascii():
        return None
    words = [word for part in _OTHER.sub(" ", folded).split() if (word := part.strip(".'-/&_@"))]
    bare = " ".join(words)
    return bare if 1 <= len(words) <= MOST_WORDS and len(bare) <= LONGEST_KEYWORD and terms(bare) else None


def terms_of(keywords: Iterable[str]) -> frozenset[str]:
    """The terms that some keywords are found by."""
    return frozenset(term for one in keywords for term in terms(one))


def overlap(one: Set[str], other: Set[str]) -> float:
    """The share of the smaller set that both have; 0 when they share fewer than two words and are not the same."""
    shared = len(one & other)
    if not shared or (shared < LEAST_SHARED and one != other):
        return 0.0
    return shared / min(len(one), len(other))


def same_topic(found: Set[str], known: Sequence[Near]) -> Near | None:
    """The concept that a topic of these terms is about: the one it overlaps most, of those alike the fresher; else None."""
    near = [one for one in known if overlap(found, frozenset(one.terms)) >= SHARE]
    return max(near, key=lambda one: (overlap(found, frozenset(one.terms)), one.renewed_at, one.concept_id), default=None)
