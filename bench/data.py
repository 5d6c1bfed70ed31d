"""Conversations with questions whose evidence is known: LoCoMo and BEAM-100K, read from a folder that is not ours.

Neither data set is part of this project: `--data DIR` names where `locomo7.json` and `beam100k/<n>/` lie. LoCoMo goes
through the product's own importer. Only ids, counts and scores ever leave this module's callers, never a text.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from thoth_substrate.imports import locomo
from thoth_substrate.imports.source import Source
from thoth_substrate.model.slice import Event
from thoth_substrate.model.terms import STOP_WORDS

LOCOMO_FILE = "locomo7.json"
BEAM_FOLDER = "beam100k"
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
APART = frozenset({"adversarial", "abstention"})  # asked and shown, but not in OVERALL
BEAM_MESSAGE_CHARS = 600
BEAM_STREAMS = {"User": "thoth.world.user_message.cli", "Assistant": "thoth.self_action.assistant_response"}
BEAM_UNDATED = datetime(2024, 1, 1, tzinfo=UTC)
ANONYMOUS = ("Person A", "Person B")
SHORTEST_NICKNAME = 3
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_PLANNING_NOTE = re.compile(r"\s*->->.*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Item:
    """One turn as an event to perceive. `id` is what the questions' evidence refers to."""

    id: str
    event: Event

    @property
    def text(self) -> str:
        return str(self.event.content)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the ids of the items that hold its evidence (at least one), and its kind."""

    text: str
    evidence: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A sentence that the data's annotators wrote about a person, and the items that it rests on."""

    person: str
    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One memory and what is asked of it, a day after its end. `people` are its speakers.

    `notes` are the data's own annotations, where it has any: LoCoMo's observations.
    """

    name: str
    items: tuple[Item, ...]
    questions: tuple[Asked, ...]
    people: tuple[str, ...]
    notes: tuple[Noted, ...] = ()

    @property
    def asked_at(self) -> datetime:
        """A day after the last thing said; times without an offset are UTC, as everywhere."""
        last = max(item.event.event_time for item in self.items if item.event.event_time)
        return (last if last.tzinfo else last.replace(tzinfo=UTC)) + timedelta(days=1)


def load(kind: str, folder: Path) -> list[Conversation]:
    """The conversations of `locomo`, `blanked` (LoCoMo without names) or `beam`. Raises FileNotFoundError, KeyError."""
    if kind == "beam":
        return load_beam(folder / BEAM_FOLDER)
    plain = load_locomo(folder / LOCOMO_FILE)
    return [blanked(conversation) for conversation in plain] if kind == "blanked" else plain


# ── LoCoMo ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def load_locomo(path: Path) -> list[Conversation]:
    """Every conversation of the file, by the product's importer; questions without any evidence are left out."""
    items: defaultdict[str, list[Item]] = defaultdict(list)
    with Source(path) as source:
        for found in locomo.read(source):
            if isinstance(found, Event) and found.session:
                items[found.session.rsplit("/", 1)[0]].append(Item(str(found.metadata["dia_id"]), found))
    records = json.loads(path.read_text(encoding="utf-8"))
    return [_locomo(record, tuple(items[record["sample_id"]])) for record in records]


def _locomo(record: dict[str, Any], items: tuple[Item, ...]) -> Conversation:
    there = {item.id for item in items}
    asked = [
        Asked(entry["question"], _evidence(entry.get("evidence", ()), there), LOCOMO_CATEGORIES[entry["category"]])
        for entry in record["qa"]
    ]
    talk = record["conversation"]
    questions = tuple(question for question in asked if question.evidence)
    notes = tuple(_notes(record.get("observation") or {}, there))
    return Conversation(record["sample_id"], items, questions, (talk["speaker_a"], talk["speaker_b"]), notes)


def _notes(sessions: dict[str, Any], there: set[str]) -> Iterator[Noted]:
    """The observations on each speaker in each session that rest on turns which are there."""
    for people in sessions.values():
        for person, notes in people.items():
            for text, *ids in notes:
                evidence = _evidence(_ids_of(ids), there)
                if evidence and text.strip():
                    yield Noted(person, text.strip(), evidence)


