"""Mail: mbox files and single messages (eml). A thread is a session, Message-IDs are the ids; attachments are named, not kept.

Read message by message: a mailbox of any size takes the memory of its largest message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses
from typing import Any

from thoth_substrate.imports import ids
from thoth_substrate.imports.documents import text_of
from thoth_substrate.imports.found import EMPTY, Found, Skipped
from thoth_substrate.imports.html import words_of
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.documents import pieces
from thoth_substrate.model.slice import Event

NAME = "mail"
TITLE = "mail (mbox, or one message: eml)"
STREAM = "thoth.world.email"
LONGEST_MESSAGE_BYTES = 64 << 20
LONGEST_PIECE_CHARS = 100_000
LONGEST_HEADER_CHARS = 1000
MOST_NAMES = 100
_FROM_LINE = re.compile(rb"From \S.*\d\d:\d\d")
_HEADER_LINE = re.compile(rb"(?P<name>[!-9;-~]{1,70}):")
_MAIL_HEADERS = frozenset((
    b"received", b"return-path", b"from", b"to", b"subject", b"date", b"message-id", b"mime-version", b"delivered-to",
    b"content-type", b"x-gm-thrid", b"reply-to", b"dkim-signature",
))  # fmt: skip
_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
_TOO_LONG = f"a message larger than {LONGEST_MESSAGE_BYTES >> 20} MiB"
_NO_HEADERS = "no mail in it"


def recognises_head(head: bytes) -> bool:
    """An mbox begins with its From line, a message with its headers, two of which every mail has."""
    lines = head[:64_000].lstrip(b"\r\n\xef\xbb\xbf").splitlines()
    if not lines:
        return False
    if _FROM_LINE.match(lines[0]):
        return True
    names = set()
    for line in lines:
        found = _HEADER_LINE.match(line)
        if found:
            names.add(found["name"].lower())
        elif not line.strip() or not line.startswith((b" ", b"\t")):
            break
    return len(names & _MAIL_HEADERS) >= 2 and b"from" in names


def read(source: Source) -> Iterator[Found]:
    """An event for each message, in the order of the file."""
    for number, raw in enumerate(_messages(source), 1):
        where = f"message {number}"
        if raw is None:
            yield Skipped(_TOO_LONG, where)
        elif raw.strip():
            yield from _found(raw, where)


def _messages(source: Source) -> Iterator[bytes | None]:
    """Each message's bytes, without the From line of its mbox; None in the place of one that is too long."""
    lines: list[bytes] = []
    size, boxed, blank = 0, False, True
    for line in source.lines(LONGEST_MESSAGE_BYTES):
        if line is not None and blank and _FROM_LINE.match(line):
            if lines or boxed:
                yield b"".join(lines) if size <= LONGEST_MESSAGE_BYTES else None
            lines, size, boxed, blank = [], 0, True, False
            continue
        size += len(line) if line is not None else LONGEST_MESSAGE_BYTES + 1
        if line is None or size > LONGEST_MESSAGE_BYTES:
            lines, blank = [], False
            continue
        blank = not line.strip()
        quoted = boxed and line.startswith(b">") and line.lstrip(b">").startswith(b"From ")
        lines.append(line[1:] if quoted else line)
    if lines or boxed:
        yield b"".join(lines) if size <= LONGEST_MESSAGE_BYTES else None


def _found(raw: bytes, where: str) -> Iterator[Found]:
    message = BytesParser().parsebytes(raw)
    if not message.keys():
        yield Skipped(_NO_HEADERS, where)
        return
    subject = _header(message, "Subject")
    body, attachments = _body(message)
    if not body.strip() and not subject:
        yield Skipped(EMPTY, where)
        return
    own = _message_id(message) or ids.digest(raw.decode("latin-1"))
    metadata = _about(message, subject, attachments)
    sender = next(iter(_people(message, "From")), "")
    content = f"{subject}\n\n{body}".strip() if subject else body
    for number, piece in enumerate(pieces(content, LONGEST_PIECE_CHARS), 1):
        yield Event(
            stream=STREAM,
            content=piece,
            session=f"mail/{_thread(message) or own}",
            actor=sender or "mail",
            event_time=_date(message),
            external_id=ids.joined(own) if number == 1 else ids.joined(own, number),
            source=NAME,
            metadata=metadata if number == 1 else {**metadata, "part": number},
        )


