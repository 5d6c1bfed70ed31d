"""What a question met in a tenant's memory, taken from a finished search: the evidence that the floor weighs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from thoth_substrate.model.terms import terms
from thoth_substrate.recall.candidate import Candidates
from thoth_substrate.recall.facts import covered
from thoth_substrate.recall.floor import Signs, genericness
from thoth_substrate.recall.knowledge import Knowledge
from thoth_substrate.recall.near import Near
from thoth_substrate.recall.rank import cover
from thoth_substrate.recall.search import Lookup


def signs_of(lookup: Lookup, near: Sequence[Near], found: Candidates, knowledge: Knowledge | None = None) -> Signs:
    """The signs of one search; of `knowledge`, the best likeness and cover of anything known.

    Speakers' names do not count among the words: every memory of theirs carries them.
    """
    words = lookup.words
    names = {term for actor in set(found.actor) for term in terms(actor)}
    telling = [term not in names for term in words.terms]
    idf = [weight if tells else 0.0 for weight, tells in zip(words.idf, telling, strict=True)]
    known = [is_known for is_known, tells in zip(words.known, telling, strict=True) if tells]
    generic = (lookup.state.floor or {}).get("generic") if lookup.generic is None else lookup.generic
    return Signs(
        best=near[0].similarity if near else None,
        genericness=genericness(lookup.vector, generic) if lookup.vector is not None else 0.0,
        cover=float(cover(found, idf).max()) if len(found) else 0.0,
        known=sum(known) / len(known) if known else 0.0,
        standing_out=(near[0].similarity - near[0].mean) / max(near[0].deviation, 1e-6) if near else 0.0,
        **_of_knowledge(knowledge),
    )


def _of_knowledge(knowledge: Knowledge | None) -> dict[str, float | None]:
    if knowledge is None or not knowledge.known:
        return {}
    alike = [one.similarity for one in knowledge.known if one.similarity is not None]
    return {"fact_best": max(alike, default=None), "fact_cover": max(covered(one, knowledge) for one in knowledge.known)}
