"""Who is meant by a name: an entity that goes by it, or a new one. Pure, on what the database knows of the names at hand.

A name that only one entity bears is that entity. Where several bear it, the session and the neighbours decide; where they do
not, it stays an entity of its own until evidence merges it: two that are told apart can be merged, two mixed up cannot be
unmixed. People whose full names differ are never taken for one another because they share a first name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from thoth_substrate.consolidate.quotes import Found
from thoth_substrate.model.names import norm, script

MOST_ALIASES = 12
MOST_NAMESAKES = 8  # beyond it one that cannot be told apart joins the one with the most evidence, or the newest
ALIKE = 0.94  # cosine of name and summary from which another name is the same entity
MERGE_CONFIDENCE = 0.8
_VAGUE = frozenset({"", "thing", "object", "topic", "concept", "subject", "other", "unknown", "entity", "item", "idea", "misc"})
_KINDS = {
    **dict.fromkeys(("human", "user", "people", "man", "woman", "name", "character", "colleague", "friend"), "person"),
    **dict.fromkeys(("organization", "company", "org", "business", "team", "institution", "employer", "startup"), "organisation"),
    **dict.fromkeys(("location", "city", "country", "town", "region", "village", "address", "geo"), "place"),
    **dict.fromkeys(("pet", "dog", "cat"), "animal"),
    **dict.fromkeys(("product", "software", "tool"), "thing"),
}  # fmt: skip
_SITES = frozenset({"place", "organisation"})  # a university is either
_PRONOUNS = frozenset(
    "i me my myself you your he him his she her hers it its we us our they them their this that who someone somebody one"
    " everyone everybody nobody something ich du er sie es wir je tu il elle nous yo tú él ella".split()
)


@dataclass(eq=False, slots=True)
class Mention:
    """One entity as a batch speaks of it. `names` are norms with their spelling, its own name first."""

    name: str
    kind: str
    names: dict[str, str]
    summary: str = ""
    confidence: float = 1.0
    quotes: list[Found] = field(default_factory=list)
    embedding: Sequence[float] | None = None
    sessions: set[str] = field(default_factory=set)

    @property
    def norm(self) -> str:
        return next(iter(self.names))


@dataclass(eq=False, slots=True)
class Known:
    """An entity that stands for itself, as far as the names at hand go. `own` are norms that are its own name, not an alias."""

    entity_id: int
    kind: str
    name: str
    norms: set[str]
    own: set[str]
    made: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entities that the evidence says are one."""

    kept_id: int
    merged_id: int
    reason: str


def kind_of(said: str) -> str:
    """A kind by the word that is used here for it."""
    plain = norm(said)
    return _KINDS.get(plain, plain)[:40]


def mention(name: str, kind: str = "", aliases: Iterable[str] = ()) -> Mention | None:
    """A name as it is looked for; None when nothing of it can be compared."""
    names: dict[str, str] = {}
    for spelled in (name, *list(aliases)[:MOST_ALIASES]):
        folded = norm(spelled)
        if folded and (spelled is name or folded not in _PRONOUNS):
            names.setdefault(folded, spelled.strip()[:200])
    if not norm(name):
        return None
    return Mention(name.strip()[:200], kind_of(kind), names)


def are_one(one: str, other: str) -> bool:
    """Whether two kinds can be one entity's."""
    return one == other or one in _VAGUE or other in _VAGUE or {one, other} <= _SITES


def surer(one: str, other: str) -> str:
    """The kind that says more."""
    return other if one in _VAGUE and other not in _VAGUE else one


def differ(names: Iterable[str], others: Iterable[str]) -> bool:
    """Whether full names contradict each other: `alex chen` is not `alex rivera`, and may be `alex`."""
    theirs = [name.split(" ") for name in others if " " in name]
    return any(
        script(one) == script(" ".join(other)) and not (set(one.split(" ")) <= set(other) or set(other) <= set(one.split(" ")))
        for one in names
        if " " in one
        for other in theirs
    )


class Directory:
    """Entities by their names, those of the database and those this batch has made."""

    def __init__(self, known: Iterable[Known]) -> None:
        self._known: dict[int, Known] = {}
        self._by_norm: dict[str, list[Known]] = {}
        for one in known:
            self.add(one)

    def add(self, known: Known) -> None:
        """Make an entity findable by its names."""
        known = self._known.setdefault(known.entity_id, known)
        for name in known.norms:
            found = self._by_norm.setdefault(name, [])
            if known not in found:
                found.append(known)

    def learn(self, known: Known, mention: Mention) -> None:
        """Give an entity the names and the kind of a mention of it."""
        known.norms |= set(mention.names)
        known.kind = surer(known.kind, mention.kind)
        self.add(known)

    def namesakes(self, one: Mention) -> list[Known]:
        """Who may be meant, the nearest kind of likeness first and alone: own name, then alias, then by the mention's aliases."""
        named = [k for k in self._by_norm.get(one.norm, ()) if self._may_be(one, k)]
        own = [k for k in named if one.norm in k.own]
        if own or named:
            return own or named
        found = {id(k): k for alias in one.names for k in self._by_norm.get(alias, ()) if self._may_be(one, k)}
        return list(found.values())

    def same_by_alias(self, known: Known, one: Mention) -> list[Known]:
        """Others whose own name this mention gives as another name of `known`."""
        found: dict[int, Known] = {}
        for alias in list(one.names)[1:]:
            owners = [k for k in self._by_norm.get(alias, ()) if alias in k.own and k is not known]
            if len(owners) == 1 and are_one(known.kind, owners[0].kind) and not differ(known.norms, owners[0].norms):
                found[owners[0].entity_id] = owners[0]
        return list(found.values())

    @staticmethod
    def _may_be(one: Mention, known: Known) -> bool:
        if not are_one(one.kind, known.kind):
            return False
        if one.norm in known.own:
            return True
        people = "person" in (one.kind, known.kind) or one.kind in _VAGUE
        return not (people and differ([one.norm], known.norms))


@dataclass(frozen=True, slots=True)
class Weight:
    """What speaks for a namesake."""

    in_session: bool = False
    neighbours: int = 0

    @property
    def points(self) -> tuple[int, int]:
        return self.neighbours, int(self.in_session)


def decide(namesakes: Sequence[Known], weights: Mapping[int, Weight]) -> Known | None:
    """The one that is meant, or None when nothing tells them apart (or there is none)."""
    if len(namesakes) <= 1:
        return namesakes[0] if namesakes else None
    ranked = sorted(namesakes, key=lambda k: weights.get(k.entity_id, Weight()).points, reverse=True)
    first, second = (weights.get(k.entity_id, Weight()).points for k in ranked[:2])
    if first > second:
        return ranked[0]
    return max(namesakes, key=lambda k: k.entity_id) if len(namesakes) >= MOST_NAMESAKES else None


def is_evidence(one: Mention, other: Known) -> bool:
    """Whether a mention's aliases are reason enough to merge: it is sure, and its source shows both names or scripts."""
    if one.confidence < MERGE_CONFIDENCE:
        return False
    words = [f" {norm(found.source.text)} " for found in one.quotes]
    shared = [name for name in other.own if name in one.names]
    return any(script(name) != script(one.norm) or any(f" {name} " in text for text in words) for name in shared)
