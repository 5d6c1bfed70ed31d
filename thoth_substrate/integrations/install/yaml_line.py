"""One line of a YAML file: `section: {key: value}` put in or taken out, on the text, so that comments and order stay.

What was edited is read again as YAML and compared with what was meant before it counts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from thoth_substrate.errors import UnreadableFile
from thoth_substrate.integrations.install.edits import BACKUP, Edit, read

_BODY = re.compile(r"(?:\r?\n(?:[ \t]+[^\r\n]*|[ \t]*#[^\r\n]*|[ \t]*(?=\r?\n)))*")


def edit_yaml_line(path: Path, section: str, key: str, value: str, *, remove: bool) -> Edit:
    """The edit after which the value stands there, or no longer does. Raises UnreadableFile when it cannot be made so."""
    text = read(path)
    document = _parsed(text or "", path)
    table = document.get(section)
    stands = isinstance(table, dict) and table.get(key) == value
    if stands is not remove:
        return Edit(path, text, text)
    if remove:
        return _without(path, text or "", document, section, key)
    if table is not None and not isinstance(table, dict):
        raise UnreadableFile(f"{path}: {section} is no mapping, which its host would not take; correct it first.")
    after = _with(text or "", section, key, value)
    _check(path, after, document | {section: (table or {}) | {key: value}}, f"{section}.{key}")
    return Edit(path, text, after)


def _with(text: str, section: str, key: str, value: str) -> str:
    header = _header(text, section)
    if header is None:
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{section}:\n  {key}: {value}\n"
    body = _BODY.match(text, header.end())
    assert body is not None
    line = re.search(rf"(?<=\n)([ \t]+){re.escape(key)}:[^\r\n]*", body[0])
    if line:
        at = body.start()
        return f"{text[: at + line.start()]}{line[1]}{key}: {value}{text[at + line.end() :]}"
    indent = re.search(r"\n([ \t]+)[^\s#]", body[0])
    comment = f" {header[1]}" if header[1] else ""
    return f"{text[: header.start()]}{section}:{comment}\n{indent[1] if indent else '  '}{key}: {value}{text[header.end() :]}"


def _without(path: Path, text: str, document: dict[str, Any], section: str, key: str) -> Edit:
    kept = read(path.with_name(path.name + BACKUP))
    before = _parsed(kept or "", path)
    held = before.get(section)
    restored = dict(document)
    if isinstance(held, dict) and key in held:
        restored[section] = document[section] | {key: held[key]}
        after = _with(text, section, key, yaml.safe_dump(held[key]).removesuffix("\n").removesuffix("\n..."))
    else:
        restored[section] = {name: value for name, value in document[section].items() if name != key} or None
        after = _line_out(text, section, key)
        if restored[section] is None and section not in before:
            del restored[section]
            after = re.sub(rf"(?m)^{re.escape(section)}:[^\n]*\n?", "", after, count=1)
    if kept is not None and restored == before:
        return Edit(path, text, kept)
    _check(path, after, restored, f"{section}.{key}")
    return Edit(path, text, after if kept is not None or restored else None)


def _line_out(text: str, section: str, key: str) -> str:
    header = _header(text, section)
    body = _BODY.match(text, header.end()) if header else None
    if body is None:
        return text
    return text[: body.start()] + re.sub(rf"\r?\n[ \t]+{re.escape(key)}:[^\r\n]*", "", body[0], count=1) + text[body.end() :]


def _header(text: str, section: str) -> re.Match[str] | None:
    return re.search(rf"^{re.escape(section)}:[ \t]*(?:\{{\}}|null|~)?[ \t]*(#[^\r\n]*)?(?=\r?$)", text, re.MULTILINE)


def _check(path: Path, after: str, wanted: dict[str, Any], what: str) -> None:
    if _parsed(after, path) != wanted:
        raise UnreadableFile(f"{path} is written in a way that is not edited here; nothing was written. Edit {what} by hand.")


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UnreadableFile(f"{path} is no YAML ({error}); nothing was written. Correct it first.") from error
    if document is not None and not isinstance(document, dict):
        raise UnreadableFile(f"{path} holds no YAML mapping, which its host would not take; nothing was written. Correct it.")
    return document or {}
