"""What a question means without a model: whose last meeting it is about, and whether it asks what happened. Pure."""

from __future__ import annotations

import re

from thoth_substrate.model.terms import terms

_MEETING = (
    r"meetings?|calls?|conversations?|chats?|talks?|sessions?|lunch|dinner|appointments?|one-on-one|1:1"
    r"|reuni[oó]n|llamada|conversaci[oó]n|charla|besprechung|treffen|gespräch|anruf|termin|réunion|appel|riunione|chiamata|reunião"
)
MEETING_TERMS = tuple(
    dict.fromkeys(
        terms(
            "meeting met meet call called conversation chat talk talked session lunch dinner appointment sync standup interview"
            " reunión llamada conversación charla besprechung treffen getroffen gespräch anruf termin réunion appel riunione"
            " reunião"
        )
    )
)
_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?:\s+(?!about|on|in|at|from|regarding|yesterday|today|last|sobre|über|was|were|and|please)[^\W\d_][\w.'’-]*){0,2})"  # noqa: E501
_LAST_MEETING = re.compile(
    rf"\b(?:last|latest|most recent|previous|letzte\w*|[uú]ltim[ao]|derni[eè]re?|ultima)\s+(?:[\w:-]+\s+){{0,2}}?(?:{_MEETING})"
    rf"(?:\s+\w+){{0,2}}?\s+(?:with|mit|con|avec|com)\s+{_NAME}",
    re.IGNORECASE,
)
_LAST_MET = re.compile(
    rf"\bwhen (?:i|we) last (?:met|spoke|talked|saw|called)\s+(?:with |to )?{_NAME}"
    rf"|\blast time (?:i|we) (?:met|spoke|talked|saw|called)\s+(?:with |to )?{_NAME.replace('name', 'other')}",
    re.IGNORECASE,
)
_WHAT_HAPPENED = re.compile(
    r"\b(?:what (?:happened|was (?:going on|said|discussed|done)|did (?:i|we|they) (?:do|say|discuss|talk about))"
    r"|recap|summar\w+|sum up|qué (?:pasó|ocurrió|hicimos)|resum\w+|was (?:\w+ ){0,3}(?:passiert\w*|gesch[ae]h\w*)"
    r"|zusammenfass\w+|qu'est-ce qui s'est passé|cosa è successo|o que aconteceu)",
    re.IGNORECASE,
)


def last_met(question: str) -> str | None:
    """The person of "my last meeting with …", or None."""
    found = _LAST_MEETING.search(question) or _LAST_MET.search(question)
    if found is None:
        return None
    named = found.groupdict()
    return (named.get("name") or named.get("other") or "").strip(" .,'’") or None


def asks_what_happened(question: str) -> bool:
    """Whether all that was said then is the answer, and not some word of it."""
    return _WHAT_HAPPENED.search(question) is not None


def whole_words(words: str) -> str | None:
    """A pattern of PostgreSQL that finds these words wherever they stand as such; None for no words."""
    found = words.split()
    if not found:
        return None
    inner = r"\s+".join(re.sub(r"(\W)", r"\\\1", word) for word in found)
    return (r"\m" if words.strip()[0].isalnum() else "") + inner + (r"\M" if words.strip()[-1].isalnum() else "")