def _ids_of(found: Any) -> list[str]:
    return [one for part in found for one in _ids_of(part)] if isinstance(found, list) else [str(found)]


def _evidence(entries: Iterable[Any], there: set[str]) -> tuple[str, ...]:
    """Turn ids, spelled in the one way: the data also has `D1:03`, `D:1:3` and several in one string."""
    ids = (f"D{session}:{int(turn)}" for entry in entries for session, turn in _EVIDENCE.findall(str(entry)))
    return tuple(dict.fromkeys(found for found in ids if found in there))


# ── LoCoMo without names ────────────────────────────────────────────────────────────────────────────────────────────


def blanked(conversation: Conversation) -> Conversation:
    """The conversation with its two speakers called Person A and Person B, everywhere, their short forms too."""
    names = dict(zip(conversation.people, ANONYMOUS, strict=True))
    patterns = [(_spellings(name), anonymous) for name, anonymous in names.items()]

    def blank(text: str) -> str:
        for pattern, anonymous in patterns:
            text = pattern.sub(anonymous, text)
        return text

    items = tuple(
        Item(item.id, replace(item.event, content=blank(item.text), actor=names[str(item.event.actor)]))
        for item in conversation.items
    )
    questions = tuple(replace(asked, text=blank(asked.text)) for asked in conversation.questions)
    notes = tuple(Noted(names.get(note.person, note.person), blank(note.text), note.evidence) for note in conversation.notes)
    return Conversation(f"{conversation.name}-blanked", items, questions, ANONYMOUS, notes)


def _spellings(name: str) -> re.Pattern[str]:
    """The name in any case, and what it begins with, capitalised, unless that is an ordinary word."""
    short = [name[:length] for length in range(len(name) - 1, SHORTEST_NICKNAME - 1, -1)]
    short = [nickname for nickname in short if nickname.casefold() not in STOP_WORDS]
    return re.compile(rf"\b(?:(?i:{re.escape(name)})|{'|'.join(map(re.escape, short)) or '(?!)'})\b")


# ── BEAM ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def load_beam(folder: Path) -> list[Conversation]:
    """Every chat, one message an item. Long messages are cut, so that a budget of tokens means something."""
    chats = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: int(path.name))
    return [_beam(path) for path in chats]


def _beam(path: Path) -> Conversation:
    name = f"beam-{path.name}"
    items = tuple(_beam_items(name, json.loads((path / "chat.json").read_text(encoding="utf-8"))))
    there = {item.id for item in items}
    probing = json.loads((path / "probing_questions.json").read_text(encoding="utf-8"))
    questions = (
        Asked(entry["question"], tuple(found for found in _ids(entry.get("source_chat_ids")) if found in there), category)
        for category, entries in probing.items()
        for entry in entries
    )
    return Conversation(name, items, tuple(asked for asked in questions if asked.evidence), tuple(BEAM_STREAMS))


def _beam_items(name: str, chat: list[dict[str, Any]]) -> Iterator[Item]:
    """A message with a new date begins a new session; those without one belong to the session before them."""
    time, session = BEAM_UNDATED, 0
    messages = (message for batch in chat for turn in batch["turns"] for message in turn)
    for message in messages:
        anchor = _date(message.get("time_anchor"))
        if anchor and (anchor != time or not session):
            time, session = anchor, session + 1
        actor = message["role"].capitalize()
        yield Item(
            str(message["id"]),
            Event(
                stream=BEAM_STREAMS[actor],
                content=_shortened(_PLANNING_NOTE.sub("", message["content"]).strip()),
                session=f"{name}/{session}",
                actor=actor,
                event_time=time,
            ),
        )


def _date(anchor: str | None) -> datetime | None:
    for form in ("%B-%d-%Y", "%b-%d-%Y"):
        try:
            return datetime.strptime(anchor or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _shortened(text: str) -> str:
    return text if len(text) <= BEAM_MESSAGE_CHARS else text[:BEAM_MESSAGE_CHARS].rsplit(" ", 1)[0] + " ..."


def _ids(found: Any) -> list[str]:
    """Message ids, which the data nests in lists and objects of any depth; distinct, in order."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return list(dict.fromkeys(one for part in found for one in _ids(part)))
    return [str(found)] if isinstance(found, int) else []
