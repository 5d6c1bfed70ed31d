"""Names: how they are compared. One norm for entities, aliases and objects that are values, in any script."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 200
_POSSESSIVE = re.compile(r"'s?$")
_INITIAL = re.compile(r"\b(\w)\.(?=\w\b|\s|$)")
_APOSTROPHES = str.maketrans("’ʼ‘`´", "'" * 5)
_SPACED = re.compile(r"[\s_\-‐-―,;:!?\"“”«»()\[\]{}。、，！？「」『』]+")


def norm(name: str) -> str:
    """A name as it is compared: NFKC, casefolded, without Latin, Greek and Cyrillic accents, punctuation and spaces made one.

    What tells names apart stays: `C++` and `C#`, `v1.2` and `v12`, か and が. At most LONGEST_NAME characters; may be empty.
    """
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name.translate(_APOSTROPHES)).casefold())
    bare = unicodedata.normalize("NFC", "".join(c for c in folded if not "\u0300" <= c <= "\u036f"))
    spaced = _SPACED.sub(" ", _INITIAL.sub(r"\1 ", bare)).strip()
    words = (_POSSESSIVE.sub("", word.rstrip(".")).replace("'", "") for word in spaced.split(" "))
    return _joined_initials(" ".join(word for word in words if word))[:LONGEST_NAME]


def script(text: str) -> str:
    """The script of a name's letters by the first of them: `latin`, `cyrillic`, `cjk` …; empty when it has none."""
    for character in text:
        if character.isalpha():
            first = unicodedata.name(character, "").split(" ", 1)[0].lower()
            return "latin" if first in ("latin", "fullwidth", "feminine", "masculine") else first
    return ""


def _joined_initials(name: str) -> str:
    """`u s a` as `usa`: what is written with dots or spaces is one word."""
    return re.sub(
        r"\b(?:\w )+\w\b", lambda found: found.group().replace(" ", "") if found.group().isascii() else found.group(), name
    )
