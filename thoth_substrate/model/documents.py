"""Documents: files cut into sections, each of which becomes a slice. Shared by whoever reads files; pure.

A section is what stands under a heading, on a page, or in a run of records. Small neighbours are put together and long ones
cut at paragraphs, so that a slice is neither a line nor a book; nothing of the text is lost or said twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from thoth_substrate.model.slice import Event

FILE_STREAM = "thoth.world.file"
SHORT_CHARS = 600  # a section shorter than this takes its next neighbours in …
FULL_CHARS = 2400  # … up to this
LONGEST_CHARS = 6000  # what is longer is cut
_CUTS = (re.compile(r"\n[ \t]*\n+"), re.compile(r"\n+"), re.compile(r"(?<=[.!?…。！？])\s+|(?<=[。！？])"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a document: its words, the headings that it stands under (outermost first), the page that it begins on."""

    text: str
    headings: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds. Without sections `nothing` says why: it is empty, binary, locked, or of a kind that nobody reads.

    `metadata` is the document's own (front matter, links); `dated` is when it says that it is from.
    """

    kind: str
    sections: tuple[Section, ...] = ()
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    dated: datetime | None = None
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """What a model says is on a picture; without `text`, `why` not. `blame`: it is the picture's doing, as far as one can tell;
    `never`: it is of a kind that no model takes.
    """

    text: str = ""
    why: str = ""
    blame: bool = False
    never: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document comes from. `path` has slashes, in the folder that is watched or imported; `version` goes into the ids.

    Events of one `source` and `version` have the same external ids whenever they are made: repeating them is harmless.
    """

    path: str
    source: str
    version: str
    at: datetime | None
    labels: Mapping[str, Any] = field(default_factory=dict)


def settled(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Sections of a good size, in order: blank ones left out, short ones joined to the next, long ones cut."""
    found: list[Section] = []
    for section in sections:
        for piece in _cut(section):
            if found and _belong_together(found[-1], piece):
                found[-1] = replace(found[-1], text=f"{found[-1].text}\n\n{piece.text}", headings=_common(found[-1], piece))
            else:
                found.append(piece)
    return tuple(found)


def events(document: Document, origin: Origin) -> list[Event]:
    """An event for each section, with where it stands in its metadata."""
    path = PurePosixPath(origin.path)
    base = {
        **labels(origin.path),
        "title": document.title or path.stem,
        "kind": document.kind,
        **document.metadata,
        **origin.labels,
    }
    count = len(document.sections)
    session = f"file/{origin.path}@{origin.version}"
    return [
        Event(
            stream=FILE_STREAM,
            content=_told(section, document.title or path.stem, number),
            session=session,
            actor=path.name or "file",
            event_time=document.dated or origin.at,
            external_id=f"{origin.version}/{number}",
            source=origin.source,
            metadata={
                **base,
                "part": number,
                "parts": count,
                **({"headings": list(section.headings)} if section.headings else {}),
                **({"page": section.page} if section.page else {}),
            },
        )
        for number, section in enumerate(document.sections, 1)
    ]


def labels(path: str) -> dict[str, Any]:
    """What a path puts into metadata: itself, its name, and every folder above it, so that any of them is a filter."""
    pure = PurePosixPath(path)
    folders = [str(parent) for parent in reversed(pure.parents) if str(parent) not in (".", "/")]
    return {"path": path, "file": pure.name, "folders": folders}


def pieces(text: str, most: int = LONGEST_CHARS) -> Iterator[str]:
    """A text in pieces of at most `most` characters, cut at paragraphs, else lines, sentences, words, or anywhere."""
    rest = text.strip()
    while len(rest) > most:
        at = _cut_at(rest, most)
        yield rest[:at].rstrip()
        rest = rest[at:].lstrip()
    if rest:
        yield rest


def _cut(section: Section) -> Iterator[Section]:
    for text in pieces(section.text):
        yield replace(section, text=text)


def _cut_at(text: str, most: int) -> int:
    for bound in _CUTS:
        ends = [match.end() for match in bound.finditer(text, most // 3, most)]
        if ends:
            return ends[-1]
    return most


def _belong_together(before: Section, after: Section) -> bool:
    """Whether the later one may be told in the same breath: one of them is short, and both stand under one roof."""
    if min(len(before.text), len(after.text)) >= SHORT_CHARS or len(before.text) + len(after.text) > FULL_CHARS:
        return False
    return not before.headings or not after.headings or before.headings[0] == after.headings[0]


def _common(one: Section, other: Section) -> tuple[str, ...]:
    """Headings of both: those above first, then what is below, each once."""
    return tuple(dict.fromkeys((*one.headings, *other.headings)))


def _told(section: Section, title: str, number: int) -> str:
    """The section's words; beneath the title where it is not the beginning, so that it can be understood alone."""
    above = [title, *section.headings[:-1]] if section.headings else [title]
    if number == 1 or not title or section.text.startswith(title):
        return section.text
    return f"{' › '.join(dict.fromkeys(above))}\n\n{section.text}"
