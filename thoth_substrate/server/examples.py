"""Examples for the OpenAPI document: what a first request looks like, and its answer."""

from __future__ import annotations

from typing import Any

_ID, _OTHER = "019e2a3b-4c5d-7001-8a6b-1f0c9d2e4b77", "019e2a3b-4c5d-7002-8a6b-1f0c9d2e4b77"
NEW_MEMORY: dict[str, Any] = {
    "content": "Maya moved from Porto to Lisbon in April.", "session": "chat-12", "metadata": {"project": "move"}
}  # fmt: skip
CHANGE: dict[str, Any] = {"content": "Maya moved from Porto to Lisbon in May."}
MADE: dict[str, Any] = {"id": _ID, "state": "pending", "repeated": False, "memory": None}
MEMORY: dict[str, Any] = {
    "id": _ID, "state": "passed", "reason": None, "waits_for": [], "text": "Maya moved from Porto to Lisbon in April.",
    "content": None, "stream": "thoth.world.note", "session": "chat-12", "actor": "user",
    "event_time": "2026-05-15T12:00:00+00:00", "perceived_at": "2026-05-15T12:00:00+00:00", "released_at": None,
    "external_id": None, "metadata": {"project": "move"}, "importance": 0.8, "pinned": False, "parsed": True,
    "summary": "A move to Lisbon.", "topics": ["moving"],
    "entities": [{"entity_id": 71, "name": "Maya", "kind": "person"}],
    "facts": [{"row_id": 88, "statement": "Maya lives in Lisbon.", "confidence": 0.9}],
    "version": 1, "replaces": None, "replaced_by": None,
}  # fmt: skip
QUESTION: dict[str, Any] = {"query": "Where does Maya live?", "session": "chat-13", "budget_tokens": 800, "deadline_ms": 300}
ANSWER: dict[str, Any] = {
    "recall_id": _OTHER,
    "block": "<memory-context>\n[104] 2026-05-15 user (note): Maya moved from Porto to Lisbon in April.\n</memory-context>",
    "tokens": 46, "empty_reason": None, "took_ms": 12.4, "partial": False, "as_of": None,
    "lines": [{
        "handle": "104", "kind": "quote", "slice_id": _ID, "passage_no": 0, "row_id": None, "session": "chat-12", "actor": "user",
        "event_time": "2026-05-15T12:00:00+00:00", "stream": "thoth.world.note",
        "text": "Maya moved from Porto to Lisbon in April.", "score": 1.84, "salience": 0.97, "trust": 1.0, "confidence": 1.0,
        "note": "", "sources": [], "legs": [], "parts": {},
    }],
    "legs": [{"name": "words", "state": "answered", "rows": 1, "took_ms": 3.1, "why": ""}], "missing": [], "detail": {},
}  # fmt: skip
