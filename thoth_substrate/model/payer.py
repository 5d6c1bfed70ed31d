"""Whose account a call to a model is put on, where the call itself cannot say: an embedder knows texts, not tenants."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

_PAYER: ContextVar[str | None] = ContextVar("thoth_payer", default=None)


@contextlib.contextmanager
def paid_by(tenant_id: str) -> Iterator[None]:
    """What is embedded in here, and in tasks begun in here, is this tenant's to pay."""
    before = _PAYER.set(tenant_id)
    try:
        yield
    finally:
        _PAYER.reset(before)


def payer() -> str | None:
    """The tenant who pays for what runs now, None where nobody was named."""
    return _PAYER.get()
