"""PDF files: the text of each page. Pictures of text have none, and are said to."""

from __future__ import annotations

import io
import logging
import zlib
from pathlib import PurePosixPath
from typing import Any

from pypdf import PdfReader
from pypdf.errors import FileNotDecryptedError, PyPdfError

from thoth_substrate.imports.times import when
from thoth_substrate.model.documents import Document, Section, settled

MOST_PAGES = 5000
DAMAGED = "a damaged PDF"
LOCKED = "a PDF that is locked with a password"
NO_TEXT = "a PDF without text in it: a scan, or pictures"
# What the library raises for files that do not hold to the format, beside its own errors.
_BROKEN = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, AssertionError,
           NotImplementedError, OverflowError, OSError, zlib.error, UnicodeError, MemoryError)  # fmt: skip
_log = logging.getLogger("thoth.imports")
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it says of every flaw that it has mended it


def read(name: str, content: bytes) -> Document:
    """The document's pages. One that cannot be read is left out as long as another can, and named in `unread_pages`."""
    try:
        reader = PdfReader(io.BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return Document("pdf", nothing=LOCKED)
        count = len(reader.pages)
    except FileNotDecryptedError:
        return Document("pdf", nothing=LOCKED)
    except _BROKEN:
        return Document("pdf", nothing=DAMAGED)
    pages = [_page(reader, number) for number in range(min(count, MOST_PAGES))]
    unread = [number for number, text in enumerate(pages, 1) if text is None]
    if unread and len(unread) == len(pages):
        return Document("pdf", nothing=DAMAGED)
    sections = settled(Section(text, page=number) for number, text in enumerate(pages, 1) if text and text.strip())
    title, dated = _told(reader)
    about = {"pages": count, **_left_out(name, count, unread)}
    return Document("pdf", sections, title or PurePosixPath(name).stem, about, dated, "" if sections else NO_TEXT)


def _page(reader: PdfReader, number: int) -> str | None:
    """A page's text, None when it cannot be read."""
    try:
        return reader.pages[number].extract_text() or ""
    except _BROKEN:
        return None


def _left_out(name: str, count: int, unread: list[int]) -> dict[str, Any]:
    """What of a document is not taken in: said in the log, and kept with what is."""
    if unread:
        _log.warning(
            "%s: %d of %d pages are damaged and were left out, the first of them page %d.", name, len(unread), count, unread[0]
        )
    if count > MOST_PAGES:
        _log.warning("%s has %d pages, of which the first %d were taken in: split it to have the rest.", name, count, MOST_PAGES)
    told = {"unread_pages": unread[:100], "pages_beyond": max(0, count - MOST_PAGES)}
    return {key: value for key, value in told.items() if value}


def _told(reader: PdfReader) -> tuple[str, Any]:
    """Title and date, as the file has them."""
    try:
        about = reader.metadata
        title = str(about.title or "").strip()[:200] if about else ""
        made = about.creation_date if about else None
    except _BROKEN:
        return "", None
    return title, when(made.isoformat()) if made else None
