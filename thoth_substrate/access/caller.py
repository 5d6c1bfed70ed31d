"""Who asks, what they may do, and for whom: pure, no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args
from uuid import UUID

from thoth_substrate.errors import BadInput, NotPermitted, TokenNeeded

Right = Literal["read", "write", "admin", "metrics"]
RIGHTS: frozenset[Right] = frozenset(get_args(Right))
TENANT_SHAPE = re.compile(r"[\w.:@-]{1,64}", re.ASCII)
LONGEST_NAME = 200  # characters of an agent, session or user
_HEADERS = ("x-thoth-agent", "x-thoth-session", "x-thoth-user")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `token_id` is None where no tokens exist and everybody on this machine may ask.

    `any_tenant`: the caller may name a tenant; a token is good for its own only.
    """

    tenant_id: str
    scopes: frozenset[Right]
    token_id: UUID | None = None
    name: str = "this machine"
    any_tenant: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom a request speaks. What was not said is None."""

    tenant: str
    agent: str | None = None
    session: str | None = None
    user: str | None = None


def rights(names: object) -> frozenset[Right]:
    """Scopes from their names. Raises BadInput for one that there is not; none of them means that nothing is allowed."""
    given = frozenset(map(str, names)) if isinstance(names, (list, tuple, set, frozenset)) else frozenset({str(names)})
    unknown = sorted(given - RIGHTS)
    if unknown:
        raise BadInput(f"There is no scope {unknown[0]!r}: a token has read, write, admin or metrics, or several of them.")
    return cast("frozenset[Right]", given)


def require(caller: Caller | None, right: Right) -> Caller:
    """The caller, who may do that. `admin` includes `read` and `write`, `write` does not include `read`.

    Raises TokenNeeded when nobody is known, NotPermitted when the token's scopes do not include it.
    """
    if caller is None:
        raise TokenNeeded("This server asks for a token: send it as `Authorization: Bearer thoth_…` or `X-Thoth-Token`.")
    if not may(caller, right):
        raise NotPermitted(
            f"The token {caller.name!r} does not allow to {right}: make one with `thoth token create --scope {right}`."
        )
    return caller


def may(caller: Caller, right: Right) -> bool:
    """Whether the caller may do that. An administrator is one tenant's, so the numbers of all tenants are not theirs."""
    return right in caller.scopes or ("admin" in caller.scopes and right != "metrics")


def scope_of(headers: Mapping[str, str], caller: Caller) -> Scope:
    """The tenant, agent, session and user that a request speaks for, from `X-Thoth-*` headers.

    Raises NotPermitted for a tenant that is not the caller's, BadInput for a value that is no name.
    """
    named = headers.get("x-thoth-tenant")
    if named is not None and not TENANT_SHAPE.fullmatch(named):
        raise BadInput("X-Thoth-Tenant is not a tenant's name: letters, digits and . : @ _ - make one, 64 at most.")
    if named is not None and named != caller.tenant_id and not caller.any_tenant:
        raise NotPermitted("The token is good for another tenant than X-Thoth-Tenant names: leave the header out.")
    agent, session, user = (_named(headers.get(header), header) for header in _HEADERS)
    return Scope(named or caller.tenant_id, agent, session, user)


def _named(value: str | None, header: str) -> str | None:
    if value is not None and len(value) > LONGEST_NAME:
        raise BadInput(f"{header} is longer than {LONGEST_NAME} characters: give a shorter name.")
    return value or None
