"""Terms: what keyword search knows of a text. The same function reads passages and questions.

A word is casefolded, freed of accents and stemmed (Snowball English; words of other languages pass nearly unchanged).
Scripts without word spaces, and Korean, whose particles cling to its words, become overlapping bigrams; a Han character
is a term by itself too, since many a word is one. Compounds such as `v1.2.3`, `a@b.org` or `foo_bar` are kept
whole and by their parts. Words that carry no meaning are left out.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

LONGEST_TERM = 64
_SPACELESS = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # kana
    "\uac00-\ud7a3"  # Hangul
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0003ffff"
)
# Marks belong to the word they stand in: accents written apart, Hebrew and Arabic vowels, the vowels of the Indic scripts.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
_TOKEN = re.compile(rf"[{_SPACELESS}]+|[^\W_](?:[^\W{_SPACELESS}]|[{_MARKS}]|[.@:/'’+-](?=[^\W_{_SPACELESS}]))*")
_IS_SPACELESS = re.compile(rf"[{_SPACELESS}]")
_PART = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_COMMON_HAN = frozenset("的了是我你他她它们們在有不这這那和就也都吗嗎呢吧啊个個一上来來到说說要会會很为為与與之其或而")
STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by"
    " can could did do does doing down during each few for from further had has have having he her here hers herself"
    " him himself his how i if in into is it its itself just let me more most my myself no nor not now of off on once"
    " only or other our ours ourselves out over own same she should so some such than that the their theirs them"
    " themselves then there these they this those through to too under until up very was we were what when where which"
    " while who whom why will with would you your yours yourself yourselves"
    " don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't i'm i've i'd i'll it's that's"
    " you're you've we're we've they're they've he's she's let's there's what's".split()
)
_lock = threading.Lock()
_stemmer = Stemmer.Stemmer("english", 0)


@dataclass(frozen=True, slots=True)
class Counted:
    """A text's distinct terms, how often each occurs, and how many there are in all."""

    terms: list[str]
    counts: list[int]
    length: int


def terms(text: str) -> list[str]:
    """The terms of `text` in order, repetitions included."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if _IS_SPACELESS.match(token):
            found.extend(_bigrams(token))
        else:
            found.extend(_word_terms(token))
    return found


def counted(text: str) -> Counted:
    """The distinct terms of `text` with their counts, in order of first occurrence."""
    counts = Counter(terms(text))
    return Counted(list(counts), [min(n, 32_767) for n in counts.values()], sum(counts.values()))


def plain(text: str) -> str:
    """Casefolded, without accents: how names are compared."""
    if text.isascii():
        return text.casefold()  # nothing to decompose: most words by far, of every passage indexed or folded
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in folded if not unicodedata.combining(c))


def _bigrams(token: str) -> list[str]:
    bare = unicodedata.normalize("NFKC", token)
    if len(bare) == 1:
        return [bare]
    found = [bare[i : i + 2] for i in range(len(bare) - 1)]
    return found + [c for c in bare if c not in _COMMON_HAN and _HAN.match(c)]


@lru_cache(maxsize=65_536)
def _word_terms(token: str) -> tuple[str, ...]:
    whole = plain(token.replace("’", "'"))[:LONGEST_TERM]
    if whole in STOP_WORDS:
        return ()
    bare = whole.removesuffix("'s").rstrip("'")
    if bare.isalnum():
        return () if bare in STOP_WORDS or not bare else (_stem(bare),)
    pieces = _PART.findall(bare)
    parts = [_stem(part) for part in pieces if part not in STOP_WORDS and (len(part) > 1 or part.isdigit())]
    return (bare, *parts) if len(pieces) > 1 else tuple(parts)


def _stem(word: str) -> str:
    if not word.isascii() or not word.isalpha():
        return word
    with _lock:  # a Snowball stemmer keeps state while it works
        return str(_stemmer.stemWord(word))
