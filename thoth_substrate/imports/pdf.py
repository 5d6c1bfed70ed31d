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
logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it says of every flaw that it has mended it


def read(name: str, content: bytes) -> Document:
    """The document's pages. A page that cannot be read is left out, as long as another can."""
    try:
        reader = PdfReader(io.BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return Document("pdf", nothing=LOCKED)
        count = min(len(reader.pages), MOST_PAGES)
    except FileNotDecryptedError:
        return Document("pdf", nothing=LOCKED)
    except _BROKEN:
        return Document("pdf", nothing=DAMAGED)
    pages = [Section(text, page=number + 1) for number in range(count) if (text := _page(reader, number)).strip()]
    title, dated = _told(reader)
    sections = settled(pages)
    return Document("pdf", sections, title or PurePosixPath(name).stem, {"pages": count}, dated, "" if sections else NO_TEXT)


def _page(reader: PdfReader, number: int) -> str:
    try:
        return reader.pages[number].extract_text() or ""
    except _BROKEN:
        return ""


def _told(reader: PdfReader) -> tuple[str, Any]:
    """Title and date, as the file has them."""
    try:
        about = reader.metadata
        title = str(about.title or "").strip()[:200] if about else ""
        made = about.creation_date if about else None
    except _BROKEN:
        return "", None
    return title, when(made.isoformat()) if made else None
