"""Files that are read whole: text, Markdown, PDF, JSON, CSV, YAML, logs. What each holds, in sections. For every surface.

Never raises for what a file holds: a document without sections says why there is none.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import PurePosixPath

from thoth_substrate.imports import data, html, markdown
from thoth_substrate.model.documents import Document, Section, settled

BINARY = "a binary file"
EMPTY = "nothing in it"
IMAGES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".bmp": "image/bmp", ".tif": "image/tiff", ".tiff": "image/tiff", ".heic": "image/heic", ".avif": "image/avif",
}  # fmt: skip
_MARKDOWN = frozenset((".md", ".markdown", ".mdx", ".mkd", ".mdown"))
_READERS: dict[str, Callable[[str, str], Document]] = {
    **dict.fromkeys(_MARKDOWN, markdown.read),
    ".json": data.read_json, ".jsonl": data.read_lines, ".ndjson": data.read_lines, ".csv": data.read_csv, ".tsv": data.read_csv,
    ".yaml": data.read_yaml, ".yml": data.read_yaml, ".log": data.read_log, ".html": html.read, ".htm": html.read,
}  # fmt: skip
_TEXTS = frozenset((".txt", ".text", ".rst", ".adoc", ".org", ".tex"))
KINDS = frozenset((".pdf", *_MARKDOWN, *_TEXTS, *_READERS)) - {".json", ".jsonl", ".ndjson"}  # what a name alone tells of
_SAMPLE_BYTES = 64 << 10
_MAGIC = (
    b"\x7fELF", b"MZ", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x89PNG", b"\xff\xd8\xff",
    b"GIF8", b"SQLite format 3", b"OggS", b"ID3", b"\x00\x00\x01\x00", b"\xca\xfe\xba\xbe",
)  # fmt: skip


def kind_of(name: str) -> str:
    """As what a file of this name is read: image, pdf, markdown, json, csv, yaml, log or text."""
    suffix = PurePosixPath(name).suffix.casefold()
    if suffix in IMAGES:
        return "image"
    if suffix == ".pdf":
        return "pdf"
    if suffix in _MARKDOWN:
        return "markdown"
    return {".jsonl": "json", ".ndjson": "json", ".tsv": "csv", ".yml": "yaml", ".htm": "html"}.get(
        suffix, suffix[1:] if suffix in _READERS else "text"
    )


def read_document(name: str, content: bytes) -> Document:
    """The document in `content`. An image has no words of its own: who has a model describes it (`described`)."""
    kind = kind_of(name)
    if kind == "image":
        return Document(kind, nothing="a picture without a description")
    if kind == "pdf" or content.startswith(b"%PDF-"):
        from thoth_substrate.imports import pdf  # half a second, for who reads none

        return pdf.read(name, content)
    text = text_of(content)
    if text is None:
        return Document(kind, nothing=BINARY)
    if not text.strip():
        return Document(kind, nothing=EMPTY)
    reader = _READERS.get(PurePosixPath(name).suffix.casefold(), _plain)
    found = reader(name, text)
    return found if found.sections else Document(kind, nothing=found.nothing or EMPTY)


def described(name: str, description: str) -> Document:
    """The document that a picture is once somebody has said what is on it."""
    title = PurePosixPath(name).name
    sections = settled([Section(f"[{title}] {description.strip()}")]) if description.strip() else ()
    return Document("image", sections, title, nothing="" if sections else "a picture of which nothing was said")


def text_of(content: bytes) -> str | None:
    """The text of a file in whatever encoding it is, None when it is binary. A NUL or a stray byte here and there is text."""
    for mark, encoding in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            return _lines(content.decode(encoding, "replace"))
    sample = content[:_SAMPLE_BYTES]
    if content.startswith(_MAGIC):
        return None
    odd = sum(sample.count(byte) for byte in (*range(7), *range(14, 27), *range(28, 32)))
    if odd > 2 + len(sample) // 100:
        return None
    try:
        return _lines(content.decode())
    except UnicodeDecodeError as error:
        broken = error.start
    # Mostly UTF-8 with a stray byte, or an old encoding of the West: the windows one reads every byte of it.
    high = sum(byte >= 0x80 for byte in sample)
    if broken and high and content[:broken].decode().isascii() is False:
        return _lines(content.decode("utf-8", "replace"))
    return _lines(content.decode("cp1252", "replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _plain(_name: str, text: str) -> Document:
    return Document("text", settled([Section(text)]))
