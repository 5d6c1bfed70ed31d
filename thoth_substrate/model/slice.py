"""What is perceived: the event as the host gives it, and what it is told in return."""

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
class Ack:
    """What perceiving answers: the slice's id, or why nothing was kept (`dropped`), e.g. it was only our own block.

    `full`: there was no room left, and the same event may be kept later.
    """

    slice_id: UUID | None
    dropped: str | None = None
    full: bool = False
