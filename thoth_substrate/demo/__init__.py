"""The bundled sample conversation: a year of Maya, her dog, her move and her new job; and what to ask about it.

The data is original, written for this project. It holds a figure that is corrected later, two ports that differ by one
digit, a made-up access key, a friend on another channel, tool calls, and some Spanish.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files

from thoth_substrate.imports.detect import read
from thoth_substrate.model.slice import Event

SOURCE = "demo"
LAST_SESSION_AGE = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what a good memory brings up for it. Nothing in the conversation answers one that expects nothing."""

    question: str
    expects: tuple[str, ...]


def demo_events(now: datetime) -> Iterator[Event]:
    """The sample conversation, moved in time by whole days so that its last session was two days before `now` (aware).

    The ids do not depend on `now`: perceiving it again later adds nothing.
    """
    with as_file(files(__package__) / "data" / "demo.jsonl") as path:
        events = [found for found in read(path, "jsonl") if isinstance(found, Event)]
    last = max(event.event_time for event in events if event.event_time is not None)
    shift = (now - LAST_SESSION_AGE).astimezone(UTC).date() - last.astimezone(UTC).date()
    for event in events:
        assert event.event_time is not None
        yield replace(event, source=SOURCE, event_time=event.event_time + shift)


def questions() -> tuple[Question, ...]:
    """What the demo asks, the unanswerable question last."""
    text = (files(__package__) / "data" / "questions.json").read_text(encoding="utf-8")
    return tuple(Question(one["question"], tuple(one["expects"])) for one in json.loads(text))
