"""The knowledge leg: facts, patterns and insights that bear on a question, in two statements bounded by rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from thoth_substrate.db.queries import query
from thoth_substrate.db.vectors import halfvecs
from thoth_substrate.model.names import norm
from thoth_substrate.model.terms import counted
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.deadline import Reading
from thoth_substrate.recall.names import names_in
from thoth_substrate.recall.question import asked_about
from thoth_substrate.recall.rank import Background, speakers
from thoth_substrate.recall.search import Lookup, Wording, centred, weigh

MOST_STATEMENTS = 5_000  # counted, of all and of a term; more count as so many, and are not compared one by one
ROW_BUDGET = 2_000  # postings read for one question
LIMIT_ROWS = 48  # that each way of looking may bring
PRIOR_STATEMENTS = 200  # words are weighed as if there were at least so many: of three facts each word is common
FEWEST_COMPARED = 50  # that tell how alike everything known is
HELD_ROWS = 2_000  # sentences given up since, looked through for an answer as of then


@dataclass(frozen=True, slots=True)
class Grasp:
    """What knowledge has to go by: how many statements hold each term asked for, and the entities that the question names."""

    statements: int
    average_length: float
    counts: list[int]
    family: list[int]
    linked: list[int]
    weights: list[float]


@dataclass(frozen=True, slots=True)
class Known:
    """A sentence of layer 1 to 4. `mask` has a bit for each of the terms asked for; `named`: it is of an entity asked about.

    `linked` is how strongly it hangs together with one (0..1). `mean` and `deviation` of likeness are over everything
    known, None where not all of it was compared.
    """

    row_id: int
    kind: str
    statement: str
    confidence: float
    valid_from: datetime
    valid_to: datetime | None
    functional: bool
    negated: bool
    keyword: float
    mask: int
    similarity: float | None
    named: bool
    linked: float
    mean: float | None
    deviation: float | None
    slice_ids: list[UUID]
    passage_nos: list[int]


@dataclass(frozen=True, slots=True)
class Held:
    """A sentence that was held at some instant, and is not any more."""

    row_id: int
    statement: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the leg brought: sentences, the question's terms as knowledge weighs them, and how alike all of it is."""

    known: Sequence[Known]
    words: Wording
    background: Background | None = None

    def __len__(self) -> int:
        return len(self.known)


_GRASP = query(__package__, "grasp", Grasp)
_KNOWN = query(__package__, "known", Known)
_HELD_THEN = query(__package__, "held_then", Held)


async def recollect(reading: Reading, lookup: Lookup, found: Candidates | None, at: datetime) -> Knowledge:
    """What is known as asserted at `at`. `found` tells who speaks here: the first person of a question is one of them.

    With `lookup.as_of`, only what was valid then, and what was given up since is looked through as well.
    """
    terms = list(dict.fromkeys((*lookup.asked, *lookup.question.terms)))
    async with reading.tx() as tx:
        grasp = await tx.fetch_one(_GRASP, reading.tenant_id, terms, _names(lookup, found), MOST_STATEMENTS)
        assert grasp is not None
        words = _weighed(terms, grasp)
        held = await tx.fetch(_HELD_THEN, reading.tenant_id, at, HELD_ROWS) if lookup.as_of else []
        worded = _worded(held, words, max(grasp.average_length, 1.0))
        compared = halfvecs([centred(lookup.vector, lookup.state)])[0] if lookup.vector is not None else None
        known = await tx.fetch(
            _KNOWN, reading.tenant_id, words.terms, words.idf, ROW_BUDGET, words.rare, max(grasp.average_length, 1.0),
            grasp.family, grasp.linked, grasp.weights, lookup.state.model or "", compared,
            compared is not None and grasp.statements < MOST_STATEMENTS, list(worded), at, lookup.as_of is not None, LIMIT_ROWS,
        )  # fmt: skip
    known = [_with_words(one, worded) for one in known]
    return Knowledge(known, words, _background(known, grasp.statements))


def _weighed(terms: Sequence[str], grasp: Grasp) -> Wording:
    """The terms by how much each tells among statements. A word that no statement holds counts half: it can lead to none."""
    counts = {term: n for term, n in zip(terms, grasp.counts, strict=True) if n}
    words = weigh(terms, counts, set(terms), max(grasp.statements, PRIOR_STATEMENTS), ROW_BUDGET)
    idf = [weight if is_known else weight / 2 for weight, is_known in zip(words.idf, words.known, strict=True)]
    return replace(words, idf=idf)


def _background(known: Sequence[Known], statements: int) -> Background | None:
    """How alike everything known is to the question; None when all of it was not compared, or is too little to tell."""
    if not known or statements < FEWEST_COMPARED or known[0].mean is None or not known[0].deviation:
        return None
    return Background(known[0].mean, known[0].deviation, statements)


def _names(lookup: Lookup, found: Candidates | None) -> list[str]:
    """Names that the question holds; "I" is the one person who speaks here."""
    names = names_in(lookup.question.text)
    asked = asked_about(lookup.question, speakers(found, frozenset(lookup.state.worldly))) if found is not None else None
    return [*names, norm(asked)] if asked else names


def _worded(held: Sequence[Held], words: Wording, average: float) -> dict[int, tuple[float, int]]:
    """Keyword score and mask of sentences that have no postings any more, by row; those without a word asked for are left out."""
    found = {}
    for one in held:
        sentence = counted(one.statement)
        counts = dict(zip(sentence.terms, sentence.counts, strict=True))
        keyword, mask = 0.0, 0
        for bit, (term, idf) in enumerate(zip(words.terms, words.idf, strict=True)):
            if count := counts.get(term, 0):
                keyword += idf * count * 1.9 / (count + 0.45 + 0.45 * sentence.length / average)
                mask |= 1 << bit
        if mask:
            found[one.row_id] = (keyword, mask)
    return dict(sorted(found.items(), key=lambda entry: -entry[1][0])[:LIMIT_ROWS])


def _with_words(one: Known, worded: dict[int, tuple[float, int]]) -> Known:
    keyword, mask = worded.get(one.row_id, (0.0, 0))
    return replace(one, keyword=keyword, mask=mask) if keyword > one.keyword else one