def _about(message: Message, subject: str, attachments: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "subject": subject,
        "from": _header(message, "From"),
        "to": _people(message, "To"),
        "cc": _people(message, "Cc"),
        "labels": [label.strip() for label in _header(message, "X-Gmail-Labels").split(",") if label.strip()],
        "message_id": _message_id(message),
        "attachments": attachments,
    }
    return {name: value for name, value in found.items() if value}


def _header(message: Message, name: str) -> str:
    """A header as text, whatever it is encoded in; the first of several."""
    value = message.get(name)
    return _told(str(value))[:LONGEST_HEADER_CHARS] if value is not None else ""


def _told(value: str) -> str:
    """A header's value with its encoded words decoded."""
    try:
        parts = decode_header(value)
    except (HeaderParseError, ValueError):
        parts = [(value, None)]
    told = "".join(part if isinstance(part, str) else _decoded(part, charset) for part, charset in parts)
    return " ".join(told.encode("utf-8", "replace").decode().split())


def _decoded(content: bytes, charset: str | None) -> str:
    try:
        return content.decode(charset or "utf-8")
    except (LookupError, UnicodeDecodeError, ValueError):
        return text_of(content) or content.decode("latin-1")


def _people(message: Message, name: str) -> list[str]:
    """Who stands in a header, each by name, else by address. Names are decoded last: a comma may be hidden in one."""
    found = getaddresses([str(value) for value in message.get_all(name, [])][:10])
    people = ((" ".join(_told(person).strip("\"' ").split()) or address)[:200] for person, address in found)
    return [person for person in people if person][:MOST_NAMES]


def _message_id(message: Message) -> str:
    found = _MESSAGE_ID.search(_header(message, "Message-ID"))
    return found[1] if found else ""


def _thread(message: Message) -> str:
    """The id of the message that began the thread, as far as this one knows."""
    references = _MESSAGE_ID.findall(_header(message, "References")) or _MESSAGE_ID.findall(_header(message, "In-Reply-To"))
    return references[0] if references else ""


def _date(message: Message) -> datetime | None:
    found = when(_header(message, "Date")[:64])
    if found is None:  # the last station's word, after the semicolon
        found = when(_header(message, "Received").rpartition(";")[2].strip()[:64])
    return found


def _body(message: Message) -> tuple[str, list[str]]:
    """The text, plain where there is a plain form, and the names of what is attached."""
    plain: list[str] = []
    rich: list[str] = []
    attachments: list[str] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        kind, named = part.get_content_type(), _filename(part)
        if named or part.get_content_disposition() == "attachment":
            attachments.append(named or kind)
        elif kind == "text/plain":
            plain.append(_text(part))
        elif kind == "text/html":
            rich.append(words_of(_text(part)))
        elif kind.startswith(("text/", "multipart/")) and kind != "text/calendar":
            plain.append(_text(part))
        else:
            attachments.append(kind)
    texts = [text for text in plain if text.strip()] or [text for text in rich if text.strip()]
    return "\n\n".join(text.strip() for text in texts), attachments[:MOST_NAMES]


def _filename(part: Message) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, UnicodeError, TypeError):  # a name in an encoding that is none
        return "unnamed"
    return _told(name)[:200] if name else ""


def _text(part: Message) -> str:
    try:
        content = part.get_payload(decode=True)
    except (ValueError, AssertionError):
        content = None
    if not isinstance(content, bytes):
        return str(part.get_payload()) if isinstance(part.get_payload(), str) else ""
    charset = part.get_content_charset()
    try:
        told = content.decode(charset) if charset else None
    except (LookupError, UnicodeDecodeError, ValueError):
        told = None
    return (told if told is not None else text_of(content) or "").replace("\r\n", "\n")
