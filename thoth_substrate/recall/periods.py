"""Periods that a question names: explicit dates, months, years, and spans such as "last spring". Pure.

Dates are found by a cheap pattern and read by `dateparser`; what it cannot read is no filter, never an error. A date
without a year is tried in every year that the tenant's memories span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from dateparser.date import DateDataParser

MOST_PERIODS = 24
MOST_YEARS = 30
_LANGUAGES = ["en", "es", "de", "fr", "pt", "it"]
_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.|er)?"
_SPAN = re.compile(
    rf"\b(?:{_DAY}\s+(?:of\s+|de\s+)?(?:{_MONTHS})|(?:{_MONTHS})\s+{_DAY}(?!\d)|(?:{_MONTHS}))\b\.?(?:,?\s*(?:of\s+|de\s+)?\d{{4}})?"
    r"|\b\d{4}-\d{1,2}(?:-\d{1,2})?\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b(?:19|20)\d{2}\b"
    r"|\b(?:yesterday|today|ayer|hoy|gestern|heute|hier|aujourd'hui|ontem|hoje)\b"
    r"|\b(?:\d+|a|an|one|two|three|four|five|six)\s+(?:day|week|month|year)s?\s+ago\b",
    re.IGNORECASE,
)
_LAST = re.compile(r"\b(last|this|past)\s+(week|month|year|weekend|spring|summer|autumn|fall|winter)\b", re.IGNORECASE)
_MAY_ALONE = re.compile(r"^may\.?$|^mar\.?$|^mars$|^mai$", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:in|of|during|since|on|until|by|early|late|mid|en|im|seit|em)\s+$", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}


@dataclass(frozen=True, slots=True)
class Period:
    """From `starts` to `ends` (excluded), in UTC; `weight` 0..1 says how well a slice in it answers."""

    starts: datetime
    ends: datetime
    weight: float


def periods(text: str, now: datetime, earliest: datetime | None = None, latest: datetime | None = None) -> tuple[Period, ...]:
    """The periods that `text` names when asked at `now`, with the days after each at a lower weight.

    What happens on a day is often told up to a week later: hence 1 for the period, less for what follows it.
    """
    found = [period for span in _named(text, now, _years(now, earliest, latest)) for period in _with_aftermath(*span)]
    return tuple(found[:MOST_PERIODS])


def spans(
    text: str, now: datetime, earliest: datetime | None = None, latest: datetime | None = None
) -> tuple[tuple[datetime, datetime], ...]:
    """The same as they are named, exactly: from when until when (excluded), in UTC."""
    return tuple(dict.fromkeys(_named(text, now, _years(now, earliest, latest))))[:MOST_PERIODS]


def _named(text: str, now: datetime, years: range) -> Iterator[tuple[datetime, datetime]]:
    for match in _SPAN.finditer(text):
        if _MAY_ALONE.match(match.group()) and not _PREPOSITION.search(text[: match.start()]):
            continue
        yield from _read(match.group(), now, years)
    for match in _LAST.finditer(text):
        yield _relative(match[1].lower(), match[2].lower(), now)


def _with_aftermath(starts: datetime, ends: datetime) -> Iterator[Period]:
    if ends - starts <= timedelta(days=1):
        yield Period(starts, starts + timedelta(days=2), 1.0)
        yield Period(starts - timedelta(days=1), starts + timedelta(days=8), 0.6)
        yield Period(starts, starts + timedelta(days=32), 0.2)
    else:
        yield Period(starts, ends, 1.0)
        yield Period(ends, ends + timedelta(days=12), 0.4)


def _years(now: datetime, earliest: datetime | None, latest: datetime | None) -> range:
    first = min(earliest.year if earliest else now.year - 3, now.year)
    last = max(latest.year if latest else now.year, first)
    return range(max(first, last - MOST_YEARS), last + 1)


def _read(span: str, now: datetime, years: range) -> Iterator[tuple[datetime, datetime]]:
    if re.fullmatch(r"\d{4}", span):
        yield _bounds(datetime(int(span), 1, 1, tzinfo=UTC), "year")
        return
    for written in [span] if _YEAR.search(span) or not _names_a_month(span) else [f"{span} {year}" for year in years]:
        read = _parse(written, now.date().isoformat())
        if read is not None:
            yield _bounds(*read)


def _names_a_month(span: str) -> bool:
    return re.search(_MONTHS, span, re.IGNORECASE) is not None


@lru_cache(maxsize=2048)
def _parse(written: str, today: str) -> tuple[datetime, str] | None:
    data: Any = _parser(today).get_date_data(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof\b", "", written))
    if data is None or data.date_obj is None:
        return None
    return data.date_obj.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC), data.period


@lru_cache(maxsize=4)
def _parser(today: str) -> DateDataParser:
    base = datetime.fromisoformat(today)
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "past", "PREFER_DAY_OF_MONTH": "first", "DATE_ORDER": "DMY"}
    return DateDataParser(languages=_LANGUAGES, settings=settings)


def _bounds(at: datetime, period: str) -> tuple[datetime, datetime]:
    if period == "year":
        return at.replace(month=1, day=1), at.replace(year=at.year + 1, month=1, day=1)
    if period == "month":
        first = at.replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1)
    return at, at + timedelta(days=1)


def _relative(which: str, unit: str, now: datetime) -> tuple[datetime, datetime]:
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in _SEASONS:
        return _season(_SEASONS[unit], which, today)
    if unit == "year":
        starts = today.replace(month=1, day=1)
        return (starts, today + timedelta(days=1)) if which == "this" else (starts.replace(year=today.year - 1), starts)
    if unit == "month":
        starts = today.replace(day=1)
        return (starts, today + timedelta(days=1)) if which == "this" else ((starts - timedelta(days=1)).replace(day=1), starts)
    monday = today - timedelta(days=today.weekday())
    if unit == "weekend":
        monday, width, shift = monday + timedelta(days=5), timedelta(days=2), timedelta(days=7)
    else:
        width, shift = timedelta(days=7), timedelta(days=7)
    starts = monday if which == "this" else monday - shift
    return starts, starts + width


def _season(month: int, which: str, today: datetime) -> tuple[datetime, datetime]:
    """Seasons of the northern hemisphere by whole months; "last" is the latest one that is over."""
    starts = today.replace(month=month, day=1)
    ends = (starts + timedelta(days=95)).replace(day=1)
    while starts > today or (which != "this" and ends > today):
        starts = starts.replace(year=starts.year - 1)
        ends = (starts + timedelta(days=95)).replace(day=1)
    return starts, ends
