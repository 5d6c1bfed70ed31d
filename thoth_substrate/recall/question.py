"""Understand a question without a model: its terms, who it asks about, which period, whether it asks when. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from thoth_substrate.model.terms import terms
from thoth_substrate.recall.periods import Period, periods

MOST_TERMS = 48
_TRIVIAL = frozenset(
    "ok okay k yes yep yeah no nope sure thanks thank you thx ty please hi hello hey"
    " bye goodbye cool great nice good fine done go"
    " continue next stop perfect awesome right correct exactly hm hmm hmmm lol haha wow got it sounds do that y n"
    " gracias vale sí hola danke ja nein merci oui non obrigado sim 好 好的 谢谢 はい ありがとう".split()
)
# Words of asking: they say what to do with the answer and nothing of what it is about.
_ASKING = frozenset(
    terms(
        "list order mention mentions mentioned item items aspect aspects bring brought throughout across"
        " conversation conversations chat chats discuss discussed discussing talk talked tell told say said"
        " give provide comprehensive summary summarize summarise explain describe remind remember recall"
        " question questions different various based considering"
    )
)
_WORD = re.compile(r"[^\W_]+")
_WHEN = re.compile(
    r"\b(?:when|how long|what (?:date|day|month|year|time)|which (?:month|year|day|week)|cuándo|wann|quand|quando)\b"
    r"|什么时候|いつ",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|me|mine|we|our|us|yo|mi|mis|ich|mein\w*|wir|je|j'ai|mon|ma|mes|nous|eu|meu|minha)\b|[我私]",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“«]([^\"”»]{3,80})[\"”»]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as recall sees it. `terms` are distinct, in order, without the words of asking.

    `periods` are spans of time it names. `first_person`: it speaks of the asker. `asks_when`: its answer is a
    time. `trivial`: nothing to look for.
    """

    text: str
    terms: tuple[str, ...]
    periods: tuple[Period, ...]
    first_person: bool
    asks_when: bool
    quoted: tuple[str, ...]
    trivial: bool


def understand(text: str, now: datetime, earliest: datetime | None = None, latest: datetime | None = None) -> Question:
    """Read `text` as asked at `now`. `earliest` and `latest` bound the years that a date without one may mean."""
    found = list(dict.fromkeys(terms(text)))
    telling = [term for term in found if term not in _ASKING] or found
    return Question(
        text=text,
        terms=tuple(telling[:MOST_TERMS]),
        periods=periods(text, now, earliest, latest),
        first_person=bool(_FIRST_PERSON.search(text)),
        asks_when=bool(_WHEN.search(text)),
        quoted=tuple(_QUOTED.findall(text)),
        trivial=is_trivial(text),
    )


def is_trivial(text: str) -> bool:
    """ "ok", "thanks", a slash command, bare punctuation: prompts that ask nothing of memory."""
    stripped = text.strip()
    if not stripped or (stripped.startswith("/") and " " not in stripped.split("\n", 1)[0]):
        return True
    words = _WORD.findall(stripped.casefold())
    return not words or (len(words) <= 4 and all(word in _TRIVIAL for word in words))


def asked_about(question: Question, actors: dict[str, bool]) -> str | None:
    """The one speaker that a question is about, or None when nobody or several are.

    `actors` maps each speaker among the candidates to whether they are the world's (True) or the agent's (False). The
    first person is the world's only speaker. A name counts from its first letters on, so that a short form is enough.
    """
    folded = question.text.casefold()
    named = [actor for actor in actors if len(actor) > 2 and _is_named(actor, folded)]
    people = [actor for actor, is_world in actors.items() if is_world]
    if question.first_person and len(people) == 1:
        return people[0]
    return named[0] if len(named) == 1 else None


def _is_named(actor: str, folded: str) -> bool:
    first = actor.casefold().split()[0]
    return re.search(r"\b" + re.escape(first[: max(3, len(first) - 2)]), folded) is not None
