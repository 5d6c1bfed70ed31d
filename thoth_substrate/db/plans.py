"""How a transaction's statements are to be planned, where the planner alone gets it wrong (ADR 0005)."""

from __future__ import annotations

from thoth_substrate.db.queries import Query, query

POINT_LOOKUPS: Query[None] = query(__package__, "point_lookups")
