"""What the statements about tokens are asked with in the tests of row-level security."""

from __future__ import annotations

from tests.house.two_tenants import NOW, THEIRS, call_id

HERE: dict[tuple[str, str], str] = {
    ("token_insert", "token_id"): "00000000-0000-7000-8000-000000000001", ("token_insert", "name"): "a dashboard",
    ("token_insert", "hash"): "\\x" + "07" * 32, ("token_insert", "scopes"): "{read}",
    ("token_insert", "expires_at"): f"{NOW}",
    ("token_revoke", "token_id"): str(call_id(THEIRS)),
}  # fmt: skip
# They insert what they are given, and have no condition that could be taken out.
ONLY_WRITE_OWN = {"token_insert"}
