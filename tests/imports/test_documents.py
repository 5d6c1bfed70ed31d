"""Documents: what each kind of file holds, in sections; and why a file without any has none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.imports.files import events, found, reasons
from tests.watch.generated import pdf
from thoth_substrate.imports.documents import described, kind_of, read_document, text_of
from thoth_substrate.model.documents import LONGEST_CHARS, Document, Section, labels, pieces, settled


def words(document: Document) -> str:
    return "\n".join(section.text for section in document.sections)


def test_markdown_under_its_headings() -> None:
    text = (
        "\ufeff---\ntitle: The ship\ndate: 2024-03-01\ntags: [sea, '#wood']\nnested: {a: 1}\n---\n"
        "Before. [[Other note|other]]\n\n"
        "# Hull\n"
        + "oak " * 200
        + "\n\n## Keel #keel\n```\n# no heading\n```\n"
        + "elm " * 200
        + "\n\nSails\n=====\n"
        + "flax " * 200
    )
    document = read_document("a/ship.md", text.encode())
    assert (document.kind, document.title, document.dated) == ("markdown", "The ship", datetime(2024, 3, 1))
    assert document.metadata["front"]["nested"] == {"a": 1}
    assert document.metadata["links"] == ["Other note"]
    assert document.metadata["tags"] == ["sea", "wood", "keel"]
    assert [section.headings for section in document.sections][-2:] == [("Hull", "Keel #keel"), ("Sails",)]
    assert "# no heading" in words(document)


def test_markdown_without_front_matter_and_with_what_only_looks_like_it() -> None:
    assert read_document("a.md", b"---\n- a list\n---\nwords").metadata == {}
    assert "[broken" in words(read_document("a.md", b"---\ntitle: [broken\n---\nwords"))
    only = read_document("only.md", b"---\nstatus: done\n---\n")
    assert words(only) == "status: done"
    assert read_document("a.md", b"Setext\n------\nbelow").sections[0].headings == ("Setext",)


def test_data_becomes_words() -> None:
    assert "name: Ana; age: 33" in words(read_document("a.csv", b"name,age\nAna,33\nBen,44\n"))
    assert words(read_document("a.csv", b"only;names\n")) == "only; names"
    assert "a.b: 1, 2" in words(read_document("a.json", b'{"a": {"b": [1, 2]}, "c": null}'))
    assert "port: 5432" in words(read_document("a.yaml", b"db:\n  port: 5432\n---\nother: 2024-01-01\n"))
    assert words(read_document("a.yaml", b"{: not yaml")) == "{: not yaml"
    assert "x: 1" in words(read_document("a.jsonl", b'{"x": 1}\nnot json\n{"x": 2}\n'))
    assert words(read_document("a.json", b"{broken")) == "{broken"
    assert "Hello" in words(read_document("a.html", b"<html><title>T</title><body><p>Hello</p><script>no</script>"))


def test_yaml_that_unfolds_without_end_is_cut() -> None:
    bomb = "a: &a [x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20))
    assert len(words(read_document("a.yaml", bomb.encode()))) < 2_000_000
    assert len(str(read_document("a.md", f"---\n{bomb}---\nwords".encode()).metadata)) < 3_000_000


def test_pages_of_a_pdf_are_found_by_their_words() -> None:
    document = read_document("a.pdf", pdf("First (page)", *[f"Page number {n} of it" for n in range(2, 40)]))
    assert document.kind == "pdf"
    assert "First (page)" in words(document)
    assert "Page number 39 of it" in words(document)
    assert document.metadata["pages"] == 39


def test_a_page_that_is_damaged_is_named_and_the_others_are_taken_in(caplog: pytest.LogCaptureFixture) -> None:
    """faults: a failure must not look like a page without words."""
    content = pdf("First page words", "Second page words", "Third page words")
    document = read_document("a.pdf", content.replace(b"(Second page words)", b"(Second page wor\\"))
    assert "First page words" in words(document)
    assert "Third page words" in words(document)
    assert document.metadata == {"pages": 3, "unread_pages": [2]}
    assert "1 of 3 pages are damaged" in caplog.text
    alone = read_document("a.pdf", pdf("Only page words").replace(b"(Only page words)", b"(Only page wor\\"))
    assert alone.nothing == "a damaged PDF"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.pdf", b"%PDF-1.4\nnot really", "a damaged PDF"),
        ("a.pdf", pdf(""), "a PDF without text in it: a scan, or pictures"),
        ("a.bin", bytes(range(256)) * 20, "a binary file"),
        ("a.txt", b"PK\x03\x04rest", "a binary file"),
        ("a.txt", b" \n\t", "nothing in it"),
        ("a.md", b"", "nothing in it"),
        ("a.png", b"\x89PNG\r\n", "a picture without a description"),
    ],
)
def test_a_file_without_words_says_why(name: str, content: bytes, why: str) -> None:
    assert read_document(name, content).nothing == why


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("ñandú\r\nдом".encode(), "ñandú\nдом"),
        ("café".encode("latin-1"), "café"),
        ("smart “quotes”".encode("cp1252"), "smart “quotes”"),
        ("дом".encode("utf-16"), "дом"),
        (b"\xef\xbb\xbfmarked", "marked"),
        (b"one NUL \x00 is text", "one NUL \x00 is text"),
        ("good ñ ".encode() + b"\xff then bad", "good ñ \ufffd then bad"),
    ],
)
def test_text_in_whatever_encoding_it_is(content: bytes, text: str) -> None:
    """faults: a NUL in an uploaded file; mixed encodings."""
    assert text_of(content) == text


def test_a_long_document_is_cut_and_nothing_of_it_is_lost() -> None:
    """faults: an 88,000-character document with a fact in each part of it."""
    facts = [f"The fact number {n} is wordnumber{n}." for n in range(60)]
    text = "\n\n".join(fact + " " + "filler words go here. " * 65 for fact in facts)
    assert len(text) > 85_000
    document = read_document("long.txt", text.encode())
    assert all(len(section.text) <= LONGEST_CHARS for section in document.sections)
    assert all(any(fact in section.text for section in document.sections) for fact in facts)
    assert "".join(words(document).split()) == "".join(text.split())


def test_text_without_any_bounds_is_cut_all_the_same() -> None:
    assert "".join(pieces("x" * 20_000)) == "x" * 20_000
    assert max(map(len, pieces("字" * 20_000))) <= LONGEST_CHARS


def test_small_sections_stay_together_and_large_ones_apart() -> None:
    small = settled([Section("a", ("H",)), Section(" "), Section("b", ("H", "I")), Section("c", ("J",))])
    assert [(section.text, section.headings) for section in small] == [("a\n\nb", ("H", "I")), ("c", ("J",))]
    assert len(settled([Section("x" * 2000), Section("y" * 2000)])) == 2


def test_every_folder_above_is_a_filter() -> None:
    assert labels("a/b/c.md") == {"path": "a/b/c.md", "file": "c.md", "folders": ["a", "a/b"]}
    assert labels("c.md")["folders"] == []


def test_a_picture_is_what_is_said_of_it() -> None:
    assert words(described("a/whiteboard.png", "Three boxes.")) == "[whiteboard.png] Three boxes."
    assert described("a.png", " ").nothing
    assert (kind_of("a/B.JPG"), kind_of("a.tsv"), kind_of("x"), kind_of("a.htm")) == ("image", "csv", "text", "html")


def test_a_document_is_imported_by_its_ending(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Keys\nThey are with Amparo.")
    (event,) = events(note)
    assert (event.stream, event.actor, event.source) == ("thoth.world.file", "note.md", "document")
    assert event.event_time == datetime.fromtimestamp(note.stat().st_mtime, UTC)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(note.read_bytes())
    assert [one.external_id for one in events(copy)] == [event.external_id]
    paper = tmp_path / "paper"
    paper.write_bytes(pdf("On llamas"))
    assert "On llamas" in events(paper)[0].content
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"\x7fELF" + b"\0" * 100)
    assert reasons(empty) == ["a binary file"]
    assert len(found(empty)) == 1
