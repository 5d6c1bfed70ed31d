"""Small files for the tests of importing, and what readers make of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from thoth_substrate.imports import detect
from thoth_substrate.imports.found import Found, Skipped
from thoth_substrate.model.slice import Event


def jsonl(path: Path, records: Iterable[Any]) -> Path:
    """A file with a line for each record; a string is written as it is."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    return path


def document(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def found(path: Path, format: str | None = None) -> list[Found]:
    return list(detect.read(path, format))


def events(path: Path, format: str | None = None) -> list[Event]:
    return [one for one in found(path, format) if isinstance(one, Event)]


def reasons(path: Path, format: str | None = None) -> list[str]:
    return [one.reason for one in found(path, format) if isinstance(one, Skipped)]
