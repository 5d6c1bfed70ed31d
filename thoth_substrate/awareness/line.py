"""What every agent of a tenant carries passively: the keywords of what is going on, in one line, and what to do about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import query
from thoth_substrate.model.tokens import count

CAP_TOKENS = 100
CANDIDATES = 300  # more than fit in any cap that is worth its price
HOW = "thoth awareness lookup"
_BEGINNING = "Going on: "
_MOST_CAP_TOKENS = 2000


@dataclass(frozen=True, slots=True)
class Fresh:
    keyword: str


_FRESH = query(__package__, "line_keywords", Fresh)


async def line(db: Database, tenant_id: str, *, cap_tokens: int = CAP_TOKENS, how: str = HOW) -> str:
    """The line, of at most `cap_tokens` (cl100k); empty when nothing is going on. `how` is what an agent calls to look up.

    The keywords of the last day come first; of the same day those that more sources share, then the newest.
    """
    return composed(await fresh(db, tenant_id), cap_tokens, how)


async def fresh(db: Database, tenant_id: str, *, limit_rows: int = CANDIDATES) -> list[str]:
    """Keywords of what is going on, in the order of the line."""
    async with db.tenant(tenant_id) as tx:
        return [row.keyword for row in await tx.fetch(_FRESH, tenant_id, limit_rows)]


def composed(keywords: Sequence[str], cap_tokens: int = CAP_TOKENS, how: str = HOW) -> str:
    """Keywords in one line, as many as fit in their order, and one sentence of instruction. Pure."""
    end = f". If your task touches any of these, look it up before proceeding: {how} WORDS"
    cap = min(cap_tokens, _MOST_CAP_TOKENS)
    held = ""
    for one in keywords:
        longer = f"{held}, {one}" if held else one
        if count(f"{_BEGINNING}{longer}{end}") <= cap:
            held = longer
    return f"{_BEGINNING}{held}{end}" if held else ""
