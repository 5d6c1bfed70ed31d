"""What the statements of retiring and of the watcher are asked with in the tests of row-level security."""

from __future__ import annotations

from tests.house.two_tenants import CLAIM, OLD_FACT, OURS, THEIRS, file_id, slice_id


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


_FILES = [file_id(tenant, number) for number in (1, 2) for tenant in (OURS, THEIRS)]
# By parameter: what no other room's statements call so.
VALUES: dict[str, str] = {
    "labels": '{"x": 1}', "host": "h", "root": "/notes", "roots": _many("/notes"), "file_ids": _many(*_FILES),
    "file_id": str(file_id(THEIRS, 2)), "paths": _many(*"abcd"), "sizes": _many(*"1234"), "mtimes": _many(*"1234"),
    "hash": "\\x00", "mtime_ns": "2", "complete": "true", "warning": "no", "keep": "1 day",
}  # fmt: skip
# By statement and parameter: arrays that go together are of one length.
HERE: dict[tuple[str, str], str] = {
    ("facts_closed", "slice_ids"): _many(slice_id(OURS, "own"), slice_id(THEIRS, "own")),
    ("observations_closed", "row_ids"): _many(OLD_FACT),
    ("added", "file_ids"): _many(*(f"00000000-0000-0000-0000-00000000000{n}" for n in range(4))),
    ("added", "hashes"): _many(*["\\\\x01"] * 4),
    ("changed", "hashes"): _many(*["\\\\x01"] * 4),
    ("claimed", "claim"): str(CLAIM),
    ("held", "claim"): str(CLAIM),
    ("held", "file_id"): str(file_id(THEIRS, 2)),
    ("put_off", "claim"): str(CLAIM),
    ("put_off", "state"): "failed",
    ("put_off", "error"): "no",
    ("put_off", "attempts"): "1",
    ("put_off", "wait"): "1 day",
    ("moved", "file_id"): str(file_id(THEIRS, 1)),
    ("moved", "path"): "z",
    ("stored", "source"): f"file:{file_id(OURS, 1)}",
    ("stored", "external_ids"): _many(f"{OURS}/1", f"{THEIRS}/1"),
    ("live", "kind"): "text",
    ("skipped", "kind"): "text",
}
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"ends_unassociated", "added", "root_seen"}
