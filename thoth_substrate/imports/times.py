"""Dates as files write them. A date that cannot be read is None, never an error."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - no offset is known of an epoch, so none is claimed
_WRITTEN = (
    "%I:%M %p on %d %B, %Y",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%Y-%m",
    "%d %B %Y",
    "%B %d, %Y",
)
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))
LONGEST_DATE_CHARS = 64


def when(value: object) -> datetime | None:
    """The instant that `value` means: aware when it carries an offset, else naive, to be taken as UTC.

    Takes ISO 8601 (partial too: a year or a month is its first day), RFC 2822, a few written forms, and epochs in
    seconds, ms, µs or ns, told apart by their size.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float | Decimal):
        return _from_epoch(value)
    if not isinstance(value, str) or len(value) > LONGEST_DATE_CHARS:
        return None
    text = value.strip()
    return _from_number(text) if text.replace(".", "", 1).lstrip("-").isdecimal() else _sane(_from_text(text))


def _from_number(text: str) -> datetime | None:
    if len(text) == 4:
        return _sane(_parsed(text, "%Y"))
    return (_sane(_from_text(text)) if len(text) == 8 else None) or _from_epoch(float(text))


def _from_epoch(number: float | Decimal) -> datetime | None:
    try:
        seconds = float(number)
        if not math.isfinite(seconds):
            return None
        divisor = next(unit for bound, unit in _UNITS if abs(seconds) < bound)
        return _sane(_EPOCH + timedelta(seconds=seconds / divisor))
    except (OverflowError, ValueError):  # too large, or a signalling NaN
        return None


def _from_text(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    for form in _WRITTEN:
        if (found := _parsed(text, form)) is not None:
            return found
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 - these forms carry no offset
    except ValueError:
        return None


def _sane(found: datetime | None) -> datetime | None:
    """Years that survive a move to UTC and a write to the database."""
    return found if found is not None and 1 < found.year < 9998 else None
