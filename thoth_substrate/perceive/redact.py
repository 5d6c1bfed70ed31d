"""Secrets are replaced by `[redacted:<kind>]` before anything reaches the database.

Two walls. A cheap one asks whether a text could hold a secret at all (a long word, an assignment to a telling name, groups of
digits): a few microseconds for an ordinary message. Only what bears a mark meets the dear one: the shapes of detect-secrets
that the mark stands for, and our own for what that library leaves out.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from thoth_substrate.perceive import secret_shapes as shapes

_SHORTEST_TOKEN_CHARS = 16
_SPLITTABLE_CHARS = 4096
_PIECE_CHARS = 16_384
_MARKS = tuple({mark for mark, _ in shapes.LIBRARY_MARKS} | {mark for mark, _, _ in shapes.OWN_SHAPES})


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    kind: str


def redact(text: str) -> tuple[str, int]:
    """`text` with its secrets replaced, and how many there were. Redacting twice changes nothing more.

    A long text goes through in pieces, since a search holds the interpreter's lock for as long as it runs.
    """
    if len(text) <= _PIECE_CHARS:
        return _replaced(text, _all(text)) if suspicious(text) else (text, 0)
    text, count = _replaced(text, _private_keys(text))
    done: list[str] = []
    for piece in _pieces(text):
        cleaned, found = redact(piece)
        done.append(cleaned)
        count += found
    return "".join(done), count


def redact_json(value: Any, key: str = "") -> tuple[Any, int]:
    """The same for every string in a JSON value; a value whose key says that it is a secret goes as a whole."""
    if isinstance(value, str):
        kind = _kind_of_key(key)
        return (f"[redacted:{kind}]", 1) if kind and _is_secret(kind, value) else redact(value)
    if isinstance(value, int) and not isinstance(value, bool):
        kind = "card" if _is_card(str(value)) else "password" if _kind_of_key(key) == "password" else None
        return (f"[redacted:{kind}]", 1) if kind else (value, 0)
    if isinstance(value, dict):
        pairs = {name: redact_json(item, name) for name, item in value.items()}
        return {name: item for name, (item, _) in pairs.items()}, sum(count for _, count in pairs.values())
    if isinstance(value, list):
        items = [redact_json(item, key) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0


def suspicious(text: str) -> bool:
    """The cheap wall: whether a secret could stand in `text`, or in a JSON value written as `text`."""
    if ":" in text or "=" in text or "：" in text:
        lower = text.lower()
        if ("://" in text and "@" in text) or any(word in lower for word in shapes.NAMING_WORDS):
            return True
    if shapes.CARD.search(text) or "PRIVATE KEY" in text:
        return True
    if len(text) <= _SPLITTABLE_CHARS and max(map(len, text.split()), default=0) < _SHORTEST_TOKEN_CHARS:
        return False
    return any(mark in text for mark in _MARKS)


def warm() -> None:
    """Load the kept library (some 200 ms) before the first secret turns up."""
    for _, module in shapes.LIBRARY_MARKS:
        _library(module)


def _replaced(text: str, all_found: Iterable[_Found]) -> tuple[str, int]:
    pieces: list[str] = []
    at = count = 0
    for found in sorted(all_found, key=lambda found: (found.start, -found.end)):
        if found.start < at:
            continue
        pieces += (text[at : found.start], f"[redacted:{found.kind}]")
        at, count = found.end, count + 1
    return "".join([*pieces, text[at:]]), count


def _pieces(text: str) -> Iterator[str]:
    """All of `text` in pieces of at most _PIECE_CHARS, cut where no secret is likely to be: at a line's end, else a space."""
    start = 0
    while start < len(text):
        end = start + _PIECE_CHARS
        if end < len(text):
            earliest = start + _PIECE_CHARS // 2
            cut = max(text.rfind("\n", earliest, end), 0) or max(text.rfind(" ", earliest, end), text.rfind(",", earliest, end))
            end = cut + 1 if cut > 0 else end
        yield text[start:end]
        start = end


