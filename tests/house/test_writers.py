"""Tables are the pipes between the steps, a state column is an arrow, and each arrow has one writer.

`ARROWS` restates the column "sole writer of" of the architecture. Whoever adds a writer changes it here, in view of all.
"""

from __future__ import annotations

from collections import defaultdict

import psycopg
import pytest

from tests.house.source import statements
from tests.house.writes import writes

# By table: who makes its rows, who takes them away, and who moves which column. One name each, save where said.
ARROWS: dict[str, dict[str, str]] = {
    "substrate_slices": {
        "insert": "perceive",
        "triage_state": "triage", "triage_reason": "fade, triage", "trust": "triage",
        "forgotten": "fade", "released_at": "fade",
        # the handshake: what is promoted may be released; what a purge took a part from is promoted again
        "consolidation_state partial": "consolidate", "consolidation_state consolidated": "consolidate",
        "consolidation_state released": "fade", "consolidation_attempts": "consolidate",
        # what a tombstone no longer holds; the reason of its quarantine goes with it
        "text": "fade", "payload": "fade, purge", "metadata": "fade", "actor": "fade", "session_id": "fade",
        "external_id": "fade",
        "event_time": "fade", "event_offset_s": "fade", "content_hash": "fade",
    },
    "substrate_external_ids": {"insert": "perceive", "delete": "purge"},
    "substrate_memory_versions": {"insert": "memories", "retired_at": "memories"},
    "substrate_idempotency_keys": {"insert": "memories", "slice_id": "memories", "delete": "memories, purge"},
    "substrate_tenants": {"insert": "perceive"},
    "substrate_streams": {"insert": "perceive"},
    "substrate_audit_heads": {"insert": "perceive", "seq": "perceive", "head": "perceive"},
    # a queue: filled by the step before, drained by the step after, and by fade when the slice is forgotten or released
    "substrate_pending": {"insert": "perceive", "delete": "fade, triage"},
    "substrate_unindexed": {"insert": "perceive, triage", "delete": "fade, triage"},
    "substrate_unconsolidated": {
        "insert": "consolidate, triage", "delete": "consolidate, fade, purge",
        **dict.fromkeys(("attempts", "claim", "claimed_until", "failure", "not_before"), "consolidate"),
    },
    "substrate_dead_letters": {
        "delete": "consolidate, purge", **dict.fromkeys(("insert", "attempts", "failure", "since"), "consolidate"),
    },
    "substrate_unembedded": {
        "insert": "embed, triage", "delete": "embed, fade", "attempts": "embed", "not_before": "embed", "failure": "embed",
    },
    # the index: made by triage and completed by embed, taken back by fade
    "substrate_sessions": {"insert": "triage", "last_seq": "triage", "delete": "purge"},
    "substrate_passages": {"insert": "triage", "delete": "fade"},
    "substrate_postings": {"insert": "triage", "delete": "fade"},
    "substrate_terms": {"insert": "triage", "delete": "fade", "passages": "fade, triage"},
    "substrate_text_stats": {"insert": "triage", "passages": "fade, triage", "total_length": "fade, triage"},
    "substrate_embedding_models": {"insert": "embed", "active": "embed"},
    "substrate_passage_vectors": {"insert": "embed", "delete": "embed, fade"},
    "substrate_vector_stats": {
        "insert": "embed", "delete": "embed", "vectors": "embed, fade", "turns": "embed, fade", "sum": "embed, fade",
    },
    # attention: born with the slice, moved by fade alone
    "substrate_salience": {
        "insert": "perceive", "delete": "fade", "anchor": "fade", "anchored_at": "fade", "fades_at": "fade", "pinned": "fade",
        "releasable": "fade", "reinforced_at": "fade", "used_at": "fade", "importance": "fade", "half_life": "fade",
    },
    "substrate_salience_events": {"insert": "fade", "delete": "fade"},
    "substrate_profiles": dict.fromkeys(
        ("half_life", "floor", "reinforce", "pending_ttl", "consolidation_window", "tombstone", "tombstone_reason",
         "release_unconsolidated_after", "expire_after"), "fade",
    ),
    "substrate_audit_anchors": {"insert": "fade"},
    # what was asked is emptied, and stays counted
    "substrate_recall_log": {
        "insert": "recall",
        **dict.fromkeys(("session_id", "query_hash", "query_excerpt", "candidates", "shown", "detail"), "purge"),
    },
    "substrate_floors": {
        "insert": "recall", "delete": "purge", "calibrated_at": "recall", "passages": "recall", "floor": "recall",
    },
    "substrate_tokens": {"insert": "access", "revoked_at": "access", "last_used_at": "access"},
    "substrate_purges": {"insert": "purge", "slice_ids": "purge", "receipt": "purge", "decision_id": "purge"},
    "substrate_agents": {
        "insert": "workers",
        **dict.fromkeys(
            ("lease_holder", "lease_token", "lease_until", "alive_since", "heartbeat_at", "ticks", "last_report", "last_failure",
             "last_failure_at", "level", "cursor", "override_level", "override_until"), "workers",
        ),
    },
    "substrate_files": dict.fromkeys(
        ("insert", "delete", "path", "state", "error", "attempts", "not_before", "claim", "size", "mtime_ns", "seen_sha256",
         "seen_at", "version", "kind", "sha256", "slice_ids", "live_at", "previous_sha256"), "watch",
    ),
    "substrate_roots": dict.fromkeys(("insert", "delete", "quick_at", "full_at", "warning"), "watch"),
    "substrate_imports": {
        "insert": "imports", "delete": "purge",
        **dict.fromkeys(("path", "position", "imported", "skipped", "finished_at", "updated_at"), "imports"),
    },
    # knowledge: written by consolidate alone; purge takes words away, and rows that have lost their last support
    "substrate_entities": {
        "insert": "consolidate", "delete": "purge", "kind": "consolidate", "name": "purge", "norm": "purge",
        **dict.fromkeys(
            ("embedding", "embedding_model", "first_seen", "last_seen", "merged_into", "summary"), "consolidate, purge",
        ),
    },
    "substrate_entity_aliases": {"insert": "consolidate", "delete": "purge"},
    "substrate_entity_merges": {"insert": "consolidate", "delete": "purge", "reason": "purge", "undone_at": "consolidate"},
    "substrate_relationships": {
        "insert": "consolidate", "delete": "purge",
        **dict.fromkeys(("object_norm", "object_text", "statement", "valid_from", "valid_to"), "purge"),
        "superseded_by": "consolidate, purge",
        **dict.fromkeys(("retract_reason", "retracted_at"), "consolidate, fade, purge"),  # fade: when all sources are retired
    },
    "substrate_citations": {"insert": "consolidate", "delete": "purge", "withdrawn_at": "fade"},
    "substrate_supports": {"insert": "consolidate", "delete": "consolidate, purge"},
    "substrate_verdicts": {
        "delete": "consolidate, fade, purge", "reason": "consolidate, purge",
        **dict.fromkeys(("insert", "agent", "decision_id", "judged_at", "outcome"), "consolidate"),
    },
    "substrate_digests": {
        "delete": "fade, purge", "summary": "consolidate, purge", "topics": "consolidate, purge",
        **dict.fromkeys(("insert", "decision_id", "digested_at", "importance", "model"), "consolidate"),
    },
    "substrate_statements": {
        "delete": "consolidate, fade, purge", **dict.fromkeys(("insert", "counts", "length", "terms"), "consolidate"),
    },
    "substrate_statement_postings": {
        "delete": "consolidate, fade, purge", **dict.fromkeys(("insert", "count", "length"), "consolidate"),
    },
    "substrate_patterns": {
        "insert": "consolidate", "delete": "purge", "valid_from": "consolidate, purge", "valid_to": "consolidate, purge",
        "rewordings": "consolidate", "retract_reason": "consolidate, fade", "retracted_at": "consolidate, fade",
    },
    "substrate_observations": {
        "insert": "consolidate", "delete": "consolidate, purge",
        "retract_reason": "consolidate, fade", "retracted_at": "consolidate, fade",
    },
    "substrate_unassociated": {
        "insert": "consolidate, fade, purge", "queued_at": "consolidate, fade, purge", "delete": "consolidate, purge",
    },
    "substrate_associations": {
        "delete": "consolidate, purge",
        **dict.fromkeys(("insert", "weight", "together", "linked", "shared", "computed_at"), "consolidate"),
    },
    "substrate_communities": {
        "delete": "consolidate, purge", **dict.fromkeys(("insert", "community_id", "computed_at"), "consolidate"),
    },
    # the subconscious index: what expires takes its keywords and sources along
    "substrate_concepts": dict.fromkeys(("insert", "delete", "expires_at", "renewed_at", "decision_id"), "awareness"),
    "substrate_keywords": dict.fromkeys(("insert", "last_at"), "awareness"),
    "substrate_sources": dict.fromkeys(("insert", "from_time", "to_time"), "awareness"),
    "substrate_cursors": dict.fromkeys(("insert", "position", "moved_at"), "consolidate"),
    "substrate_outcomes": {"insert": "consolidate", "delete": "consolidate, purge"},
    "substrate_calibration": dict.fromkeys(
        ("insert", "delete", "scored", "held", "stated_sum", "squares", "computed_at"), "consolidate",
    ),
    "substrate_agent_cost": dict.fromkeys(
        ("insert", "delete", "outcome", "prompt_tokens", "completion_tokens", "cached_tokens", "usd", "latency_ms", "reason",
         "settled_at"), "ledger",
    ),
    "substrate_budgets": dict.fromkeys(("insert", "delete", "reserved", "spent"), "ledger"),
    "substrate_endpoints": dict.fromkeys(
        ("insert", "state", "failures", "opened", "opened_at", "retry_at", "last_ok_at", "last_failure", "last_failure_at"),
        "ledger",
    ),
    # hosts' items; whose words are to be forgotten is noted by a trigger
    "substrate_items": dict.fromkeys(
        ("insert", "delete", "value", "number", "updated_at", "ttl", "expires_at", "said", "noted"), "items",
    ),
    "substrate_item_vectors": dict.fromkeys(("insert", "delete", "model", "embedding"), "items"),
    "substrate_items_unsaid": {"delete": "items"},
    "substrate_chat_models": dict.fromkeys(("insert", "tier", "learned_at"), "ledger"),
}  # fmt: skip
STATES = (
    "triage_state",
    "consolidation_state partial",
    "consolidation_state consolidated",
    "consolidation_state released",
    "forgotten",
    "anchor",
    "anchored_at",
    "fades_at",
    "pinned",
    "releasable",
)


