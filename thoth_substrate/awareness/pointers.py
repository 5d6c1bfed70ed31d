"""Pointers: where something was met, as a text that an agent can hand back. `type:ref@from/to`, the window in ISO 8601. Pure.

conversation:thoth.world.user_message.whatsapp/marta@2026-05-10T09:12:00Z/2026-05-11T18:40:00Z
mail:<20260510.4711@example.org>
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from thoth_substrate.errors import BadInput

CONVERSATION = "conversation"  # of slices here; any other type is outside
LONGEST_REF = 500
FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_AT = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)"
_WINDOW = re.compile(rf"(?P<ref>.*)@(?P<from>{_AT})/(?P<to>{_AT})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A source and a window of time, both ends included."""

    type: str
    ref: str
    from_time: datetime = FIRST
    to_time: datetime = LAST

    def __str__(self) -> str:
        bare = f"{self.type}:{self.ref}"
        if (self.from_time, self.to_time) == (FIRST, LAST):
            return bare
        return f"{bare}@{_second(self.from_time)}/{_second(self.to_time + timedelta(microseconds=999_999))}"

    @property
    def conversation(self) -> tuple[str, str] | None:
        """Stream and session of a conversation, None of what is outside."""
        stream, slash, session = self.ref.partition("/")
        return (stream, session) if self.type == CONVERSATION and slash else None


def conversation(stream: str, session: str) -> str:
    """The ref of a conversation: a stream's name holds no slash."""
    return f"{stream}/{session}"


def pointer(text: str) -> Pointer:
    """A pointer from its text; without a window it is all of the source. Raises BadInput for what is none."""
    kind, colon, rest = text.strip().partition(":")
    found = _WINDOW.fullmatch(rest)
    ref = found["ref"] if found else rest
    if not colon or not _TYPE.fullmatch(kind) or not 0 < len(ref) <= LONGEST_REF or "\x00" in ref:
        raise BadInput(
            f"{text!r} is no pointer (type:ref, with @from/to for a window of time); `thoth awareness lookup WORDS` gives some."
        )
    made = Pointer(kind, ref)
    if kind == CONVERSATION and made.conversation is None:
        raise BadInput(f"{text!r} points to no conversation: its ref is a stream and a session, stream/session.")
    if found is None:
        return made
    try:
        ends = datetime.fromisoformat(found["from"]), datetime.fromisoformat(found["to"])
    except ValueError as error:
        raise BadInput(f"The window of {text!r} cannot be read: give two times as 2026-05-10T09:00:00Z.") from error
    if ends[0] > ends[1]:
        raise BadInput(f"The window of {text!r} ends before it begins.")
    return Pointer(kind, ref, *ends)


def _second(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
