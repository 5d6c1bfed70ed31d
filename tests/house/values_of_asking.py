"""What the statements of asking are asked with in the tests of row-level security."""

from __future__ import annotations

from thoth_substrate.ask.meant import MEETING_TERMS


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


_FILTERS = {
    "since": "2020-01-01", "until": "2027-01-01", "person": "maya|dog", "topic": "dog", "origin": "test", "importance": "0.1",
    "limit_chars": "1000", "from_time": "2020-01-01", "to_time": "2027-01-01",
}  # fmt: skip
HERE: dict[tuple[str, str], str | None] = {
    **{(name, parameter): value for name in ("asked_recent", "asked_memories") for parameter, value in _FILTERS.items()},
    **{(name, parameter): None for name in ("asked_recent", "asked_memories") for parameter in ("stream", "topic", "origin")},
    ("asked_met", "person"): "maya", ("asked_met", "names"): _many("dog"),
    ("asked_met", "meetings"): _many("bark", *MEETING_TERMS),
    ("asked_session", "session_no"): "3", ("asked_session", "from_time"): "2020-01-01",
    ("asked_spans", "from_times"): _many("2020-01-01"), ("asked_spans", "to_times"): _many("2027-01-01"),
    ("asked_held", "from_time"): "2020-01-01", ("asked_held", "to_time"): "2027-01-01",
    ("consolidation_new", "after"): "00000000-0000-0000-0000-000000000000",
}  # fmt: skip
# They answer with a time, or with numbers, that both tenants have: once for both, and find the same.
ONLY_WRITE_OWN = {"asked_bounds", "asked_met", "asked_named"}
