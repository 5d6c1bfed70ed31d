"""Which words are whose, and what a text is worth when some of its sources are purged. Pure.

Words are compared as search has them: casefolded, without accents, stemmed, those without meaning left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thoth_substrate.model.terms import terms

_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrtbf])")
Words = frozenset[str]
BEGINNING_CHARS = 200
MOST_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class Purged:
    """The words of what is purged; `own` are those that no other slice has. `beginnings` are of the texts themselves."""

    words: Words = frozenset()
    own: Words = frozenset()
    beginnings: frozenset[str] = frozenset()


def words(*texts: str) -> Words:
    """The distinct words of some texts."""
    return frozenset(word for text in texts for word in terms(text))


def words_in(value: Any) -> Words:
    """The words of all texts of a JSON value but its keys; those of a JSON document within a text as well."""
    return words(*(unescaped(text) for text in strings(value)))


def strings(value: Any) -> Iterator[str]:
    """Every text of a JSON value but its keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


# Words that decisions are made of, whatever they are about.
OF_THE_CREW = words(
    "person place organisation organization thing event topic value entity entities fact facts relationship relationships"
    " pattern patterns insight synthesis observation dream question test self coherence statement summary topics importance"
    " confidence quote quotes passage passages slice slices verdict verdicts digest digests extracted nothing failed salvaged"
    " ok reply replies proposal proposals parser associator critic reflector dreamer summarizer conductor finder indexer"
    " default full medium low off true false null none"
)


def betrays(text: str, purged: Words, left: Words) -> bool:
    """Whether a text has words of what is purged that are not in what is left."""
    return not (words(text) & purged) <= left


def is_told_by(text: str, left: Words) -> bool:
    """Whether every word of a text is in what is left: then what is left says all that it says."""
    return words(text) <= left


@dataclass(frozen=True, slots=True)
class Told:
    """A fact in parts, and the words of what it still rests on. `founded`: what it was first said with is among that."""

    subject: str
    predicate: str
    object: str
    negated: bool
    statement: str
    left: Words
    founded: bool = True


def statement_anew(told: Told, purged: Purged) -> str | None:
    """The fact's sentence as what is left supports it: as it stood, or in its parts. None when they do not name its object."""
    relation = told.predicate.replace("_", " ")
    if betrays(told.object, purged.words, told.left) or betrays(relation, purged.own, told.left):
        return None
    known = told.left | words(told.subject, relation, told.object)
    if is_told_by(told.statement, known) or (told.founded and not betrays(told.statement, purged.words, known)):
        return told.statement
    return " ".join(part for part in (told.subject, "not" if told.negated else "", relation, told.object) if part)


@dataclass(frozen=True, slots=True)
class Named:
    """An entity's names and summary, the words of what it still rests on, and what the facts about it say now."""

    name: str
    aliases: Sequence[str]
    summary: str
    left: Words
    statements: Sequence[str]


@dataclass(frozen=True, slots=True)
class NamedAnew:
    """The same as what is left tells of it. `lost` are aliases that nothing left has."""

    name: str
    summary: str
    lost: tuple[str, ...]


def named_anew(named: Named, purged: Purged) -> NamedAnew | None:
    """Names and summary without what only the purged knew. None when nothing left names it."""
    lost = tuple(a for a in named.aliases if a != named.name and betrays(a, purged.words, named.left))
    name: str | None = named.name
    if betrays(named.name, purged.own, named.left):
        lost = tuple(a for a in named.aliases if betrays(a, purged.words, named.left))
        name = next((alias for alias in named.aliases if alias not in lost), None)
    if name is None:
        return None
    summary = named.summary
    if not is_told_by(summary, named.left | words(name)):
        clean = [text for text in named.statements if not betrays(text, purged.own, named.left)]
        summary = ". ".join(text.rstrip(". ") for text in clean[-MOST_SENTENCES:])
    return NamedAnew(name, summary, lost)


def beginning(text: str) -> str:
    """As much of a text as a log of questions keeps, as it is compared."""
    return " ".join(text[:BEGINNING_CHARS].casefold().split())


def unescaped(text: str) -> str:
    """A text in which a model's JSON may stand: with line breaks and characters for their escapes."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
