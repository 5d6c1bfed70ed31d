"""A made-up busy year: what is said in a day, session by session, and the facts that are planted in it.

The same seed gives the same year. Words are spread as real words are; people, places and things are named so that each
question has one answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.resources import files

import numpy as np

from thoth_substrate.recall.calibration import questions

USER = "thoth.world.user_message.cli"
ASSISTANT = "thoth.self_action.assistant_response"
TOOL = "thoth.self_action.tool_result"
VOCABULARY = 12_000
LEAST_SLICES, MOST_SLICES = 30, 100  # of a day
FACTS = 3.0  # new ones a day, on average; besides, some are told again, and some change
TOLD_AGAIN, CHANGES = 0.5, 0.25  # a day, on average
FIRST = (
    "Ada Bruno Carla Dario Elena Fausto Greta Hugo Ilse Jonas Karin Leon Marta Nils Olga Pavel Rosa Simon Tilda Ulrich".split()
)
LAST = "Abel Brandt Conti Duarte Egger Falk Greco Holm Ibsen Jansen Keller Lund Moretti Novak Olsen Petrov Quist Ricci".split()
PARTS = "Alt Bern Cor Dun El Fal Gar Hol Ist Jar Kel Lor Mar Nor Or Pel Quen Ros Sol Tor Ul Val Wes Xan Yor Zel".split()
TOWN, FIRM = "burg ford haven mouth stad vik wick ville".split(), "ax eon ira ium on ora ova yx".split()
ALLERGENS = (
    "almonds celery cats dust eggs figs grass hazelnuts kiwis latex lupins mould mustard oats pollen sesame soy wasps".split()
)
PETS = "beagle budgerigar canary chameleon cockatoo ferret gecko goldfish hedgehog iguana mule parrot poodle tortoise".split()
PASTIMES = (
    "archery baking chess climbing cycling diving fencing gardening juggling kayaking knitting painting rowing sailing".split()
)
SHADES = "amber brown crimson dappled ebony fawn golden grey ivory pale russet silver spotted striped tawny white".split()


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is told: in these words, to be asked for in those, and what the answer must hold.

    `instead` is what held before, when this one replaces it.
    """

    told: str
    question: str
    answer: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said or done, with the fact that it tells, if it tells one."""

    stream: str
    actor: str
    text: str
    fact: Fact | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Turns that follow each other, begun at an instant."""

    name: str
    begins: datetime
    turns: tuple[Turn, ...]


