"""The page on asking names every command and route of it, each with a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.source import ROOT
from thoth_substrate.house import House
from thoth_substrate.server.routes import consolidate, memories, query, status

OURS = (query.routes, consolidate.routes, memories.routes, status.routes)
ELSEWHERE = {"GET /metrics"}  # for machines
_ROW = re.compile(r"^\| (?P<way>[^|]+) \| [^|]+ \| `(?P<file>[\w/]+\.py)::(?P<test>\w+)` \|$", re.MULTILINE)


def rows() -> dict[str, tuple[Path, str]]:
    """The table: the file and the test of each way in."""
    page = (ROOT / "docs/howto/ask.md").read_text(encoding="utf-8")
    return {found["way"].strip("`"): (ROOT / found["file"], found["test"]) for found in _ROW.finditer(page)}


def test_every_route_is_in_the_table() -> None:
    house: House = object.__new__(House)  # its routes are asked for, none is called
    house.substrate = type("Nobody", (), {"perceive": print, "durable": print})()
    made = [route for routes in OURS for route in routes(house).routes]
    ours = {f"{method} {route.path}" for route in made for method in route.methods}  # type: ignore[attr-defined]
    assert ours - ELSEWHERE == {way for way in rows() if way.partition(" ")[2].startswith("/")}


def test_every_test_in_the_table_is_there() -> None:
    for way, (file, test) in rows().items():
        assert re.search(rf"^(async )?def {test}\(", file.read_text(encoding="utf-8"), re.MULTILINE), way
