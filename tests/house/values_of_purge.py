"""What the statements of purging, and of what looks back, are asked with in the tests of row-level security."""

from __future__ import annotations

from datetime import timedelta

from tests.house.two_tenants import (
    ANIMAL,
    FACT,
    NAMESAKE,
    NOW,
    OURS,
    OWN_FACT,
    OWN_PERSON,
    PATTERN,
    PERSON,
    THEIRS,
    decision_id,
    slice_id,
)


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


def _of_both(kind: str) -> str:
    return _many(*[slice_id(tenant, kind) for tenant in (OURS, THEIRS)])


# By statement and parameter: arrays that go together are of one length.
HERE: dict[tuple[str, str], str] = {
    ("decisions_after", "after_id"): "00000000-0000-0000-0000-000000000000",
    ("decisions_emptied", "slice_ids"): _of_both("diary"),
    ("ends_of", "row_ids"): _many(FACT, *OWN_FACT.values()),
    ("facts_of", "entity_ids"): _many(PERSON, *OWN_PERSON.values()),
    ("held_then", "at"): f"{NOW - timedelta(days=1)}",
    ("keys_gone", "slice_ids"): _of_both("own"),
    ("imports_gone", "sources"): _many("emptied", "test"),
    ("outlived", "row_ids"): _many(FACT),
    ("released_since", "row_ids"): _many(FACT, *OWN_FACT.values()),
    ("renamed", "entity_ids"): _many(PERSON, ANIMAL, NAMESAKE), ("renamed", "names"): _many("maya", "hound", "the dog"),
    ("renamed", "norms"): _many("maya", "hound", "the dog"),
    ("replay_entry", "slice_id"): str(decision_id(THEIRS)),
    ("resting", "row_ids"): _many(FACT, *OWN_FACT.values()),
    ("sessions_gone", "sessions"): _many("over", "s"),
    ("sessions_of", "slice_ids"): _of_both("own"), ("sessions_whole", "slice_ids"): _of_both("own"),
    ("stated_with", "terms"): _many("dog"),
    ("supports_of", "row_id"): str(PATTERN),
    ("windows_beside", "slice_ids"): _of_both("faded"),
}  # fmt: skip
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"begin", "freed_queue"}
