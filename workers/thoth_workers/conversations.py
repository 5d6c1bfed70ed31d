"""Slices as the Indexer shows them to a model: by conversation across channels, without noise, in portions. Pure.

A conversation is a session on a channel; what the agent itself said in that session belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.awareness.pointers import conversation
from thoth_substrate.model.knowledge import Source
from thoth_workers.fragments import BYTES_A_TOKEN, dated, one_line

LONGEST_CHARS = 4000  # shown of one slice: what a document is about, its beginning says
HEAD_TOKENS = 24  # of a message's id, time and speaker
OWN = "thoth.self_action."
_NUMBER = re.compile(r"(\d{1,6})\W*$")
_STATUS = frozenset({"status", "broadcast", "story", "sticker", "reaction", "system"})  # as importers name the kind of a message
_NO_WORDS = re.compile(
    r"[<\[(\u200e]*\s*(?:(?:sticker|gif|image|photo|foto|imagen|video|vídeo|audio|media|multimedia|document|documento|archivo)"
    r"\s+(?:omitted|omitid[oa]|deleted|eliminad[oa])|sticker|gif"
    r"|this message was deleted|se eliminó este mensaje|missed (?:voice|video) call|llamada perdida)\.?\s*[>\])]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Message:
    """A slice with the conversation that it belongs to, `stream/session`."""

    source: Source
    conversation: str

    @property
    def tokens(self) -> int:
        """About how many it takes."""
        return len(_cut(self.source.text).encode("utf-8", "replace")) // BYTES_A_TOKEN + HEAD_TOKENS


@dataclass(frozen=True, slots=True)
class Batch:
    """What is put to a model in one call: messages by conversation, in the order of their events."""

    messages: tuple[Message, ...]

    def message(self, said: str | int) -> Message | None:
        """The message that a model names (m3, M3, 3, [m3]), or None: there is none of that number."""
        found = _NUMBER.search(str(said).strip())
        number = int(found[1]) if found else 0
        return self.messages[number - 1] if 0 < number <= len(self.messages) else None


def is_noise(text: str, session: str, kind: str) -> bool:
    """Whether a slice says nothing to anybody: status broadcasts, stickers, placeholders of media, signs without a word."""
    plain = text.strip()
    if not any(character.isalnum() for character in plain) or _NO_WORDS.fullmatch(plain):
        return True
    return session.lower().endswith("@broadcast") or kind.lower() in _STATUS


def batches(sources: Iterable[Source], most_tokens: int) -> Iterator[Batch]:
    """Messages by conversation, in portions of at most `most_tokens` (one message at the least)."""
    portion: list[Message] = []
    size = 0
    for message in in_conversations(sources):
        if portion and size + message.tokens > most_tokens:
            yield Batch(tuple(portion))
            portion, size = [], 0
        portion.append(message)
        size += message.tokens
    if portion:
        yield Batch(tuple(portion))


def in_conversations(sources: Iterable[Source]) -> list[Message]:
    """Messages grouped by conversation, the conversations in the order of their first message."""
    told = sorted(sources, key=lambda one: (one.event_time, one.slice_id))
    channels: dict[str, str] = {}
    for one in told:
        if not one.stream.startswith(OWN):
            channels.setdefault(one.session_id, one.stream)
    grouped: dict[str, list[Message]] = {}
    for one in told:
        stream = channels.get(one.session_id, one.stream) if one.stream.startswith(OWN) else one.stream
        where = conversation(stream, one.session_id)
        grouped.setdefault(where, []).append(Message(one, where))
    return [message for messages in grouped.values() for message in messages]


def shown(batch: Batch) -> str:
    """A portion as a model reads it: under each conversation's channel and name its messages, with ids."""
    lines: list[str] = []
    before = ""
    for number, message in enumerate(batch.messages, 1):
        if message.conversation != before:
            before = message.conversation
            stream, _, session = before.partition("/")
            lines.append(f"== {one_line(stream.rpartition('.')[2])}: {one_line(session) if session else 'no session'}")
        source = message.source
        lines.append(f"[m{number}] {dated(source.event_time)} {one_line(source.actor)}: {_cut(source.text.strip())}")
    return "\n".join(lines)


def windows(messages: Sequence[Message]) -> Mapping[str, list[Source]]:
    """The slices of each conversation among some messages."""
    found: dict[str, list[Source]] = {}
    for message in messages:
        found.setdefault(message.conversation, []).append(message.source)
    return found


def slice_ids(messages: Iterable[Message]) -> tuple[UUID, ...]:
    """Their slices, each once."""
    return tuple(dict.fromkeys(message.source.slice_id for message in messages))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CHARS else f"{text[:LONGEST_CHARS]} …"