class Lives:
    """The year. Call `day` for each day in order: what is told again was told before."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._words = _vocabulary(self._random)
        weights = 1.0 / (np.arange(len(self._words)) + 20.0)
        self._weights = np.cumsum(weights / weights.sum())
        people = [f"{first} {last}" for first, last in itertools.product(FIRST, LAST)]
        self._people = [people[int(n)] for n in self._random.permutation(len(people))]
        self._firms, self._towns = self._names(FIRM), self._names(TOWN)
        self._new = self._facts()
        self._told: list[Fact] = []

    def day(self, date: datetime) -> list[Session]:
        """The sessions of one day, by its midnight (UTC)."""
        facts = [next(self._new) for _ in range(int(self._random.poisson(FACTS)))]
        facts += [self._again() for _ in range(int(self._random.poisson(TOLD_AGAIN))) if self._told]
        facts += [changed for _ in range(int(self._random.poisson(CHANGES))) if (changed := self._changed()) is not None]
        turns = [self._small_talk(n) for n in range(int(self._random.integers(LEAST_SLICES, MOST_SLICES + 1)) - len(facts))]
        for fact in facts:
            turns.insert(int(self._random.integers(len(turns) + 1)), Turn(USER, "Ines", self._around(fact.told), fact))
        self._told += [fact for fact in facts if fact not in self._told]
        return [
            Session(f"{date:%Y-%m-%d}-{n}", date + timedelta(hours=7 + 1.5 * n), tuple(part))
            for n, part in enumerate(_parts(turns, self._random))
        ]

    def _facts(self) -> Iterator[Fact]:
        """New facts without end: each person has one of each kind."""
        for number in itertools.count():
            who = self._people[number // 6 % len(self._people)]
            shade, other = self._one(SHADES), self._people[(number * 7 + 13) % len(self._people)]
            allergen, pastime, pet = self._one(ALLERGENS), self._one(PASTIMES), self._one(PETS)
            firm, town = self._firms[number % len(self._firms)], self._towns[number % len(self._towns)]
            yield (
                Fact(f"{who} works at {firm}.", f"Where does {who} work?", firm),
                Fact(f"{who} lives in {town}.", f"Where does {who} live?", town),
                Fact(f"{who} is allergic to {allergen}.", f"What is {who} allergic to?", allergen),
                Fact(f"{who} adopted a {shade} {pet}.", f"Which animal did {who} adopt?", f"{shade} {pet}"),
                Fact(f"{who} is married to {other}.", f"Who is {who} married to?", other),
                Fact(f"{who} enjoys {pastime}.", f"What does {who} enjoy?", pastime),
            )[number % 6]

    def _again(self) -> Fact:
        return self._told[int(self._random.integers(len(self._told)))]

    def _changed(self) -> Fact | None:
        """Somebody moves: what was told of where they live no longer holds."""
        places = [fact for fact in self._told if " lives in " in fact.told or " moved to " in fact.told]
        if not places:
            return None
        old = places[int(self._random.integers(len(places)))]
        who, town = old.question.removeprefix("Where does ").removesuffix(" live?"), self._one(self._towns)
        if town == old.answer:
            return None
        new = replace(old, told=f"{who} moved to {town}.", answer=town, instead=old.answer)
        self._told = [fact for fact in self._told if fact.question != old.question]
        return new

    def _small_talk(self, number: int) -> Turn:
        kind = self._random.random()
        if kind < 0.15:
            return Turn(TOOL, "tool", f'{{"status": "ok", "rows": {number}, "said": "{self._sentence(30)}"}}')
        if kind < 0.45:
            return Turn(ASSISTANT, "Assistant", " ".join(self._sentence(16) for _ in range(int(self._random.integers(1, 8)))))
        if kind < 0.6:
            about = self._one(self._people[:200])
            return Turn(USER, "Ines", f"Talked with {about} about {self._sentence(8)} {self._sentence(12)}")
        return Turn(USER, "Ines", " ".join(self._sentence(14) for _ in range(int(self._random.integers(1, 4)))))

    def _around(self, told: str) -> str:
        """A fact within some other words, as facts are told."""
        return f"{self._sentence(8)} {told} {self._sentence(6)}" if self._random.random() < 0.5 else told

    def _sentence(self, about: int) -> str:
        count = max(3, int(self._random.normal(about, about / 4)))
        return " ".join(self._words[int(n)] for n in np.searchsorted(self._weights, self._random.random(count))) + "."

    def _names(self, endings: list[str]) -> list[str]:
        names = [f"{a}{b.lower()}{end}" for a, b, end in itertools.product(PARTS, PARTS, endings) if a != b]
        return [names[int(n)] for n in self._random.permutation(len(names))[:2000]]

    def _one(self, choices: list[str]) -> str:
        return choices[int(self._random.integers(len(choices)))]


def _parts(turns: list[Turn], random: np.random.Generator) -> Iterator[list[Turn]]:
    """The turns of a day in four to eight sessions."""
    count = int(random.integers(4, 9))
    bounds = sorted(int(n) for n in random.integers(1, len(turns), count - 1))
    for begins, ends in itertools.pairwise([0, *bounds, len(turns)]):
        if begins < ends:
            yield turns[begins:ends]


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Real words first, since they are frequent, then words of syllables."""
    demo = files("thoth_substrate.demo").joinpath("data/demo.jsonl").read_text(encoding="utf-8")
    words = dict.fromkeys(word for word in " ".join([*questions(), demo]).lower().split() if word.isascii() and word.isalpha())
    onsets, vowels = "b c d f g h k l m n p r s t v w br cr st tr pl".split(), "a e i o u ai ou".split()
    syllables = ["".join(pair) for pair in itertools.product(onsets, vowels)]
    while len(words) < VOCABULARY:
        words["".join(random.choice(syllables, size=int(random.integers(2, 5))))] = None
    return list(words)
