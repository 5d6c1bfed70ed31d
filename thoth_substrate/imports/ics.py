"""Calendars (ics): an event a slice, dated by when it takes place. What repeats is told in words and dated by its first time.

Each event is read by itself, so that one that is broken does not take the others with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from thoth_substrate.imports import ids
from thoth_substrate.imports.found import EMPTY, Found, Skipped
from thoth_substrate.imports.html import words_of
from thoth_substrate.imports.source import Source
from thoth_substrate.model.slice import Event

NAME = "ics"
TITLE = "calendar (ics)"
STREAM = "thoth.world.calendar"
LONGEST_LINE_BYTES = 4 << 20
LONGEST_EVENT_BYTES = 8 << 20
LONGEST_TEXT_CHARS = 100_000
MOST_PEOPLE = 100
_KINDS = (b"VEVENT", b"VTODO", b"VJOURNAL")
_BROKEN = "an event that cannot be read"
_UNDATED = "an event without a date"
# What the library raises for values that do not hold to the format.
_ERRORS = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
_EVERY = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday", "SU": "Sunday"}


def recognises_head(head: bytes) -> bool:
    return head.lstrip(b"\xef\xbb\xbf \r\n").upper().startswith(b"BEGIN:VCALENDAR")


def read(source: Source) -> Iterator[Found]:
    """Events, tasks and journal entries in the order of the file."""
    calendar, zones = "", b""
    for number, (kind, block) in enumerate(_blocks(source), 1):
        where = f"entry {number}"
        if kind == b"X-WR-CALNAME":
            calendar = block.decode("utf-8", "replace").strip()[:200]
        elif kind == b"VTIMEZONE":
            zones += block
        elif not block:
            yield Skipped(_BROKEN, where)
        else:
            yield _found(zones + block, kind.decode(), calendar, where)


def _blocks(source: Source) -> Iterator[tuple[bytes, bytes]]:
    """Each component of a calendar with its lines; the calendar's name; nothing in the place of one that is too long."""
    kind, lines, size = b"", list[bytes](), 0
    for line in source.lines(LONGEST_LINE_BYTES):
        bare = (line or b"").rstrip(b"\r\n")
        upper = bare.strip().upper()
        if not kind:
            name = upper.removeprefix(b"BEGIN:") if upper.startswith(b"BEGIN:") else b""
            if name in (*_KINDS, b"VTIMEZONE"):
                kind, lines, size = name, [bare], len(bare)
            elif upper.startswith(b"X-WR-CALNAME"):
                yield b"X-WR-CALNAME", bare.partition(b":")[2]
            continue
        size += len(bare) if line is not None else LONGEST_EVENT_BYTES
        if size <= LONGEST_EVENT_BYTES:
            lines.append(bare)
        if upper == b"END:" + kind or upper == b"END:VCALENDAR":
            whole = size <= LONGEST_EVENT_BYTES and upper == b"END:" + kind
            yield kind, b"\r\n".join([*lines, b""]) if whole else b""
            kind = b""
    if kind:
        yield kind, b""


