"""A document by itself: Markdown, text, PDF, HTML, CSV, YAML, a log. The same content again is the same document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePath

from thoth_substrate.imports.documents import KINDS, read_document
from thoth_substrate.imports.found import Found, Skipped
from thoth_substrate.imports.source import Source
from thoth_substrate.model.documents import Origin, events

NAME = "document"
TITLE = "a document (Markdown, text, PDF, HTML, CSV, YAML, log)"
LONGEST_BYTES = 64 << 20
_TOO_LONG = f"a document larger than {LONGEST_BYTES >> 20} MiB"


def recognises_source(source: Source) -> bool:
    """By its name's ending: of a text by itself nothing else can be told. JSON is none: it may be a broken export."""
    return PurePath(source.name).suffix.casefold() in KINDS or source.head.startswith(b"%PDF-")


def read(source: Source) -> Iterator[Found]:
    """An event for each section."""
    content = source.stream.read(LONGEST_BYTES + 1)
    if len(content) > LONGEST_BYTES:
        yield Skipped(_TOO_LONG, source.name)
        return
    name = PurePath(source.name).name if source.name != "-" else "standard input.txt"
    document = read_document(name, content)
    if not document.sections:
        yield Skipped(document.nothing, source.name)
    version = hashlib.sha256(content).hexdigest()[:16]
    yield from events(document, Origin(name, NAME, version, _changed(source.name)))


def _changed(path: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)
    except OSError:
        return None
