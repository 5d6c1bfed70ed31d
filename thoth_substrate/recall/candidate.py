"""What the legs found, column by column: ranking is arithmetic over some two thousand passages, on every turn.

A row an object costs more than all the ranking does [measured]; so the columns are arrays, and an object is made of the
few rows that somebody looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a leg found, or a neighbour of one (`legs` 0). `mask` has a bit for each of the question's terms."""

    passage_id: int
    slice_id: UUID
    passage_no: int
    stream_id: int
    session_no: int
    seq: int
    actor: str
    event_time: datetime
    flags: int
    trust: float
    chars: int
    legs: int
    similarity: float | None
    keyword: float
    mask: int
    salience: float | None
    pinned: bool
    keyword_total: float
    keyword_squares: float


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """The row of `candidates.sql` or `around.sql`. The columns of the passages come first, all of one length.

    The others tell something of some of them, by their ids: seeds (which legs found it), worded (its words, a part at a
    time), alike (its likeness of meaning), salient (of its slice).
    """

    passage_ids: list[int]
    slice_ids: list[UUID]
    passage_nos: list[int]
    stream_ids: list[int]
    session_nos: list[int]
    seqs: list[int]
    actors: list[str]
    event_times_s: list[float]
    flags: list[int]
    trusts: list[float]
    chars: list[int]
    seed_ids: list[int]
    seed_legs: list[int]
    worded_ids: list[int]
    keywords: list[float]
    masks: list[int]
    alike_ids: list[int]
    similarities: list[float]
    salient_ids: list[UUID]
    levels: list[float]
    pins: list[bool]
    keyword_total: float
    keyword_squares: float