def _found(block: bytes, kind: str, calendar: str, where: str) -> Found:
    from icalendar import Calendar  # half a second, for who reads none

    try:
        parsed = Calendar.from_ical(b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//\r\n" + block + b"END:VCALENDAR\r\n")
        (entry,) = [one for one in parsed.subcomponents if one.name == kind]
        return _event(entry, kind, calendar, where)
    except _ERRORS:
        return Skipped(_BROKEN, where)


def _event(entry: Any, kind: str, calendar: str, where: str) -> Found:
    start, end = _moment(entry, "DTSTART"), _moment(entry, "DTEND")
    if start is None and (start := _moment(entry, "DUE") or _moment(entry, "DTSTAMP")) is None:
        return Skipped(_UNDATED, where)
    title, about = _text(entry, "SUMMARY"), _text(entry, "DESCRIPTION")
    if not title and not about:
        return Skipped(EMPTY, where)
    about = words_of(about) if "</" in about or "<br" in about.lower() else about
    duration = entry.get("DURATION")
    if end is None and duration is not None and isinstance(getattr(duration, "dt", None), timedelta):
        end = start + duration.dt
    people = _people(entry)
    all_day = not isinstance(start, datetime)
    lines = [title or "(untitled)", _when(start, end), *(f"{name}: {value}" for name, value in _facts(entry, people) if value)]
    content = "\n".join(lines) + (f"\n\n{about}" if about else "")
    uid = _text(entry, "UID") or ids.digest(f"{title}{start}")
    repeat, sequence = _moment(entry, "RECURRENCE-ID"), str(entry.get("SEQUENCE", "0"))
    metadata = {
        "title": title, "calendar": calendar, "kind": kind, "all_day": all_day, "location": _text(entry, "LOCATION"),
        "people": people, "status": _text(entry, "STATUS").lower(), "uid": uid, "ends": end.isoformat() if end else "",
    }  # fmt: skip
    return Event(
        stream=STREAM,
        content=content[:LONGEST_TEXT_CHARS],
        session=f"calendar/{calendar}" if calendar else "calendar",
        actor=people[0] if people and _text(entry, "ORGANIZER") else "calendar",
        event_time=start if isinstance(start, datetime) else datetime.combine(start, time(), UTC),
        external_id=ids.joined(*(part for part in (uid, repeat, sequence if sequence != "0" else "") if part)),
        source=NAME,
        metadata={name: value for name, value in metadata.items() if value},
    )


def _moment(entry: Any, name: str) -> datetime | date | None:
    value = getattr(entry.get(name), "dt", None)
    return value if isinstance(value, date) and 1 < value.year < 9998 else None


def _text(entry: Any, name: str) -> str:
    value = entry.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    return str(value).replace("\r\n", "\n").strip() if value is not None else ""


def _facts(entry: Any, people: list[str]) -> Iterator[tuple[str, str]]:
    yield "Where", _text(entry, "LOCATION")
    yield "With", ", ".join(people)
    yield "Repeats", _repeats(entry)
    status = _text(entry, "STATUS").lower()
    yield "Status", status if status in ("cancelled", "tentative", "completed") else ""


def _when(start: datetime | date, end: datetime | date | None) -> str:
    """In words, in the zone of the event itself."""
    if not isinstance(start, datetime):
        last = end - timedelta(days=1) if isinstance(end, date) and not isinstance(end, datetime) and end > start else start
        days = f"{start:%A, %d %B %Y}" if last == start else f"{start:%A, %d %B %Y} to {last:%A, %d %B %Y}"
        return f"When: {days}, all day"
    zone = f" ({start.tzinfo})" if start.tzinfo is not None else ""
    told = f"When: {start:%A, %d %B %Y, %H:%M}"
    if isinstance(end, datetime) and (end.tzinfo is None) == (start.tzinfo is None) and end > start:
        there = end.astimezone(start.tzinfo) if start.tzinfo is not None else end
        told += f" to {there:%H:%M}" if there.date() == start.date() else f" to {there:%A, %d %B %Y, %H:%M}"
    return told + zone


def _people(entry: Any) -> list[str]:
    """The organiser, then who comes, each once."""
    found: list[str] = []
    for name in ("ORGANIZER", "ATTENDEE"):
        value = entry.get(name)
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                named = str(getattr(one, "params", {}).get("CN", "") or "").strip("\"' ")
                found.append(named or str(one).partition(":")[2] or str(one))
    return list(dict.fromkeys(person for person in found if person))[:MOST_PEOPLE]


def _repeats(entry: Any) -> str:
    rule = entry.get("RRULE")
    if isinstance(rule, list):
        rule = rule[0] if rule else None
    if not rule:
        return ""
    every = _EVERY.get(str(next(iter(rule.get("FREQ", [""])), "")).upper())
    if every is None:
        return "as its rule says"
    interval = next(iter(rule.get("INTERVAL", [1])), 1)
    told = f"every {every}" if interval == 1 else f"every {interval} {every}s"
    days = [_DAYS.get(str(day).lstrip("+-0123456789"), str(day)) for day in rule.get("BYDAY", [])]
    told += f" on {', '.join(days)}" if days else ""
    until, count = next(iter(rule.get("UNTIL", [])), None), next(iter(rule.get("COUNT", [])), None)
    if isinstance(until, date):
        told += f" until {until:%d %B %Y}"
    elif count:
        told += f", {count} times"
    return told
