"""What the statements of promotion are asked with in the tests of row-level security: ids, names and times of both tenants."""

from __future__ import annotations

from tests.house.two_tenants import ANIMAL, CLAIM, FACT, MERGE, NAMESAKE, NOW, OURS, PERSON, THEIRS, VECTOR, slice_id

BOTH = [slice_id(tenant, kind) for kind in ("faded", "pinned", "refused") for tenant in (OURS, THEIRS)]
N = len(BOTH)
NEW = (990_001, 990_002, 990_003)  # rows that nobody has yet


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


def _each(value: object, times: int = 3) -> str:
    return _many(*[value] * times)


# By parameter: what no other room's statements call so.
VALUES: dict[str, str] = {
    "about": _many(PERSON, ANIMAL, NAMESAKE), "past": "true", "known_at": f"{NOW}", "claim": str(CLAIM), "lease": "5 minutes",
    "wait": "1 hour",
    "near_ids": _many(PERSON, ANIMAL), "subjects": _many(PERSON), "predicates": _many("has_pet"), "kept_id": str(PERSON),
    "merged_id": str(ANIMAL), "moved_ids": _many(NAMESAKE), "from_ids": _many(FACT), "queue": "true", "places": _many(0),
    "layers": _each("relationship"), "embedding_model": "m", "aliases": _each("x"), "superseded_bys": _many(FACT),
    "importances": _each("0.9", N), "waits": _each("1 minute", N), "attempts": _each(5, N), "quotes": _each("the dog"),
    "quote_starts": _each(3), "hashes": _each("\\\\x00"), "by_ids": _many(FACT), "confidences": _each("0.5"),
    "seen_first": _each("2020-01-01"), "seen_last": _each("2030-01-01"), "stated": _each("0.5"), "agents": _each("x"),
    "models": _each("m"), "negations": _each("false"), "functionals": _each("false"), "object_texts": _each("x"),
    "object_norms": _each("x"), "subject_ids": _each(PERSON), "object_ids": _each(ANIMAL), "valid_froms": _each(NOW),
    "valid_tos": _each("2030-01-01"),
}  # fmt: skip
# By statement and parameter: arrays that go together are of one length.
HERE: dict[tuple[str, str], str] = {
    ("aliases_made", "norms"): _many("a", "b", "c"),
    ("buried", "slice_ids"): _many(*BOTH), ("buried", "failures"): _each("no", N),
    ("citations_inherited", "row_ids"): _many(NEW[0]),
    ("citations_made", "row_ids"): _many(*NEW), ("citations_made", "slice_ids"): _many(*BOTH[:3]),
    ("citations_made", "passage_nos"): _each(0), ("citations_made", "event_times"): _each(NOW),
    ("citations_made", "sessions"): _each("s"), ("citations_made", "actors"): _each("maya"),
    ("corroborations_noted", "row_ids"): _many(FACT), ("corroborations_noted", "sessions"): _many("elsewhere"),
    ("digests_made", "slice_ids"): _many(*BOTH[:3]), ("digests_made", "importances"): _each("0.9"),
    ("digests_made", "topics"): _each("[]"), ("digests_made", "summaries"): _each("x"),
    ("entities_alike", "embeddings"): _many(VECTOR), ("entities_alike", "kinds"): _many("thing"),
    ("entities_alike", "floor"): "0.5",
    ("entities_made", "entity_ids"): _many(*NEW), ("entities_made", "kinds"): _each("thing"),
    ("entities_made", "norms"): _each("x"), ("entities_made", "embeddings"): _each(VECTOR),
    ("entities_seen", "kinds"): _each("person"), ("entities_seen", "embeddings"): _each(VECTOR),
    ("facts_held", "roots"): _many(ANIMAL), ("facts_held", "norms"): _many("dog"), ("facts_held", "whole"): _many("true"),
    ("facts_made", "row_ids"): _many(*NEW), ("facts_made", "predicates"): _each("x"), ("facts_made", "statements"): _each("x"),
    ("facts_made", "decision_ids"): _each(CLAIM), ("facts_made", "superseded_bys"): _each(FACT),
    ("facts_made", "reasons"): _each("x"),
    ("facts_retracted", "row_ids"): _many(FACT), ("facts_retracted", "reasons"): _many("superseded"),
    ("importance_learned", "slice_ids"): _many(*BOTH),
    ("merged", "kept_id"): str(PERSON),
    ("outcomes_noted", "row_ids"): _many(FACT), ("outcomes_noted", "outcomes"): _many("corrected"),
    ("put_off", "slice_ids"): _many(*BOTH), ("put_off", "failures"): _each("no", N),
    ("statements_made", "row_ids"): _many(*NEW), ("statements_made", "lengths"): _each(1),
    ("statements_made", "embeddings"): _each(VECTOR), ("statements_made", "term_ends"): _many(1, 2, 3),
    ("statements_made", "terms"): _each("dog"), ("statements_made", "counts"): _each(1),
    ("supports_moved", "row_ids"): _many(NEW[0]),
    ("unmerged", "merge_id"): str(MERGE), ("unmerged", "merged_id"): str(ANIMAL),
    ("verdicts_made", "slice_ids"): _many(*BOTH[:3]), ("verdicts_made", "passage_nos"): _each(0),
    ("verdicts_made", "outcomes"): _each("nothing"), ("verdicts_made", "reasons"): _each("x"),
    ("revived", "agent"): "parser",
}  # fmt: skip
# They insert what they are given; or look for rows whose numbers both tenants have, once for both, and find the same.
ONLY_WRITE_OWN = {
    "aliases_made", "citations_made", "digests_made", "entities_made", "facts_made", "outcomes_noted", "statements_made",
    "unassociated", "verdicts_made", "corroborations_noted", "entities_alike", "entity_evidence",
}  # fmt: skip
DIFFERS_BY_ITSELF = {"merged"}
