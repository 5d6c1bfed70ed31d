"""The content defence: does this text try to give orders to whoever reads it? Scored by rules that are data, not code.

Pure. A score says how much a text looks like an attack, weighed by how much a stranger can write into its stream; it is
never proof, so what is kept back is shown to the operator with the reason, and can be released.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

EXCERPT_CHARS = 80
_SPACES = re.compile(r"[^\S\n]+")
_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))  # joiners stay: Persian and emoji need them
# Where a clause begins, so that a verb after it is an order; elsewhere it is told of: "he asked it to ignore …".
_CLAUSE_START = re.compile(
    r"(?:^|[.!?:;,)\]}>*#\n–—-]\s*"
    r"|\b(?:please|now|and|then|just|so|but|first|also|immediately|kindly|instead|must|simply|completely|hereby"
    r"|you (?:must|should|will|have to|need to|can)|assistant|ai|agent|important|attention)[\s,:!]+)$"
)
_QUOTES = "\"'`“”‘’«»„「『"
_OWN_WORDS = re.compile(
    r"\W*(?:(?:that|which)\s+)?(?:i|we|he|she|they)\s+(?:\w+\s+)?(?:gave|sent|wrote|posted|mentioned|shared|emailed|left|made)\b"
    r"|\W*(?:about|regarding|concerning|for)\s+(?:the|my|our|this|that)\b"
)
_META = re.compile(
    r"prompt[ -]injection|jailbreak|red[ -]team|owasp|adversarial prompt|injection attack|提示词?注入|プロンプトインジェクション"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is thought of one text. `trust` 0..1 is what its words are worth; `reason` is None when nothing was found."""

    quarantine: bool
    trust: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of sign. Without `needs` the pattern is always tried; with `only` in those streams alone."""

    name: str
    weight: float
    pattern: re.Pattern[str]
    needs: tuple[str, ...]
    imperative: bool
    only: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """The data file, read."""

    rules: tuple[Rule, ...]
    quarantine: float
    suspicious: float
    mention: float
    meta: float
    stream_factors: Mapping[str, float]
    family_factors: Mapping[str, float]
    repetition: Mapping[str, float]


CLEAN = Verdict(False, 1.0)


@cache
def rules() -> Rules:
    """The bundled rules."""
    data: dict[str, Any] = tomllib.loads(files(__package__).joinpath("defence_rules.toml").read_text(encoding="utf-8"))
    made = tuple(_rule(given) for given in data["rules"])
    return Rules(
        made, data["quarantine"], data["suspicious"], data["mention"], data["meta"],
        data["stream_factors"], data["family_factors"], data["repetition"],
    )  # fmt: skip


def _rule(given: Mapping[str, Any]) -> Rule:
    pattern = re.compile(unicodedata.normalize("NFKC", given["pattern"]))
    needs = tuple(_normal(need) for need in given["needs"])
    return Rule(given["name"], given["weight"], pattern, needs, given.get("imperative", False), frozenset(given.get("only", ())))


def judge_all(texts: Sequence[tuple[str, str, str]]) -> list[Verdict]:
    """Verdicts on (text, stream, family), in order. A text that many of them repeat counts as repetition."""
    shortest, times = rules().repetition["shortest_chars"], rules().repetition["times"]
    counts = Counter((text, stream) for text, stream, _ in texts if len(text) >= shortest)
    return [judge(text, stream, family, repeated=counts[text, stream] >= times) for text, stream, family in texts]


def judge(text: str, stream: str, family: str, *, repeated: bool = False) -> Verdict:
    """One text's verdict. `repeated`: it came many times at once."""
    known = rules()
    factor = known.stream_factors.get(stream, known.family_factors.get(family, 1.0))
    if not factor or not text:
        return CLEAN
    signs = list(_signs(_normal(text), stream))
    if repeated or _repeats(text):
        signs.append((known.repetition["weight"], "the same over and over", ""))
    missing = 1.0
    for weight, _, _ in signs:
        missing *= 1.0 - weight
    score = (1.0 - missing) * factor
    if score < known.suspicious:
        return CLEAN
    return Verdict(score >= known.quarantine, round(1.0 - score, 3), _reason(score, signs))


def _signs(text: str, stream: str) -> list[tuple[float, str, str]]:
    """Weight, name and excerpt of each rule's strongest match."""
    known = rules()
    meta = known.meta if _META.search(text) else 1.0
    found: list[tuple[float, str, str]] = []
    for rule in known.rules:
        if (rule.only and stream not in rule.only) or (rule.needs and not any(need in text for need in rule.needs)):
            continue
        best = max(
            ((_told(rule, text, match) * rule.weight * meta, match.group()) for match in rule.pattern.finditer(text)),
            default=None, key=lambda sign: sign[0],
        )  # fmt: skip
        if best:
            found.append((best[0], rule.name, best[1][:EXCERPT_CHARS]))
    return found


def _told(rule: Rule, text: str, match: re.Match[str]) -> float:
    """1 for an order, less for one that is only spoken of: quoted, in the infinitive, or about the speaker's own words."""
    before = text[max(0, match.start() - 30) : match.start()]
    quoted = before[-1:] != "" and before[-1:] in _QUOTES
    told_of = rule.imperative and not _CLAUSE_START.search(before)
    own = rule.imperative and _OWN_WORDS.match(text, match.end())
    return rules().mention if quoted or told_of or own else 1.0


def _normal(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).translate(_INVISIBLE).casefold())


def _repeats(text: str) -> bool:
    """Whether one sentence takes up most of a text by coming again and again."""
    known = rules().repetition
    if len(text) < known["shortest_chars"] * known["times"]:
        return False
    sentences = Counter(s.strip() for s in _SENTENCE.findall(text))
    sentence, times = max(sentences.items(), key=lambda item: item[1] * len(item[0]), default=("", 0))
    often = len(sentence) >= known["shortest_chars"] and times >= known["times"]
    return often and times * len(sentence) >= known["share"] * len(text)


def _reason(score: float, signs: Sequence[tuple[float, str, str]]) -> str:
    strongest = sorted(signs, reverse=True)[:3]
    return f"score {score:.2f}: " + "; ".join(f"{name} “{excerpt}”" if excerpt else name for _, name, excerpt in strongest)
