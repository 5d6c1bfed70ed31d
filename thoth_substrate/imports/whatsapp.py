"""WhatsApp's exported chats: a text file (or the zip it comes in), a line a message, in the manner of the phone's country.

The file does not say in which order day and month stand, nor in which zone its clock was: the order is told from the dates
themselves (day first where they leave it open and no AM or PM stands there), and times are taken as UTC.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import PurePath

from thoth_substrate.imports import ids
from thoth_substrate.imports.found import Found, Skipped
from thoth_substrate.imports.source import Source
from thoth_substrate.model.slice import Event

NAME = "whatsapp"
TITLE = "WhatsApp chat (txt, or the zip)"
STREAM = "thoth.world.user_message.whatsapp"
LONGEST_LINE_BYTES = 4 << 20
LONGEST_MESSAGE_CHARS = 1_000_000
_LINE = re.compile(
    r"^\[?(?P<a>\d{1,4})[./-](?P<b>\d{1,2})[./-](?P<c>\d{2,4}),?\s+(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"\s*(?P<half>[AaPp]\.?\s?[Mm]\.?)?\]?(?:\s+-|:)?\s+(?P<rest>.*)$"
)
_SAID = re.compile(r"^(?P<who>[^:\n]{1,80}?):\s(?P<text>.*)$", re.DOTALL)
_MARKS = dict.fromkeys((0x200E, 0x200F, 0x202A, 0x202C, 0xFEFF), "") | {0x202F: " ", 0xA0: " "}
_MEDIA = re.compile(
    r"^<?(?:media omitted|medien ausgeschlossen|multimedia omitido|archivo omitido|attached:.*)>?$|omitted$", re.I
)
_CHAT_NAME = re.compile(r"WhatsApp[ _]Chat[ _](?:with|mit|con|-)[ _]*(?P<name>.+)$", re.IGNORECASE)
_BY_PROGRAM = "written by the program"
_NO_WORDS = "a picture, file or sound without words"
_UNDATED = "a date that is none"


def recognises_head(head: bytes) -> bool:
    """A chat begins with a dated line, and some of its dated lines are somebody's."""
    lines = [line for line in _plain(head[:20_000]).split("\n")[:-1][:40] if line.strip()] or [_plain(head[:20_000])]
    dated = [found for line in lines if (found := _LINE.match(line))]
    return bool(dated) and _LINE.match(lines[0]) is not None and any(_SAID.match(found["rest"]) for found in dated)


def read(source: Source) -> Iterator[Found]:
    """Messages in the order of the file; lines that begin with no date belong to the message before."""
    order = _order(_plain(source.head))
    chat = _chat(source.name)
    seen: Counter[str] = Counter()
    held: re.Match[str] | None = None
    more: list[str] = []
    number = 0
    for raw in source.lines(LONGEST_LINE_BYTES):
        line = _plain(raw or b"").rstrip("\n")
        found = _LINE.match(line)
        if found is None:
            more.append(line)
            continue
        if held is not None:
            number += 1
            yield _found(held, more, order, chat, f"message {number}", seen)
        held, more = found, []
    if held is not None:
        yield _found(held, more, order, chat, f"message {number + 1}", seen)


def _found(
    line: re.Match[str], more: list[str], order: str, chat: str, where: str, seen: Counter[str]
) -> Found:  # fmt: skip
    said = _SAID.match(line["rest"])
    if said is None:
        return Skipped(_BY_PROGRAM, where)
    text = "\n".join([said["text"], *more]).strip()[:LONGEST_MESSAGE_CHARS]
    if not text or _MEDIA.search(text):
        return Skipped(_NO_WORDS, where)
    at = _time(line, order)
    if at is None:
        return Skipped(_UNDATED, where)
    key = ids.digest(f"{at.isoformat()}\n{said['who']}\n{text}")
    seen[key] += 1
    return Event(
        stream=STREAM,
        content=text,
        session=f"whatsapp/{chat}",
        actor=said["who"].strip(),
        event_time=at,
        external_id=ids.joined(ids.digest(chat), key, *([seen[key]] if seen[key] > 1 else [])),
        source=NAME,
        metadata={"chat": chat},
    )


def _order(text: str) -> str:
    """`dmy`, `mdy` or `ymd`, by the dates that leave no doubt."""
    half = False
    for line in text.split("\n"):
        if (found := _LINE.match(line)) is None:
            continue
        if len(found["a"]) == 4:
            return "ymd"
        if int(found["a"]) > 12:
            return "dmy"
        if int(found["b"]) > 12:
            return "mdy"
        half = half or bool(found["half"])
    return "mdy" if half else "dmy"


def _time(line: re.Match[str], order: str) -> datetime | None:
    numbers = [int(line[name]) for name in "abc"]
    year, month, day = (numbers[order.index(part)] for part in "ymd")
    hour = int(line["hour"])
    if line["half"]:
        hour = hour % 12 + (12 if line["half"][0] in "Pp" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, int(line["minute"]), int(line["second"] or 0))  # noqa: DTZ001 - the file names no zone
    except ValueError:
        return None


def _chat(name: str) -> str:
    stem = PurePath(name).name.removesuffix(".zip").removesuffix(".txt")
    found = _CHAT_NAME.search(stem)
    return (found["name"] if found else stem).strip()[:150] or "chat"


def _plain(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r", "").translate(_MARKS)
