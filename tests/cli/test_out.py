"""Printing: JSON that does not depend on values, tables that fit, text that cannot steer a terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from thoth_substrate.cli import out
from thoth_substrate.views.check import bad, ok


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    wait: timedelta


@dataclass(frozen=True, slots=True)
class Answer:
    id: UUID
    at: datetime
    until: datetime
    span: timedelta | None
    level: float
    colour: Colour
    home: Path
    digest: bytes
    text: str
    inner: list[Inner]
    free: dict[str, Any]


ANSWER = Answer(
    UUID(int=7), datetime(2026, 5, 15, 14, tzinfo=timezone(timedelta(hours=2))), datetime.max.replace(tzinfo=UTC), None,
    0.05000000074505806, Colour.RED, Path("/a"), b"\x01\xff", "汉 \ud83d", [Inner(timedelta(minutes=2))], {"a": (1, None)},
)  # fmt: skip


def test_json_keys_depend_on_the_declaration_and_never_on_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    """faults: a lone surrogate (`"\\ud83d abc"`) as content"""
    out.print_json(ANSWER)
    assert json.loads(capsys.readouterr().out) == {
        "id": "00000000-0000-0000-0000-000000000007", "at": "2026-05-15T12:00:00+00:00", "until": None, "span_s": None,
        "level": 0.05, "colour": "red", "home": "/a", "digest": "01ff", "text": "汉 ?", "inner": [{"wait_s": 120.0}],
        "free": {"a": [1, None]},
    }  # fmt: skip


def test_a_table_that_is_piped_is_not_cut_and_not_padded(capsys: pytest.CaptureFixture[str]) -> None:
    out.table(["id", ("text", "rest")], [("1", "x" * 150), ("2", "line\nbreak\x1b[31m")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "1   " + "x" * 150
    assert lines[2] == "2   line break\N{REPLACEMENT CHARACTER}[31m"
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_check_says_what_to_type_beneath_it(capsys: pytest.CaptureFixture[str]) -> None:
    out.checks([ok("one", "All well."), bad("two", "It burns.", "thoth up")])
    printed = capsys.readouterr().out.splitlines()
    assert [line.split() for line in printed] == [
        ["ok", "one", "All", "well."],
        ["BAD", "two", "It", "burns."],
        ["→", "thoth", "up"],
    ]


def test_values_are_said_as_people_say_them() -> None:
    assert out.flat({"a": 0.123456, "b": [1, {"c": "d"}]}) == "a 0.123, b 1 c d"
    assert out.when(None) == "never"
    assert out.when(datetime.max.replace(tzinfo=UTC)) == "never"
    assert out.many_lines("a\r\n\tb\x00\u2066c") == "a\n\tb\N{REPLACEMENT CHARACTER}c"
