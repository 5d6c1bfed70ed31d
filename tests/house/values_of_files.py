"""What the statements of retiring and of the watcher are asked with in the tests of row-level security."""

from __future__ import annotations

from tests.house.two_tenants import OLD_FACT, OURS, THEIRS, slice_id


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


# By parameter: what no other room's statements call so.
VALUES: dict[str, str] = {"labels": '{"x": 1}'}
# By statement and parameter: arrays that go together are of one length.
HERE: dict[tuple[str, str], str] = {
    ("facts_closed", "slice_ids"): _many(slice_id(OURS, "own"), slice_id(THEIRS, "own")),
    ("observations_closed", "row_ids"): _many(OLD_FACT),
}
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"ends_unassociated"}
