"""Folding near-duplicates: the same thing said again costs tokens and adds nothing.

Never across different numbers, negations or speakers: port 5432 is not port 5433, and "is" is not "is not".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from thoth_substrate.model.negation import negations, words
from thoth_substrate.model.projection import Line
from thoth_substrate.model.terms import plain

NEARLY_ALL = 0.9
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What must agree exactly (speaker, numbers, negations in order) and what nearly (the words)."""

    exact: tuple[str, tuple[str, ...], tuple[str, ...]]
    words: frozenset[str]


def fingerprint(line: Line) -> Fingerprint:
    """The fingerprint of one line."""
    text = plain(line.text)
    found = words(text)
    return Fingerprint((plain(line.actor), tuple(_NUMBER.findall(text)), negations(found)), frozenset(found))


def is_repeat(one: Fingerprint, other: Fingerprint) -> bool:
    """Whether two lines say the same: all that must agree does, and nine words of ten are shared."""
    if one.exact != other.exact:
        return False
    union = len(one.words | other.words)
    return union == 0 or len(one.words & other.words) / union >= NEARLY_ALL
