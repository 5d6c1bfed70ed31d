"""What the statements of the subconscious index are asked with in the tests of row-level security."""

from __future__ import annotations

from tests.house.two_tenants import CONCEPT, NOW, OURS, OWN_CONCEPT, THEIRS, decision_id

FIRST, LAST = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


# By parameter: what no other room's statements call so.
VALUES: dict[str, str] = {
    "concept_id": str(CONCEPT), "concept_ids": _many(CONCEPT, *OWN_CONCEPT.values()), "type": "conversation",
    "types": _many("mail"), "refs": _many("<1@x>"), "longest_chars": "100",
}  # fmt: skip
HERE: dict[tuple[str, str], str] = {
    ("concept_made", "expires_at"): "2027-01-01", ("concept_made", "decision"): str(decision_id(OURS)),
    ("concept_extended", "expires_at"): "2028-01-01", ("concept_extended", "decision"): str(decision_id(THEIRS)),
    ("concept_until", "expires_at"): "2028-01-01",
    ("keywords_noted", "keywords"): _many("cat", "mouse"), ("keywords_noted", "terms"): _many("cat", "mous"),
    ("keywords_noted", "last_times"): _many(NOW, NOW),
    ("sources_noted", "from_times"): _many(NOW), ("sources_noted", "to_times"): _many(NOW),
    ("terms_known", "terms"): _many("dog", "petb"),
    ("imported", "external_id"): "faded", ("imported", "source"): "test",
    ("indexer_fresh", "after"): FIRST, ("indexer_fresh", "through"): LAST,
    ("indexer_late", "after_passage"): "0", ("indexer_late", "newest_passage"): "999999999", ("indexer_late", "through"): LAST,
}  # fmt: skip
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"keywords_noted", "sources_noted"}
DIFFERS_BY_ITSELF = {"concept_made"}  # its number is drawn from a sequence