def _found() -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for (package, _), query in statements().items():
        for table, deed in writes(query.text):
            found[table][deed].add(_room(package))
    return found


def _room(package: str) -> str:
    return "workers" if package.startswith("thoth_workers") else package.split(".")[1]


FOUND = _found()


@pytest.mark.parametrize("table", sorted({*ARROWS, *FOUND}))
def test_a_table_is_written_by_those_who_are_named_for_it(table: str) -> None:
    assert {deed: ", ".join(sorted(rooms)) for deed, rooms in FOUND[table].items()} == ARROWS.get(table, {})


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_moved_by_one_room(state: str) -> None:
    rooms = {ARROWS[table][state] for table in ARROWS if state in ARROWS[table]}
    assert len(rooms) == 1
    assert "," not in rooms.pop()


def test_who_looks_writes_nothing() -> None:
    looking = {"views", "inject", "cli", "model"}
    assert not looking & {room for deeds in FOUND.values() for rooms in deeds.values() for room in rooms}


def test_every_table_of_the_schema_has_a_writer(sql: psycopg.Connection) -> None:
    tables = {
        row[0]
        for row in sql.execute(
            "select relname from pg_class"
            " where relnamespace = 'thoth'::regnamespace and relkind in ('r', 'p') and not relispartition"
        )
    }
    kept_by_a_trigger, kept_by_the_migrator = "substrate_quarantine", "substrate_schema_version"
    assert tables - {kept_by_a_trigger, kept_by_the_migrator} == set(ARROWS)
