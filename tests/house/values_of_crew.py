"""What the ledger's, the summaries', the crew's and knowledge recall's statements are asked with in the tests of row security."""

from __future__ import annotations

from tests.house.two_tenants import ANIMAL, FACT, NOW, PERSON, THEIRS, call_id, slice_id

FIRST = "00000000-0000-0000-0000-000000000000"
THEIR_SLICE = str(slice_id(THEIRS, "held"))

# By parameter: what no other room's statements call so.
VALUES: dict[str, str] = {
    "call": str(call_id(THEIRS)), "called": f"{NOW}", "endpoint": "http://models", "usd": "0.1", "outcome": "ok", "prompt": "1",
    "completion": "1", "cached": "0", "latency": "1", "event_time": f"{NOW}", "trust": "1", "importance": "0.9",
    "external_id": "new", "last_id": THEIR_SLICE, "most_rows": "100", "family": f"{{{PERSON},{ANIMAL}}}",
    "linked": f"{{{ANIMAL}}}",
    "weights": "{0.5}", "compare_all": "true", "also": f"{{{FACT}}}", "only_valid": "false", "besides": "{}", "most_chars": "100",
    "after_no": "0", "summary_stream": "thoth.self_action.summary", "longest_bytes": "1000", "through": FIRST,
}  # fmt: skip
HERE: dict[tuple[str, str], str] = {
    ("call_reserved", "kind"): "chat", ("call_reserved", "decision"): THEIR_SLICE,
    ("summary_append", "text"): "in short: the dog barks", ("summary_append", "payload"): "{}",
    ("summary_append", "metadata"): "{}",
    ("parser_preceding", "before"): "2030-01-01",
}  # fmt: skip
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"call_reserved", "summary_append"}
