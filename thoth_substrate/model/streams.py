"""Streams: named channels of perception, each with a family, a modality and a decay profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["exteroceptive", "self_action", "self_state"]
Modality = Literal["text", "structured", "binary", "signal"]

DIARY = "substrate.self_state"
SUMMARY = "thoth.self_state.summary"


@dataclass(frozen=True, slots=True)
class Stream:
    """A channel. `name` is unique; `source` says where its events come from; `profile` names its decay profile."""

    name: str
    family: Family
    modality: Modality
    source: str
    profile: str
