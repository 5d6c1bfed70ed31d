"""Which names a question may hold: stretches of its words, compared as entities' aliases are. Pure."""

from __future__ import annotations

import re

from thoth_substrate.model.names import norm
from thoth_substrate.model.terms import STOP_WORDS

LONGEST_NAME_WORDS = 4
MOST_WORDS = 48
LONGEST_RUN_CHARS = 6  # of a name in scripts without spaces between words
_SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{2,}")


def names_in(text: str) -> list[str]:
    """Every stretch of up to four words that could be a name. A word that says nothing ("the", "what") names nobody."""
    words = text.split()[:MOST_WORDS]
    found: dict[str, None] = {}
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_NAME_WORDS, len(words)) + 1):
            name = norm(" ".join(words[start:end]))
            if len(name) > 1 and name not in STOP_WORDS:
                found[name] = None
    for run in _SPACELESS.findall(norm(text)):
        for start in range(min(len(run), MOST_WORDS)):
            for end in range(start + 2, min(start + LONGEST_RUN_CHARS, len(run)) + 1):
                found[run[start:end]] = None
    return list(found)
