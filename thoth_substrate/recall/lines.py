"""From ranked candidates to the lines that may be injected: which texts to fetch, and what each line says of itself. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from thoth_substrate.model.projection import Line
from thoth_substrate.recall.candidate import Candidates
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
    """The lines in rank order, dated for a reader in `timezone`; a passage whose text is gone meanwhile is left out."""
    lines = []
    for i in found.ranking.order:
        text = texts.get(int(found.candidates.passage_id[i]))
        if text is None:
            continue
        candidate = found.candidates[i]
        lines.append(
            Line(
                handle="",
                slice_id=candidate.slice_id,
                passage_no=candidate.passage_no,
                session_id=text.session_id,
                actor=candidate.actor,
                event_time=candidate.event_time.astimezone(timezone),
                stream=text.stream,
                text=text.text,
                score=round(float(found.ranking.scores[i]), 3),
                salience=candidate.salience or 0.0,
                trust=candidate.trust,
                parts=found.ranking.parts_of(i),
                legs=leg_names(candidate.legs),
            )
        )
    return lines
