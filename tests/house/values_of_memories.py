"""What the statements of memories are asked with in the tests of row-level security."""

from __future__ import annotations

from uuid import UUID

from tests.house.two_tenants import ANIMAL, FACT, OURS, OWN_FACT, PERSON, THEIRS, ingested, slice_id

_LAST = "e677ccf9-8000-7000-8000-000000000000"


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


_ROWS = _many(PERSON, ANIMAL, FACT, *OWN_FACT.values())
HERE: dict[tuple[str, str], str] = {
    ("newest", "before"): _LAST, ("newest", "before_time"): "2027-01-01", ("newest", "rows"): "100",
    ("of_session", "before"): _LAST, ("of_session", "before_time"): "2027-01-01", ("of_session", "rows"): "100",
    ("of_rows", "row_ids"): _ROWS, ("of_rows", "before"): _LAST, ("of_rows", "rows"): "100",
    ("rows_about", "norm"): "maya", ("rows_about", "entity_id"): str(ANIMAL),
    ("memories", "states"): _many("passed", "pending", "quarantined", "rejected", "replaced", "released"),
    ("memories", "streams"): _many("thoth.world.note"), ("memories", "actor"): "maya", ("memories", "topic"): "dogs",
    ("memories", "importance"): "0.1", ("memories", "metadata"): "{}", ("memories", "source"): "", ("memories", "row_ids"): _ROWS,
    ("memories", "since"): "2020-01-01", ("memories", "until"): "2027-01-01",
    ("version_held", "slice_id"): str(slice_id(THEIRS, "pinned")),
    ("version_made", "slice_id"): str(UUID(int=7)), ("version_made", "replaces"): str(slice_id(OURS, "own")),
    ("version_made", "first_id"): str(slice_id(OURS, "faded")), ("version_made", "version"): "4",
    ("version_made", "changed_by"): "maya",
    ("version_retired", "slice_id"): str(slice_id(THEIRS, "pinned")),
    ("version_chain", "slice_id"): str(slice_id(THEIRS, "pinned")),
    ("key_taken", "key"): "a new key", ("key_taken", "request"): "\\x0011223344556677",
    ("key_known", "key"): "a key", ("key_used", "key"): "a key",
    ("known_external", "external_id"): "own",
    ("keys_expired", "before"): f"{ingested('waiting')}", ("keys_expired", "limit_rows"): "100",
    ("key_used", "slice_id"): str(slice_id(OURS, "held")),
    **{(f"page_{layer}", "before"): "9000000" for layer in ("entities", "facts", "patterns", "observations")},
    ("page_facts", "ended"): "true", ("page_associations", "left_id"): "0", ("page_associations", "right_id"): "0",
}  # fmt: skip
ONLY_WRITE_OWN = {"version_made", "key_taken"}  # they insert what they are given
