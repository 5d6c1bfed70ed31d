"""A check: what was looked at, how it stands, one sentence about it, and what to type when something is to be done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """ok: as it should be. info: worth knowing. warn: look at it in the morning. bad: something does not work."""

    OK = "ok"
    INFO = "info"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `do` is what to type or change, empty when there is nothing to do."""

    name: str
    verdict: Verdict
    says: str
    do: str = ""


def ok(name: str, says: str) -> Check:
    return Check(name, Verdict.OK, says)


def info(name: str, says: str, do: str = "") -> Check:
    return Check(name, Verdict.INFO, says, do)


def warn(name: str, says: str, do: str = "") -> Check:
    return Check(name, Verdict.WARN, says, do)


def bad(name: str, says: str, do: str = "") -> Check:
    return Check(name, Verdict.BAD, says, do)


def well(checks: Iterable[Check]) -> bool:
    """Whether nothing is bad."""
    return all(check.verdict is not Verdict.BAD for check in checks)


def worst(checks: Iterable[Check]) -> Verdict:
    """The gravest verdict among them; ok when there are none."""
    order = list(Verdict)
    return max((check.verdict for check in checks), key=order.index, default=Verdict.OK)
