"""Passages: the searchable unit. A slice of ordinary length is one; a long one is split, so that no needle is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntFlag

LONGEST_PASSAGE_CHARS = 1200
OVERLAP_CHARS = 150
WINDOW_WORDS = 40
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？؟।])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_QUESTION = re.compile(r"[?？؟]\s*[\"'”’)\]]*\s*(\[[^\]]*\]\s*)?$")
_FIRST_PERSON = re.compile(
    r"\b(?:I|I'm|I've|I'd|I'll|my|we|our|mi|mis|yo|nosotros|nuestr[oa]s?|ich|mein|meine[rmns]?|wir|unser[e]?|je|j'ai|mon|ma|mes|nous|notre|nos|eu|meu|minha|nós|io|mio|mia|noi)\b|[我私俺僕]"
)
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weeks|weekend|month|months|years?|days?|morning|evening|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|"
    r"recently|since|soon|just|\d{4}|\d+(?:st|nd|rd|th)|ayer|hoy|mañana|semana|mes|año|gestern|heute|morgen|woche|monat|jahr|"
    r"hier|aujourd'hui|demain|semaine|mois|année|ontem|hoje|amanhã)\b|[昨今明]天|\d+月|年",
    re.IGNORECASE,
)


_STANDING = re.compile(
    r"^\W*(?:please |i'd like you to |i want you to |from now on,? )?"
    r"(?:always|never|make sure to always|remember (?:to|that)|don't ever)\b"
    r"|\bi(?:'d| would)?(?: always| really)? (?:prefer|rather)\b|\bfrom now on\b|\bplease remember\b"
    r"|^\W*(?:siempre|nunca|immer|niemals|toujours|jamais|sempre)\b",
    re.IGNORECASE,
)


class Flag(IntFlag):
    """What a passage is like, as stored in `substrate_passages.flags`."""

    QUESTION = 1
    FIRST_PERSON = 2
    TIME = 4
    STANDING = 8


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text by character positions, end excluded."""

    start: int
    end: int


def split(text: str) -> list[Span]:
    """The passages of `text`, in order, covering all of it. Empty or blank text has none.

    Pieces are at most LONGEST_PASSAGE_CHARS, cut at sentence bounds where there are any, and each begins with the end
    of the one before it (at most OVERLAP_CHARS, whole sentences) so that a sentence is never without its context.
    """
    if not text.strip():
        return []
    if len(text) <= LONGEST_PASSAGE_CHARS:
        return [Span(0, len(text))]
    spans: list[Span] = []
    start = 0
    bounds = _bounds(text)
    at = 0
    while start < len(text):
        last = at
        while last < len(bounds) and bounds[last] - start <= LONGEST_PASSAGE_CHARS:
            last += 1
        end = bounds[last - 1]
        spans.append(Span(start, end))
        if end >= len(text):
            break
        start, at = _next_start(bounds, last, start), last
    return spans


def flags(text: str) -> Flag:
    """What kind of sentence this is, by its words: cheap, in several languages, and only ever a hint."""
    found = Flag(0)
    if _QUESTION.search(text.rstrip()[-200:]):
        found |= Flag.QUESTION
    if _FIRST_PERSON.search(text):
        found |= Flag.FIRST_PERSON
    if _TIME.search(text):
        found |= Flag.TIME
    if _STANDING.search(text):
        found |= Flag.STANDING
    return found


def has_window(text: str) -> bool:
    """Whether a turn is short enough to be embedded together with the turn before it as well."""
    return len(text.split()) <= WINDOW_WORDS


def _bounds(text: str) -> list[int]:
    """Ends of sentences, none further apart than a passage may be long."""
    bounds: list[int] = []
    previous = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        while end - previous > LONGEST_PASSAGE_CHARS - OVERLAP_CHARS:
            space = text.rfind(" ", previous + 1, previous + LONGEST_PASSAGE_CHARS - OVERLAP_CHARS)
            previous = space + 1 if space > previous else previous + LONGEST_PASSAGE_CHARS - OVERLAP_CHARS
            bounds.append(previous)
        if end > previous:
            bounds.append(end)
            previous = end
    return bounds


def _next_start(bounds: list[int], last: int, start: int) -> int:
    """Where the next passage begins: at the earliest sentence within the overlap, never at or before `start`."""
    end = bounds[last - 1]
    reach = last - 1
    while reach > 0 and end - bounds[reach - 1] <= OVERLAP_CHARS and bounds[reach - 1] > start:
        reach -= 1
    return bounds[reach]
