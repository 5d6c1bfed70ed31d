"""What the statements of hosts' items are asked with in the tests of row-level security: names that both tenants have."""

from __future__ import annotations

from tests.house.two_tenants import STORE, VECTOR

_NAMES = '[{"path": "u.", "key": "prefs"}, {"path": "u.", "key": "old"}]'

# By statement and parameter.
HERE: dict[tuple[str, str], str] = {
    **{(name, "store"): STORE for name in (
        "items_get", "items_newest", "items_alike", "items_refreshed", "namespaces", "items_put", "items_deleted", "items_swept",
        "vectors_made", "unsaid", "unsaid_settled", "log_one_at_a_time", "log_appended", "log_latest",
        "log_popped", "log_cleared",
    )},
    ("items_get", "asked"): '[{"path": "u.", "key": "prefs", "refresh": true}, {"path": "u.", "key": "x"}]',
    ("items_get", "omit_expired"): "false", ("items_newest", "omit_expired"): "false", ("items_alike", "omit_expired"): "false",
    ("namespaces", "omit_expired"): "false",
    ("items_newest", "low"): "", ("items_newest", "high"): "~", ("items_newest", "conditions"): "[]",
    ("items_newest", "skip_rows"): "0", ("items_alike", "skip_rows"): "0", ("namespaces", "skip_rows"): "0",
    ("items_alike", "low"): "", ("items_alike", "high"): "~", ("items_alike", "conditions"): "[]",
    ("items_alike", "distance"): "cosine", ("items_alike", "limit_vectors"): "10",
    ("items_refreshed", "names"): _NAMES, ("items_deleted", "names"): _NAMES,
    ("namespaces", "patterns"): "{}", ("namespaces", "depth"): "2",
    ("items_put", "puts"): '[{"path": "u.", "key": "prefs", "namespace": ["u"], "value": {"x": 1}, "said": "y", "ttl_s": 60}]',
    ("vectors_made", "fields"): '[{"path": "u.", "key": "prefs", "field": "$"}]',
    ("vectors_made", "embeddings"): f'{{"{VECTOR}"}}',
    ("unsaid", "source"): "test", ("unsaid_settled", "numbers"): "{1,2}",
    ("log_one_at_a_time", "path"): "log.", ("log_appended", "path"): "log.", ("log_latest", "path"): "log.",
    ("log_popped", "path"): "log.", ("log_cleared", "path"): "log.",
    ("log_appended", "namespace"): "{log}", ("log_appended", "entries"): '[{"value": {"value": 1}, "said": null}]',
}  # fmt: skip
ONLY_WRITE_OWN = {"vectors_made"}  # it inserts what it is given
DIFFERS_BY_ITSELF = {"items_put", "log_appended"}  # their numbers are drawn from a sequence
