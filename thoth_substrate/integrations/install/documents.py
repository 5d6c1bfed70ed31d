"""Configuration in JSON and TOML: a value put in or taken out, and all the rest left as it was written.

A document is read, changed at a few places, and written again in the style it had. Taking out gives back the text from
before our first edit, byte by byte, whenever nothing else has changed since.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
import tomlkit.exceptions

from thoth_substrate.errors import UnreadableFile
from thoth_substrate.integrations.install.edits import BACKUP, Edit, read

Keys = tuple[str, ...]
Document = MutableMapping[str, Any]
Change = Callable[[Document], None]
_INDENT = re.compile(r"^[ \t]*[\[{]\r?\n([ \t]+)", re.MULTILINE)
_BOM = "\ufeff"


def put(document: Document, keys: Keys, value: Any, path: Path) -> None:
    """Set the value at `keys`, with the tables on the way there. Raises UnreadableFile where something else stands."""
    table = document
    for key in keys[:-1]:
        inner = table.setdefault(key, {})
        if not isinstance(inner, MutableMapping):
            raise UnreadableFile(f"{path}: {'.'.join(keys[:-1])} is no table, which its host would not take; correct it first.")
        table = inner
    table[keys[-1]] = value


def take(document: Document, keys: Keys, before: Document) -> None:
    """Give `keys` the value they had before us, or none; tables that this leaves empty go, unless they were there before."""
    held = _at(before, keys)
    if held is not None:
        put(document, keys, held, Path())
        return
    tables = [document]
    for key in keys[:-1]:
        inner = tables[-1].get(key)
        if not isinstance(inner, MutableMapping):
            return
        tables.append(inner)
    tables[-1].pop(keys[-1], None)
    for depth in range(len(keys) - 1, 0, -1):
        if tables[depth] or _at(before, keys[:depth]) is not None:
            return
        del tables[depth - 1][keys[depth - 1]]


def _at(document: Any, keys: Keys) -> Any:
    for key in keys:
        document = document.get(key) if isinstance(document, MutableMapping) else None
    return document


def edit_json(path: Path, change: Change, undo: Callable[[Document, Document], None], *, remove: bool) -> Edit:
    """The edit of a JSON file by `change`, or by `undo`, which is given the document from before us too."""
    return _edit(path, change, undo, _read_json, _write_json, remove=remove)


def edit_toml(path: Path, change: Change, undo: Callable[[Document, Document], None], *, remove: bool) -> Edit:
    """The same of a TOML file, whose comments and order stay."""
    return _edit(path, change, undo, _read_toml, lambda document, _: tomlkit.dumps(document), remove=remove)


def _edit(
    path: Path,
    change: Change,
    undo: Callable[[Document, Document], None],
    reads: Callable[[str, Path], Document],
    writes: Callable[[Document, str], str],
    *,
    remove: bool,
) -> Edit:
    text = read(path)
    document = reads(text or "", path)
    if not remove:
        known = copy.deepcopy(document)
        change(document)
        return Edit(path, text, text if text is not None and document == known else writes(document, text or ""))
    kept = read(path.with_name(path.name + BACKUP))
    before = reads(kept or "", path)
    known = copy.deepcopy(document)
    undo(document, before)
    if text is None or document == known:
        return Edit(path, text, text)
    if kept is not None and document == before:
        return Edit(path, text, kept)
    return Edit(path, text, writes(document, text) if kept is not None or document else None)


def _read_json(text: str, path: Path) -> Document:
    if not text.removeprefix(_BOM).strip():
        return {}
    try:
        document = json.loads(text.removeprefix(_BOM))
    except ValueError as error:
        raise UnreadableFile(
            f"{path} is no plain JSON ({error}), perhaps for a comment or a comma too many; nothing was written. Correct it, or"
            " add the lines by hand: docs/howto/mcp.md shows them."
        ) from error
    if not isinstance(document, dict):
        raise UnreadableFile(f"{path} holds no JSON object, which its host would not take; nothing was written. Correct it.")
    return document


def _write_json(document: Document, like: str) -> str:
    """JSON in the style of `like`: its indentation, line ends, byte order mark and end of file."""
    indent = _INDENT.search(like)
    text = json.dumps(document, indent=indent[1] if indent else 2, ensure_ascii=False)
    if not like.strip() or like.endswith("\n"):
        text += "\n"
    if "\r\n" in like:
        text = text.replace("\n", "\r\n")
    return (_BOM if like.startswith(_BOM) else "") + text


def _read_toml(text: str, path: Path) -> Document:
    try:
        return tomlkit.parse(text)
    except tomlkit.exceptions.TOMLKitError as error:
        raise UnreadableFile(f"{path} is no TOML ({error}); nothing was written. Correct it first.") from error
