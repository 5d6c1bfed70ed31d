"""Folding near-duplicates: the same thing said again costs tokens and adds nothing.

Never across different numbers, negations or speakers: port 5432 is not port 5433, and "is" is not "is not".
"""

from __future__ import annotations

import re
from functools import cached_property

from thoth_substrate.model.negation import negations, words
from thoth_substrate.model.projection import Line
from thoth_substrate.model.terms import plain

NEARLY_ALL = 0.9
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


class Fingerprint:
    """What must agree exactly (speaker, numbers, negations in order) and what nearly (the words)."""

    def __init__(self, line: Line) -> None:
        self.speaker = plain(line.actor)
        self._text = plain(line.text)
        self._in_order = words(self._text)
        self.words = frozenset(self._in_order)

    @cached_property
    def exact(self) -> tuple[list[str], tuple[str, ...]]:
        """Numbers and negations: looked for only in lines whose words are nearly those of another."""
        return _NUMBER.findall(self._text), negations(self._in_order)


def is_repeat(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two lines of a speaker say the same: nine words of ten are shared, and all that must agree does."""
    here, there = len(one.words), len(other.words)
    if here < NEARLY_ALL * there or there < NEARLY_ALL * here:
        return False  # whichever words they are
    shared = len(one.words & other.words)
    union = here + there - shared
    return (union == 0 or shared / union >= NEARLY_ALL) and one.exact == other.exact
