"""Who may do what, for whom."""

from __future__ import annotations

import pytest

from thoth_substrate.access.caller import RIGHTS, Caller, Scope, require, rights, scope_of
from thoth_substrate.errors import BadInput, NotPermitted, TokenNeeded

READER = Caller("acme", frozenset({"read"}), name="dashboard")


def test_nobody_is_asked_for_a_token() -> None:
    with pytest.raises(TokenNeeded, match="Authorization: Bearer"):
        require(None, "read")


def test_a_right_is_had_or_not() -> None:
    assert require(READER, "read") is READER
    with pytest.raises(NotPermitted, match="does not allow to write"):
        require(READER, "write")
    with pytest.raises(NotPermitted):
        require(Caller("acme", frozenset({"write"})), "read")
    assert require(Caller("acme", frozenset({"admin"})), "write")


def test_an_empty_list_of_scopes_means_nothing_never_everything() -> None:
    """faults: an empty allow-list."""
    nobody = Caller("acme", rights([]))
    for right in sorted(RIGHTS):
        with pytest.raises(NotPermitted):
            require(nobody, right)


def test_an_administrator_of_one_tenant_does_not_see_the_numbers_of_all() -> None:
    with pytest.raises(NotPermitted, match="--scope metrics"):
        require(Caller("acme", frozenset({"admin"})), "metrics")
    monitoring = Caller("acme", rights(["metrics"]))
    assert require(monitoring, "metrics") is monitoring
    with pytest.raises(NotPermitted):
        require(monitoring, "read")


def test_there_are_four_scopes() -> None:
    with pytest.raises(BadInput, match="'delete'"):
        rights(["read", "delete"])


def test_headers_say_for_whom() -> None:
    headers = {"x-thoth-agent": "coder", "x-thoth-session": "s1", "x-thoth-user": "ada"}
    assert scope_of(headers, READER) == Scope("acme", "coder", "s1", "ada")
    assert scope_of({}, READER) == Scope("acme")


def test_a_token_is_good_for_its_own_tenant() -> None:
    assert scope_of({"x-thoth-tenant": "acme"}, READER).tenant == "acme"
    with pytest.raises(NotPermitted, match="another tenant"):
        scope_of({"x-thoth-tenant": "rival"}, READER)
    everybody = Caller("default", rights(["read"]), any_tenant=True)
    assert scope_of({"x-thoth-tenant": "rival"}, everybody).tenant == "rival"


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "a/b", "é", "é\u0000"])
def test_a_tenant_has_a_name(name: str) -> None:
    with pytest.raises(BadInput):
        scope_of({"x-thoth-tenant": name}, Caller("default", rights(["read"]), any_tenant=True))


def test_a_session_of_a_megabyte_is_refused() -> None:
    with pytest.raises(BadInput, match="x-thoth-session"):
        scope_of({"x-thoth-session": "s" * 1_000_000}, READER)
