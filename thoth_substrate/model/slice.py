"""What is perceived: the event as the host gives it, and the slice it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, as a host or an importer hands it over.

    `content` is text, or a JSON value whose text is found by `perceive`. `event_time` may be naive (taken as UTC) or
    aware (its offset is kept); None means now. `external_id` with `source` makes a repeated import harmless.
    """

    stream: str
    content: Any
    session: str | None = None
    actor: str | None = None
    event_time: datetime | None = None
    external_id: str | None = None
    source: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Slice:
    """A perceived event, cleaned and stamped, ready to be written. `ingest_time` is the id's own milliseconds.

    `payload` is the original as JSON text, `text` what is searchable, `event_offset_s` the original UTC offset in
    seconds (None when the event carried none).
    """

    tenant_id: str
    slice_id: UUID
    ingest_time: datetime
    stream: str
    session_id: str
    actor: str
    event_time: datetime
    event_offset_s: int | None
    payload: str
    text: str
    content_hash: bytes
    source: str | None
    external_id: str | None
    metadata: str


@dataclass(frozen=True, slots=True)
class Ack:
    """What perceiving answers: the slice's id, or why nothing was kept (`dropped`), e.g. it was only our own block."""

    slice_id: UUID | None
    dropped: str | None = None
