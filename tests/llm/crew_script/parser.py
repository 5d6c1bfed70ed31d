"""What a good model would answer the Parser: names, and plain sentences of a few kinds, with exact quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_FRAGMENTS = re.compile(r"<fragments (\w+)>\n(.*)\n</fragments \1>", re.DOTALL)
_HEAD = re.compile(r"^\[(s\d+) (p\d+)\] (\S+) \S+ \w+ (.+):$", re.MULTILINE)
_NAME = r"[A-ZÀ-ÞА-Я][\w'’-]*(?: (?:of |de |da |van )?[A-ZÀ-ÞА-Я0-9][\w'’-]*)*"
_NAMES = re.compile(_NAME)
_NO_NAMES = frozenset(
    "A Actually After Also An And As At Bye But By Can Could Did Do Does For From Great Had Has Have He Hello Her"
    " Here Hey Hi His How I I'm I've I'll I'd If In Is It It's Let Maybe My No Not Now Of Oh Ok Okay On Or Our Please"
    " Remember She So Sounds Sure Thank Thanks That That's The Their Then There They This To Today Tomorrow Was We"
    " Well What When Where Which Who Why Will Wow Yes Yesterday You Your"
    .split()
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of sentence: its verb, the predicate, whether a subject has one such object at a time, whether that is an entity."""

    verb: str
    predicate: str
    functional: bool | None
    entity: bool = True
    negated: bool = False
    ends: bool = False


_KINDS = (
    Kind(r"no longer (?:lives?|live) in", "lives_in", True, ends=True),
    Kind(r"no longer works? (?:at|for)", "works_at", None, ends=True),
    Kind(r"(?:does not|doesn't|do not|don't) live in", "lives_in", True, negated=True),
    Kind(r"(?:does not|doesn't|do not|don't) (?:like|eat)", "likes", False, entity=False, negated=True),
    Kind(r"(?:lives?|am living|is living) in|moved to|have moved to|has moved to", "lives_in", True),
    Kind(r"works? (?:at|for)|started at", "works_at", None),
    Kind(r"(?:is|am) married to", "married_to", True),
    Kind(r"(?:is|am) from|was born in", "born_in", True),
    Kind(r"(?:is|am) allergic to", "allergic_to", False, entity=False),
    Kind(r"likes?|loves?|prefers?|enjoys?", "likes", False, entity=False),
    Kind(r"has an?|have an?|owns an?|own an?|adopted an?|bought an?", "has", False, entity=False),
    Kind(r"knows?|met|visited|plays?|studies|speaks?", "", False),
)


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """Entities for capitalised names, facts for the sentences of `_KINDS`, a verdict for each passage, a digest a slice."""
    found = _FRAGMENTS.search(request["user"])
    if found is None:
        return None
    reply: dict[str, list[Any]] = {"passages": [], "entities": [], "facts": [], "slices": []}
    seen: set[str] = set()
    for slice_id, passage, actor, text in _passages(found[2]):
        facts = [fact for sentence in _sentences(text) if (fact := _fact(sentence, passage, actor))]
        names = [name for name in dict.fromkeys(_names(text)) if name]
        reply["facts"] += facts
        reply["entities"] += [_entity(name, passage, text) for name in names]
        quoted = bool(facts or names)
        reason = "names or facts" if quoted else "small talk"
        reply["passages"].append({"id": passage, "verdict": "extracted" if quoted else "nothing", "reason": reason})
        if slice_id not in seen:
            seen.add(slice_id)
            topics = sorted({fact["predicate"].replace("_", " ") for fact in facts})
            reply["slices"].append(
                {"id": slice_id, "importance": 0.7 if facts else 0.3, "topics": topics, "summary": " ".join(text.split())[:120]}
            )
    return reply


def _passages(fragments: str) -> Iterator[tuple[str, str, str, str]]:
    heads = list(_HEAD.finditer(fragments))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        text = fragments[head.end() + 1 : following.start() if following else None]
        yield head[1], head[2], head[4], text.strip()


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]


def _names(text: str) -> Iterator[str]:
    for found in _NAMES.finditer(text):
        words = found[0].split(" ")
        while words and words[0] in _NO_NAMES:
            words = words[1:]
        yield " ".join(words)


def _entity(name: str, passage: str, text: str) -> dict[str, Any]:
    sentence = next((part for part in _sentences(text) if name in part), name)
    return {
        "name": name, "kind": "thing", "aliases": [], "summary": f"Named in: {sentence[:80]}", "confidence": 0.9,
        "quotes": [{"passage": passage, "text": name}],
    }  # fmt: skip


def _fact(sentence: str, passage: str, actor: str) -> dict[str, Any] | None:
    correcting = sentence.lower().startswith(("actually", "no,", "sorry,", "correction"))
    for kind in _KINDS:
        found = re.search(rf"\b(I|{_NAME}) (?:now |really |also |still )?({kind.verb}) (.+?)[.!?]?$", sentence)
        if found is None or (found[1] != "I" and found[1] in _NO_NAMES):
            continue
        told = re.sub(r",? (?:since|now|because|and|but|after|in 20\d\d|with)\b.*$", "", found[3]).strip(" ,")
        subject = actor if found[1] == "I" else next(iter(_names(found[1])), found[1])
        predicate = kind.predicate or re.sub(r"\W+", "_", found[2]).lower()
        since = re.search(r"\bsince (\d{4}(?:-\d\d(?:-\d\d)?)?)", sentence)
        named = re.match(_NAME, told)
        return {
            "subject": subject, "predicate": predicate, "object": named[0] if kind.entity and named else told,
            "object_is_entity": bool(kind.entity and named),
            "statement": f"{subject} {found[2]} {told}.", "negated": kind.negated, "ends": kind.ends, "corrects": correcting,
            "one_at_a_time": kind.functional, "valid_from": since[1] if since else None, "valid_to": None, "confidence": 0.8,
            "quotes": [{"passage": passage, "text": sentence}],
        }  # fmt: skip
    return None