def _private_keys(text: str) -> Iterator[_Found]:
    """Whole keys, from their first line to their last; of one that is cut short, the lines that look like it."""
    at = 0
    while "PRIVATE KEY" in text and (begin := shapes.PRIVATE_KEY_BEGIN.search(text, at)):
        end = shapes.PRIVATE_KEY_END.search(text, begin.end(), begin.end() + shapes.LONGEST_PRIVATE_KEY_CHARS)
        lines = end or shapes.PRIVATE_KEY_LINES.match(text, begin.end())
        at = lines.end() if lines else begin.end()
        yield _Found(begin.start(), at, "private-key")


def _all(text: str) -> Iterator[_Found]:
    yield from _private_keys(text)
    for module in {module for mark, module in shapes.LIBRARY_MARKS if mark in text}:
        kind, known = _library(module)
        for shape in known:
            for match in shape.finditer(text):
                # Of credentials in an address only the password goes; of the others the whole match.
                yield _Found(*match.span(1 if module == "basic_auth" else 0), kind)
    for mark, kind, shape in shapes.OWN_SHAPES:
        if mark in text:
            yield from (_Found(*match.span(), kind) for match in shape.finditer(text))
    yield from _assigned(text)
    for match in shapes.CARD.finditer(text):
        around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        if not any(c.isalnum() or c in "_+-" for c in around) and _is_card(re.sub("[ -]", "", match.group())):
            yield _Found(*match.span(), "card")


@cache
def _library(module: str) -> tuple[str, tuple[re.Pattern[str], ...]]:
    """Kind and shapes of one detector. Only its patterns are used: its own search drops what stands outside its groups."""
    # It brings an HTTP client, which it does not use here; nobody who starts Thoth need hear of that one's proxies.
    warnings.filterwarnings("ignore", message="SOCKS support in urllib3")
    from detect_secrets.plugins.base import RegexBasedDetector

    loaded = importlib.import_module(f"detect_secrets.plugins.{module}")
    detector = next(
        item
        for item in vars(loaded).values()
        if isinstance(item, type) and issubclass(item, RegexBasedDetector) and item is not RegexBasedDetector
    )
    return str(detector.secret_type).lower().replace(" ", "-"), tuple(cast("Iterable[re.Pattern[str]]", detector.denylist))


def _assigned(text: str) -> Iterator[_Found]:
    # Capital dotted I is the one letter whose lower case is longer: without it, places in both texts are the same.
    for name in shapes.NAME.finditer(text.replace("İ", "I").lower()):
        assigned = None if _is_tag(text, name.start()) else shapes.ASSIGNED.match(text, name.end())
        kind = _kind_of_name(name, text, assigned["suffix"]) if assigned else None
        if assigned and kind:
            group = "bare" if assigned["quoted"] is None else "quoted"
            value = assigned[group] if group == "quoted" else assigned[group].rstrip(".,;:!?)]}")
            if _is_secret(kind, value):
                yield _Found(assigned.start(group), assigned.start(group) + len(value), kind)


def _is_tag(text: str, at: int) -> bool:
    """Whether the name there is the kind in a `[redacted:…]` that was written earlier."""
    earliest = max(at - 40, 0)
    return text.rfind("[redacted:", earliest, at) > text.rfind("]", earliest, at)


def _kind_of_name(name: re.Match[str], text: str, suffix: str) -> str | None:
    if name["password"]:
        return "password"
    if not shapes.SECRET_SUFFIX.fullmatch(suffix):
        return None
    before = text[max(name.start() - shapes.LONGEST_QUALIFIER_CHARS, 0) : name.start()]
    return "secret" if name["secret"] or shapes.QUALIFIER.search(before) else None


@lru_cache(4096)
def _kind_of_key(key: str) -> str | None:
    """What the value under a JSON key must be, by the key's name."""
    kinds = (_kind_of_name(name, key, key[name.end() :]) for name in shapes.NAME.finditer(key.replace("İ", "I").lower()))
    return next((kind for kind in kinds if kind), None)


def _is_secret(kind: str, value: str) -> bool:
    if len(value) < 3 or shapes.NO_SECRET.fullmatch(value):
        return False
    return kind == "password" or shapes.TOKEN_LIKE.fullmatch(value) is not None


def _is_card(digits: str) -> bool:
    return shapes.CARD_BRAND.fullmatch(digits) is not None and _luhn(digits)


def _luhn(digits: str) -> bool:
    # Places are counted from the right: every second digit is doubled.
    doubled = [int(digit) * (1 if place % 2 else 2) for place, digit in enumerate(reversed(digits), start=1)]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0