_LISTS = tuple(field.name for field in fields(CandidateColumns) if not field.name.startswith("keyword_"))


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that was found, sorted by session and place in it. Unknown similarity and salience are NaN.

    `event_us` are microseconds since 1970, UTC.
    """

    passage_id: Places
    slice_id: Sequence[UUID]
    passage_no: Sequence[int]
    stream_id: Places
    session_no: Places
    seq: Places
    actor: Sequence[str]
    event_us: Places
    flags: Places
    trust: Floats
    chars: Places
    legs: Places
    similarity: Floats
    keyword: Floats
    mask: Places
    salience: Floats
    pinned: NDArray[np.bool_]
    keyword_total: float
    keyword_squares: float

    @classmethod
    def joined(cls, words: CandidateColumns, around: CandidateColumns | None = None) -> Candidates:
        """Put what is told of some of the passages beside them, and all of them in order."""
        rows = [words, around] if around is not None else [words]
        merged = {name: _end_to_end(name, rows) for name in _LISTS}
        order = np.lexsort((_integers(merged["seqs"]), _integers(merged["session_nos"])))

        def column(name: str, kind: type = np.int64) -> NDArray[Any]:
            return np.asarray(merged[name], kind)[order]

        def listed(name: str) -> list[Any]:
            values = merged[name]
            return [values[place] for place in order.tolist()]

        ids, slice_ids = column("passage_ids"), listed("slice_ids")
        at = _Finder(ids)
        legs, keyword, mask = np.zeros(len(ids), np.int64), np.zeros(len(ids)), np.zeros(len(ids), np.int64)
        similarity = np.full(len(ids), np.nan)
        for row in rows:
            at.unite(legs, row.seed_ids, row.seed_legs)
            at.put(similarity, row.alike_ids, row.similarities)
            at.add(keyword, row.worded_ids, row.keywords)
            at.unite(mask, row.worded_ids, row.masks)
        salience, pinned = np.full(len(ids), np.nan), np.zeros(len(ids), np.bool_)
        of_slice = dict(zip(merged["salient_ids"], zip(merged["levels"], merged["pins"], strict=True), strict=True))
        for place in np.flatnonzero(legs).tolist():
            salience[place], pinned[place] = of_slice.get(slice_ids[place], (np.nan, False))
        event_us = np.rint(column("event_times_s", np.float64) * 1e6).astype(np.int64)
        return cls(
            ids, slice_ids, listed("passage_nos"), column("stream_ids"), column("session_nos"), column("seqs"), listed("actors"),
            event_us, column("flags"), column("trusts", np.float64), column("chars"), legs, similarity, keyword, mask, salience,
            pinned, words.keyword_total, words.keyword_squares,
        )  # fmt: skip

    @classmethod
    def of(cls, found: Sequence[Candidate]) -> Candidates:
        """The same from objects."""
        columns = {field.name: [getattr(candidate, field.name) for candidate in found] for field in fields(Candidate)}
        columns["event_us"] = [microseconds(candidate.event_time) for candidate in found]
        first = found[0] if found else None
        made: dict[str, Any] = {
            "slice_id": columns["slice_id"],
            "passage_no": columns["passage_no"],
            "actor": columns["actor"],
            "pinned": np.array(columns["pinned"], np.bool_),
            "keyword_total": first.keyword_total if first else 0.0,
            "keyword_squares": first.keyword_squares if first else 0.0,
        }
        for name in ("trust", "similarity", "keyword", "salience"):
            made[name] = np.array([np.nan if value is None else value for value in columns[name]], np.float64)
        for name in ("passage_id", "stream_id", "session_no", "seq", "event_us", "flags", "chars", "legs", "mask"):
            made[name] = _integers(columns[name])
        return cls(**made)

    def __len__(self) -> int:
        return len(self.passage_id)

    def __iter__(self) -> Iterator[Candidate]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Candidate:
        return Candidate(
            int(self.passage_id[place]), self.slice_id[place], self.passage_no[place], int(self.stream_id[place]),
            int(self.session_no[place]), int(self.seq[place]), self.actor[place],
            EPOCH + int(self.event_us[place]) * MICROSECOND, int(self.flags[place]), float(self.trust[place]),
            int(self.chars[place]), int(self.legs[place]), _number(self.similarity[place]), float(self.keyword[place]),
            int(self.mask[place]), _number(self.salience[place]), bool(self.pinned[place]), self.keyword_total,
            self.keyword_squares,
        )  # fmt: skip


class _Finder:
    """Where ids stand in a column of distinct ids in any order."""

    def __init__(self, ids: Places) -> None:
        self._order = np.argsort(ids, kind="stable")
        self._sorted = ids[self._order]

    def find(self, wanted: Sequence[int]) -> tuple[Places, NDArray[np.bool_]]:
        """The places of those that are there, and which of `wanted` they are."""
        asked = _integers(wanted)
        if not len(self._sorted):
            return asked[:0], np.zeros(len(asked), np.bool_)
        near = np.minimum(np.searchsorted(self._sorted, asked), len(self._sorted) - 1)
        known = self._sorted[near] == asked
        return self._order[near[known]], known

    def add(self, column: Floats, wanted: Sequence[int], values: Sequence[float]) -> None:
        """Add the values to the column at the places of `wanted`, which may come several times."""
        places, known = self.find(wanted)
        np.add.at(column, places, np.asarray(values, np.float64)[known])

    def unite(self, column: Places, wanted: Sequence[int], values: Sequence[int]) -> None:
        """The same for bits."""
        places, known = self.find(wanted)
        np.bitwise_or.at(column, places, _integers(values)[known])

    def put(self, column: NDArray[Any], wanted: Sequence[int], values: Sequence[float]) -> None:
        """Set the column's values at the places of `wanted`."""
        places, known = self.find(wanted)
        column[places] = np.asarray(values, column.dtype)[known]


def _end_to_end(name: str, rows: Sequence[CandidateColumns]) -> list[Any]:
    """One list of all rows of a column."""
    first: list[Any] = getattr(rows[0], name)
    return first if len(rows) == 1 else first + getattr(rows[1], name)


def columns(found: Candidates | Sequence[Candidate]) -> Candidates:
    """What was found, in columns."""
    return found if isinstance(found, Candidates) else Candidates.of(found)


def microseconds(moment: datetime) -> int:
    """Since 1970, UTC."""
    return (moment - EPOCH) // MICROSECOND


def _integers(values: Sequence[int]) -> Places:
    return np.asarray(values, np.int64)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
