"""What the statements of layers 2 to 4 are asked with in the tests of row-level security: numbers that both tenants have."""

from __future__ import annotations

from tests.house.two_tenants import AGENT, ANIMAL, FACT, LOST, NAMESAKE, NOW, OLD_FACT, PATTERN, PERSON, QUESTION, SELF

NEW = (991_001, 991_002)  # rows that nobody has yet


def _many(*values: object) -> str:
    return "{" + ",".join(f'"{value}"' for value in values) + "}"


# By statement and parameter: arrays that go together are of one length.
HERE: dict[tuple[str, str], str] = {
    ("association_remove", "lefts"): _many(PERSON), ("association_remove", "rights"): _many(ANIMAL),
    ("association_write", "lefts"): _many(PERSON), ("association_write", "rights"): _many(NAMESAKE),
    ("association_write", "weights"): _many(0.5), ("association_write", "togethers"): _many(1),
    ("association_write", "linkeds"): _many(1), ("association_write", "shareds"): _many(1),
    ("calibration_read", "agent"): AGENT, ("calibration_read", "model"): "m",
    ("calibration_remove", "agents"): _many(AGENT), ("calibration_remove", "models"): _many("m"),
    ("calibration_remove", "predicates"): _many("*"), ("calibration_remove", "bins"): _many(8),
    ("calibration_write", "agents"): _many(AGENT), ("calibration_write", "models"): _many("m"),
    ("calibration_write", "predicates"): _many("*"), ("calibration_write", "bins"): _many(7),
    ("calibration_write", "scored"): _many(1), ("calibration_write", "held"): _many(1),
    ("calibration_write", "stated_sums"): _many(0.5), ("calibration_write", "squares"): _many(0.5),
    ("coherence_note", "score"): "0.5", ("coherence_note", "detail"): "{}",
    ("community_edges", "strongest"): "10",
    ("community_write", "entity_ids"): _many(NAMESAKE), ("community_write", "community_ids"): _many(PERSON),
    ("cursor_hold", "agent"): AGENT, ("cursor_read", "agent"): AGENT, ("cursor_move", "agent"): AGENT,
    ("cursor_move", "position"): '{"x": 1}', ("cursor_make", "agent"): "x",
    ("measure_citations", "after_id"): "0",
    ("observations_known", "kinds"): _many("self", "question"),
    ("observations_made", "observation_ids"): _many(*NEW), ("observations_made", "kinds"): _many("self", "self"),
    ("observations_made", "statements"): _many("x", "y"), ("observations_made", "details"): '{"{}","{}"}',
    ("observations_retracted", "observation_ids"): _many(SELF, QUESTION),
    ("outcomes_note", "row_ids"): _many(FACT), ("outcomes_note", "outcomes"): _many("corrected"),
    ("outcomes_note", "by_ids"): _many(FACT),
    ("outcomes_withdraw", "row_ids"): _many(OLD_FACT), ("outcomes_withdraw", "outcomes"): _many("corrected"),
    ("outcomes_withdraw", "by_ids"): _many(FACT),
    ("pattern_communities", "community_ids"): _many(PERSON), ("pattern_communities", "ats"): _many("2020-01-01"),
    ("pattern_communities", "tops"): _many(0),
    ("pattern_facts", "community_id"): str(PERSON), ("pattern_facts", "at"): "2020-01-01", ("pattern_facts", "top"): "0",
    ("pattern_facts", "new_rows"): "10", ("pattern_facts", "all_rows"): "20",
    ("patterns_alike", "kinds"): _many("pattern"), ("patterns_alike", "norms"): _many("dogs"),
    ("patterns_made", "pattern_ids"): _many(*NEW), ("patterns_made", "kinds"): _many("insight", "insight"),
    ("patterns_made", "statements"): _many("x", "y"), ("patterns_made", "norms"): _many("x", "y"),
    ("patterns_made", "community_ids"): "{null,null}", ("patterns_made", "firsts"): _many(NOW, NOW),
    ("patterns_made", "lasts"): _many(NOW, NOW), ("patterns_made", "stated"): _many(0.5, 0.5),
    ("patterns_made", "confidences"): _many(0.5, 0.5),
    ("patterns_near", "community_id"): str(PERSON), ("patterns_near", "kinds"): _many("pattern"),
    ("patterns_of_kinds", "kinds"): _many("pattern"),
    ("patterns_retracted", "pattern_ids"): _many(PATTERN),
    ("patterns_reworded", "pattern_ids"): _many(PATTERN), ("patterns_reworded", "times"): _many(1),
    ("patterns_reworded", "firsts"): _many("2020-01-01"), ("patterns_reworded", "lasts"): _many("2030-01-01"),
    ("reflection_rows", "at"): "2020-01-01", ("reflection_rows", "top"): "0", ("reflection_rows", "pattern_rows"): "10",
    ("reflection_rows", "fact_rows"): "10",
    ("reflection_state", "at"): "2020-01-01", ("reflection_state", "top"): "0",
    ("scored_examples", "agents"): _many(AGENT), ("scored_examples", "models"): _many("m"),
    ("scored_examples", "predicates"): _many("*"),
    ("seeds_contradiction", "except_ids"): "{}", ("seeds_staleness", "except_ids"): "{}", ("seeds_surprise", "except_ids"): "{}",
    ("supports_dropped", "row_ids"): _many(PATTERN),
    ("supports_made", "row_ids"): _many(PATTERN), ("supports_made", "support_ids"): _many(LOST),
}  # fmt: skip
# They insert what they are given; or count distinct numbers, which both tenants have, and find the same.
ONLY_WRITE_OWN = {
    "association_queue", "association_write", "calibration_write", "community_write", "cursor_make", "observations_made",
    "outcomes_note", "patterns_made", "supports_made", "association_links", "measure_grounding",
}  # fmt: skip
DIFFERS_BY_ITSELF = {"coherence_note"}  # its number is drawn from a sequence
