"""Ids that a message keeps when its file is moved, grows, or is imported again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

LONGEST_ID_CHARS = 200


def joined(*parts: object) -> str:
    """An id of several parts. What is too long or not plain text for a key is replaced by its hash."""
    text = "/".join(str(part) for part in parts)
    if len(text) <= LONGEST_ID_CHARS and text.isprintable() and text.isascii():
        return text
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest(value: Mapping[str, Any] | str) -> str:
    """16 hex digits of a record's content, whatever the order of its keys."""
    return hashlib.sha256(_bytes(value)).hexdigest()[:16]


def _bytes(value: Mapping[str, Any] | str) -> bytes:
    if not isinstance(value, str):
        try:
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
        except orjson.JSONEncodeError:  # lone surrogates, numbers beyond 64 bits
            value = repr(value)
    return value.encode("utf-8", "surrogatepass")
