"""Words that deny, in several languages: what tells "is" from "is not"."""

from __future__ import annotations

import re

from thoth_substrate.model.terms import plain

_WORD = re.compile(r"\w+(?:['’]\w+)?")
_NEGATION = re.compile(
    r"^(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t|nunca|nadie|sin|nicht|kein\w*|nie|ne|pas|jamais|sans|não|nem|non|mai|senza)$"
)


def words(text: str) -> list[str]:
    """The words of a text that is plain already, in order."""
    return _WORD.findall(text)


def negations(plain_words: list[str]) -> tuple[str, ...]:
    """Those of the words that deny, in order."""
    return tuple(filter(_NEGATION.match, plain_words))


def denies(text: str) -> bool:
    """Whether a sentence says by itself that something is not so."""
    return bool(negations(words(plain(text))))
