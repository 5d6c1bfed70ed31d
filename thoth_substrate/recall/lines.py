"""From ranked candidates to the lines that may be injected: which texts to fetch, and what each line says of itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thoth_substrate.model.projection import Line
from thoth_substrate.recall.candidate import EPOCH, MICROSECOND, Candidates, Places
from thoth_substrate.recall.log import leg_names
from thoth_substrate.recall.rank import Ranking
from thoth_substrate.recall.search import Text

CHARS_PER_TOKEN = 4
MARGIN = 2  # text fetched for one that fits: long lines are skipped, repeats are folded
FEWEST_LINES, MOST_LINES = 40, 400


@dataclass(frozen=True, slots=True)
class Found:
    """What a recall found: candidates by session and place, and their ranking."""

    candidates: Candidates
    ranking: Ranking


def wanted(found: Found, budget_tokens: int) -> list[int]:
    """Ids of the passages whose texts are worth fetching: in rank order, until they would fill the budget with margin."""
    ids: list[int] = []
    chars = 0
    for i in found.ranking.order[:MOST_LINES]:
        if len(ids) >= FEWEST_LINES and chars > MARGIN * CHARS_PER_TOKEN * budget_tokens:
            break
        ids.append(int(found.candidates.passage_id[i]))
        chars += int(found.candidates.chars[i])
    return ids


def lines_of(found: Found, texts: Mapping[int, Text], timezone: tzinfo = UTC) -> list[Line]:
    """The lines in rank order, dated for a reader in `timezone`; what is gone meanwhile or is not to be told is left out."""
    candidates, ranking = found.candidates, found.ranking
    ids, worded = candidates.passage_id.tolist(), (candidates.keyword > 0.0).tolist()
    places = [place for place in ranking.order[:MOST_LINES] if _is_told(texts.get(ids[place]), worded[place])]
    at = np.array(places, np.int64)
    columns = ranking.scores, candidates.event_us, np.nan_to_num(candidates.salience), candidates.trust, candidates.legs
    rows = zip(places, [texts[ids[place]] for place in places], *_numbers(columns, at), ranking.parts_at(places), strict=True)
    return [
        Line(
            handle="",
            slice_id=candidates.slice_id[place],
            passage_no=candidates.passage_no[place],
            session_id=text.session_id,
            actor=candidates.actor[place],
            event_time=(EPOCH + event_us * MICROSECOND).astimezone(timezone),
            stream=text.stream,
            text=text.text,
            score=round(score, 3),
            salience=salience,
            trust=trust,
            parts=parts,
            legs=leg_names(legs),
        )
        for place, text, score, event_us, salience, trust, legs, parts in rows
    ]


def _is_told(text: Text | None, worded: bool) -> bool:
    """That a session began or a job ran is told to who asks for it in so many words, not for being near."""
    return text is not None and (worded or not text.reported)


def _numbers(columns: Iterable[NDArray[Any]], at: Places) -> list[list[Any]]:
    """The columns at those places, as numbers of Python, which one by one are taken out of an array slowly."""
    return [column[at].tolist() for column in columns]
