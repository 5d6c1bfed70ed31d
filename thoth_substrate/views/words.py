"""Numbers as people say them: spans, sizes, counts. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_UNITS = (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))
_YEAR_S = 365.25 * 86_400
_SIZES = ("bytes", "kB", "MB", "GB", "TB")


def span(of: timedelta) -> str:
    """`2.5 y`, `3 d`, `1 h`, `90 min`, `12 s`, `340 ms`: the largest unit of which there are two, or a whole number."""
    seconds = abs(of.total_seconds())
    if seconds >= 2 * _YEAR_S:
        return f"{seconds / _YEAR_S:.1f} y"
    for unit, size in _UNITS:
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 2 or seconds == 1 else f"{seconds * 1000:.0f} ms"


def ago(then: datetime | None, now: datetime) -> str:
    """`5 min ago`, `in 2 h`, or `never`."""
    if then is None:
        return "never"
    since = now - then
    if abs(since) < timedelta(seconds=2):
        return "just now"
    return f"{span(since)} ago" if since > timedelta(0) else f"in {span(since)}"


def size(of_bytes: float) -> str:
    """`512 bytes`, `1.4 MB`, in powers of 1024."""
    value = float(of_bytes)
    for unit in _SIZES:
        if value < 1024 or unit == _SIZES[-1]:
            return f"{value:.0f} {unit}" if unit == "bytes" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError


def many(number: int, one: str, more: str | None = None) -> str:
    """`1 slice`, `12,000 slices`."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def without_password(dsn: str) -> str:
    """A DSN that may be shown: the same, less every password in it, wherever it stands."""
    shown = re.sub(r"(//[^/@:?#]*):[^@/]*@", r"\1@", dsn)
    shown = re.sub(r"(?i)([?&])(?:ssl)?password=[^&]*&?", r"\1", shown).rstrip("?&")
    return re.sub(r"(?i)\b(?:ssl)?password\s*=\s*('(?:[^'\\]|\\.)*'|\S+)\s*", "", shown).strip()
