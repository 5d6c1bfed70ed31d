"""What a decision keeps of its inputs: not the words of slices, only which ones and what they hashed to. Pure.

A source is an object with `slice_id`, `content_hash` and `text`: its text is left out, and read again by replay. Words that
stand in a prompt as context only are an `excerpt`: left out for good, since nothing may be decided from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEYS = frozenset({"slice_id", "content_hash", "text"})
_CONTEXT = "excerpt"


def without_texts(value: Any) -> tuple[Any, list[dict[str, str]]]:
    """JSON values without the text of any source (an object with slice_id, content_hash and text), and those sources."""
    found: dict[str, str] = {}

    def strip(part: Any) -> Any:
        if isinstance(part, Mapping):
            if part.keys() >= _KEYS:
                found[str(part["slice_id"])] = str(part["content_hash"])
                return {key: None if key == "text" else strip(inner) for key, inner in part.items()}
            return {key: None if key == _CONTEXT else strip(inner) for key, inner in part.items()}
        return [strip(inner) for inner in part] if isinstance(part, list | tuple) else part

    stripped = strip(value)
    return stripped, [{"slice_id": slice_id, "content_hash": digest} for slice_id, digest in found.items()]


def with_texts(value: Any, texts: Mapping[str, str]) -> Any:
    """The same with the texts back in their places. `texts` by slice id; KeyError for one that is missing."""
    if isinstance(value, Mapping):
        if value.keys() >= _KEYS and value["text"] is None:
            return {**value, "text": texts[str(value["slice_id"])]}
        return {key: with_texts(inner, texts) for key, inner in value.items()}
    return [with_texts(inner, texts) for inner in value] if isinstance(value, list | tuple) else value
