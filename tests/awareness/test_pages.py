"""The page of the subconscious index names every command and route of it, each with a test that is there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.source import ROOT
from tests.house.write_docs import commands
from thoth_substrate.house import House
from thoth_substrate.server.routes.awareness import routes

_ROW = re.compile(r"^\| (?P<way>[^|]+) \| [^|]+ \| `(?P<file>[\w/]+\.py)::(?P<test>\w+)` \|$", re.MULTILINE)


def rows() -> dict[str, tuple[Path, str]]:
    """The table: the file and the test of each way in."""
    page = (ROOT / "docs/howto/awareness.md").read_text(encoding="utf-8")
    return {found["way"].strip("`"): (ROOT / found["file"], found["test"]) for found in _ROW.finditer(page)}


def test_every_command_of_it_is_in_the_table() -> None:
    ours = {
        " ".join(words)
        for words, _, _ in commands()
        if words[:2] == ("thoth", "awareness") or words[1:3] == ("substrate", "indexer")
    }
    assert ours == {way for way in rows() if way.startswith("thoth ")}


def test_every_route_of_it_is_in_the_table() -> None:
    house: House = object.__new__(House)  # its routes are asked for, none is called
    ours = {f"{method} {route.path}" for route in routes(house).routes for method in route.methods}  # type: ignore[attr-defined]
    assert ours == {way for way in rows() if way.partition(" ")[2].startswith("/v1/")}


def test_every_test_in_the_table_is_there() -> None:
    for way, (file, test) in rows().items():
        assert re.search(rf"^(async )?def {test}\(", file.read_text(encoding="utf-8"), re.MULTILINE), way
