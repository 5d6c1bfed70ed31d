"""LoCoMo: long conversations of two named people in dated sessions, as JSON. A list of them, or one.

Turns carry no time of their own: each is dated by its session, half a minute after the turn before it, so that the
order holds. A shared photo is remembered by its caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from thoth_substrate.imports import ids, records
from thoth_substrate.imports.found import EMPTY, USER, Found, Skipped
from thoth_substrate.imports.parts import words
from thoth_substrate.imports.records import Record
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "locomo"
TITLE = "LoCoMo conversations (JSON)"

TURN = timedelta(seconds=30)
_SESSION = re.compile(r"session_(\d{1,6})")
_NOT_A_TURN = "not a turn"
_NO_SESSIONS = "no sessions in it"


def recognises(record: Mapping[str, Any]) -> bool:
    inner = record.get("conversation")
    named = {"qa", "sample_id", "event_summary", "session_summary"} & record.keys()
    return bool(_numbers(record)) or (isinstance(inner, dict) and bool(named or _numbers(inner)))


def read(source: Source) -> Iterator[Found]:
    """Turns in the order of their sessions, conversation by conversation."""
    for record in records.of_document(source, "conversation"):
        if isinstance(record, Skipped):
            yield record
        else:
            yield from _conversation(record)


def _conversation(record: Record) -> Iterator[Found]:
    inner = record.value.get("conversation")
    conversation = inner if isinstance(inner, dict) else record.value
    numbers = _numbers(conversation)
    if not numbers:
        yield Skipped(_NO_SESSIONS, record.where)
        return
    sample = record.value.get("sample_id")
    name = str(sample) if isinstance(sample, str | int) and sample != "" else ids.digest(_opening(conversation, numbers[0]))
    time: datetime | None = None
    for number in numbers:
        time = when(conversation.get(f"session_{number}_date_time")) or time
        for found in _session(record.where, ids.joined(name), number, conversation[f"session_{number}"], time):
            yield found
            if isinstance(found, Event):
                time = found.event_time


def _session(where: str, sample: str, number: int, turns: list[Any], start: datetime | None) -> Iterator[Found]:
    for position, turn in enumerate(turns):
        place = f"{where}, session {number}, turn {position + 1}"
        if not isinstance(turn, dict):
            yield Skipped(_NOT_A_TURN, place)
            continue
        caption = words(turn.get("blip_caption")).strip()
        text = words(turn.get("text")) + (f" [shares a photo: {caption}]" if caption else "")
        if not text.strip():
            yield Skipped(EMPTY, place)
            continue
        turn_id = words(turn.get("dia_id")) or f"D{number}:{position + 1}"
        yield Event(
            stream=USER,
            content=text.strip(),
            session=f"{sample}/session_{number}",
            actor=words(turn.get("speaker")) or "user",
            event_time=start + position * TURN if start else None,
            external_id=ids.joined(sample, turn_id),
            source=NAME,
            metadata={"dia_id": turn_id},
        )


def _numbers(conversation: Mapping[str, Any]) -> list[int]:
    """The numbers of the sessions there are, in order."""
    found = (_SESSION.fullmatch(key) for key, value in conversation.items() if isinstance(value, list))
    return sorted({int(match[1]) for match in found if match and match[1] == str(int(match[1]))})


def _opening(conversation: Mapping[str, Any], first: int) -> str:
    """What tells a conversation without an id from others: who speaks, when, and how it begins."""
    keys = ("speaker_a", "speaker_b", f"session_{first}_date_time")
    return repr([conversation.get(key) for key in keys] + conversation[f"session_{first}"][:2])
