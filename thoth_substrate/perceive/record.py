"""The record: all that is needed to make a slice of an event again, as one line of JSON in the journal.

Made within the turn, so it does only what cannot wait: checking, stamping, and taking our own blocks out. Everything else
(text, redaction, hashing) is done when the record is flushed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson

from thoth_substrate.errors import BadInput
from thoth_substrate.model.slice import Event
from thoth_substrate.perceive.clean import each_string, foreign, plain, text_of, without_media, without_own_context
from thoth_substrate.perceive.streams import actor_of

VERSION = 1
LONGEST_NAME_CHARS = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# A day off the ends of what Python can tell: the driver takes the very ends for minus and plus infinity.
_EARLIEST = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LATEST = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_MARKS = (b"memory-context", b";base64,", b'"base64"', b'"format"', b'"mimeType"')


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nothing was kept of an event, and why."""

    reason: str


OWN_CONTEXT = Dropped("own context")
EMPTY = Dropped("empty")


def write(event: Event, tenant_id: str, slice_id: UUID, now: datetime, max_bytes: int) -> bytes | Dropped:
    """The record of `event`, or why there is none. Raises BadInput for a value that cannot be kept."""
    content = event.content
    if content is None or (isinstance(content, str | list | dict) and not content):
        return EMPTY
    if isinstance(content, str) and len(content) > max_bytes:
        raise _too_long(len(content), max_bytes)
    fields = _fields(event, tenant_id, slice_id, now)
    body = _json(fields)
    if any(mark in body for mark in _MARKS):
        content = _without_ours(plain(content))
        if content is None:
            return OWN_CONTEXT
        fields[-1] = content
        body = _json(fields)
    if isinstance(content, str) and (content.isspace() or not content):
        return EMPTY
    if len(body) > max_bytes:
        _check_size(fields, max_bytes)
    return body


def name(value: Any) -> str:
    """A session, actor or foreign id as text; one too long for an index is cut and keeps its identity by a digest."""
    text = value if isinstance(value, str) else str(value)
    if len(text) <= LONGEST_NAME_CHARS:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"{text[: LONGEST_NAME_CHARS - 40]}…{digest}"


def instant(microseconds: int) -> datetime:
    """The instant that a record tells in microseconds since 1970, UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)


def _fields(event: Event, tenant_id: str, slice_id: UUID, now: datetime) -> list[Any]:
    at, offset_s = _when(event.event_time)
    if not isinstance(event.metadata, Mapping):
        raise BadInput(f"Metadata must be a mapping and is a {type(event.metadata).__name__}; nothing was stored.")
    return [
        VERSION,
        tenant_id,
        slice_id,
        event.stream,
        name(event.session) if event.session else f"{event.stream}/{(event.event_time or now).date().isoformat()}",
        name(event.actor) if event.actor else _speaker(event),
        at,
        offset_s,
        None if event.external_id is None else name(event.source or event.stream),
        None if event.external_id is None else name(event.external_id),
        event.metadata,
        event.content,
    ]


def _when(time: datetime | None) -> tuple[int | None, int | None]:
    """Microseconds since 1970 and the UTC offset as given; None and None mean the time of perceiving."""
    if time is None:
        return None, None
    if not isinstance(time, datetime):
        raise BadInput(f"An event's time must be a datetime and is a {type(time).__name__}; nothing was stored.")
    offset = time.utcoffset()
    at = ((time.replace(tzinfo=UTC) if offset is None else time) - _EPOCH) // _MICROSECOND
    if not _EARLIEST <= at <= _LATEST:
        raise BadInput(f"The event's time {time.isoformat()} is outside the years 1 to 9999 in UTC; nothing was stored.")
    return at, None if offset is None else int(offset.total_seconds())


def _speaker(event: Event) -> str:
    if isinstance(event.content, Mapping):
        said = event.content.get("role")
        if isinstance(said, str) and said:
            return name(said)
    return actor_of(event.stream)


def _json(fields: list[Any]) -> bytes:
    try:
        return orjson.dumps(fields, default=foreign)
    except TypeError:
        # Lone surrogates, keys that are no text, huge integers, cycles: rare, and a walk through all of it mends them.
        return orjson.dumps(plain(fields))


def _without_ours(content: Any) -> Any:
    """The content without our own blocks and without inline media; None when our own block was all there was."""
    stripped = each_string(content, without_own_context)
    if stripped != content and not text_of(stripped).strip():
        return None
    return without_media(stripped)


def _check_size(fields: list[Any], max_bytes: int) -> None:
    *_, metadata, content = fields
    size = len(content.encode("utf-8", "surrogatepass")) if isinstance(content, str) else len(_json([content]))
    size += len(_json([metadata]))
    if size > max_bytes:
        raise _too_long(size, max_bytes)


def _too_long(size: int, max_bytes: int) -> BadInput:
    return BadInput(
        f"The content is {size:,} bytes long and a slice may hold {max_bytes:,}: split it, or raise"
        " THOTH_SLICE_MAX_BYTES; nothing was stored."
    )
