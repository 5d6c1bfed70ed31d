"""Markdown notes: front matter becomes metadata, headings become sections, wiki links are listed. Code fences are no headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

from thoth_substrate.imports.data import json_value, yaml_value
from thoth_substrate.imports.times import when
from thoth_substrate.model.documents import Document, Section, settled

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_WIKI_LINK = re.compile(r"!?\[\[(?P<target>[^\]|#\n]{1,200})(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\]")
_TAG = re.compile(r"(?<![\w/#&])#(?P<tag>[^\W\d_][\w/-]{0,60})")
_DATES = ("date", "created", "created_at", "published")
MOST_LINKS = 200


def read(name: str, text: str) -> Document:
    """The note, in sections under its headings."""
    front, body = _front_matter(text)
    sections = list(_sections(body))
    title = _title(front, sections) or PurePosixPath(name).stem
    links = list(dict.fromkeys(match["target"].strip() for match in _WIKI_LINK.finditer(body)))[:MOST_LINKS]
    tags = list(dict.fromkeys([*_listed(front.get("tags")), *(match["tag"] for match in _TAG.finditer(_uncoded(body)))]))[:100]
    metadata: dict[str, Any] = {}
    if front:
        metadata["front"] = front
    if links:
        metadata["links"] = links
    if tags:
        metadata["tags"] = tags
    settled_sections = settled(sections)
    if not settled_sections and front:  # a note of properties alone is still a note
        settled_sections = settled([Section("\n".join(f"{key}: {value}" for key, value in front.items()))])
    return Document("markdown", settled_sections, title, metadata, _dated(front))


def _front_matter(text: str) -> tuple[dict[str, Any], str]:
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    value = yaml_value(found["yaml"] or "")
    if not isinstance(value, dict) and (found["yaml"] or "").strip():
        return {}, text  # a rule between paragraphs, or broken: its words are kept
    return json_value(value or {}), text[found.end() :]


def _sections(body: str) -> Iterator[Section]:
    """Runs of lines between headings; a heading stands at the head of its own section."""
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in body.split("\n"):
        if fence:
            fence = "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
        elif opened := _FENCE.match(line):
            fence = opened[1]
        elif (heading := _heading(line, lines)) is not None:
            level, title, set_in_two = heading
            before = lines[:-1] if set_in_two else lines
            yield Section("\n".join(before), tuple(text for _, text in above))
            above = [*((depth, text) for depth, text in above if depth < level), (level, title)]
            lines = [f"{'#' * level} {title}"]
            continue
        lines.append(line)
    yield Section("\n".join(lines), tuple(text for _, text in above))


def _heading(line: str, before: list[str]) -> tuple[int, str, bool] | None:
    """Level, words, and whether the words stand on the line before (underlined)."""
    if (found := _HEADING.match(line)) and found["title"]:
        return len(found["level"]), found["title"], False
    last = before[-1] if before else ""
    if _UNDERLINE.match(line) and last.strip() and not last.lstrip().startswith(("#", "-", ">", "|", "*", "`")):
        if len(before) > 1 and before[-2].strip():
            return None  # the end of a paragraph
        return (1 if line.strip().startswith("=") else 2), last.strip(), True
    return None


def _title(front: dict[str, Any], sections: list[Section]) -> str:
    said = front.get("title")
    if isinstance(said, str) and said.strip():
        return said.strip()[:200]
    return next((section.headings[0] for section in sections if section.headings), "")[:200]


def _listed(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word for word in re.split(r"[,\s]+", value.replace("#", "")) if word]
    return [str(item).lstrip("#") for item in value if isinstance(item, str | int)] if isinstance(value, list) else []


def _dated(front: dict[str, Any]) -> datetime | None:
    for key in _DATES:
        value = front.get(key)
        if isinstance(value, date):
            value = value.isoformat()
        if isinstance(value, str) and (found := when(value)) is not None:
            return found
    return None


def _uncoded(body: str) -> str:
    return re.sub(r"(?ms)^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1.*?$|`[^`\n]*`", "", body)
