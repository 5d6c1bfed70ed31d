"""What a worker's ticks did, gathered until it is time to tell the diary: a burst of ticks is one decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.perceive.diary import record
from thoth_workers.worker import Report, Worker

TOLD_EVERY = timedelta(seconds=5)


@dataclass(slots=True)
class _Untold:
    """Ticks of one tenant's share not yet told: how many, how much they did, and what."""

    ticks: int = 0
    did: int = 0
    detail: dict[str, Any] = field(default_factory=dict)


class Decisions:
    """One worker's decisions. `tenant_id` is whose diary takes what concerns no tenant alone."""

    def __init__(self, database: Database, worker: Worker, tenant_id: str) -> None:
        self._database, self._worker, self._tenant_id = database, worker, tenant_id
        self._untold: dict[str, _Untold] = {}
        self._told_at = float("-inf")

    def gather(self, report: Report) -> None:
        """Remember a tick that did something."""
        shares: Mapping[str, Mapping[str, Any]] = report.by_tenant or {self._tenant_id: report.detail}
        for tenant_id, detail in shares.items():
            untold = self._untold.setdefault(tenant_id, _Untold())
            untold.ticks += 1
            untold.did += report.did if not report.by_tenant else int(detail.get("did", 0))
            untold.detail = added(untold.detail, detail)

    async def tell(self, *, now: bool = False) -> None:
        """Write what is untold into the diaries, at most every TOLD_EVERY unless `now`. What fails stays untold."""
        moment = self._database.clock.monotonic_s()
        if not self._untold or not (now or moment >= self._told_at + TOLD_EVERY.total_seconds()):
            return
        for tenant_id, untold in list(self._untold.items()):
            decision = {"ticks": untold.ticks, "did": untold.did, "detail": untold.detail}
            await record(self._database, tenant_id, self._worker.name, decision)
            del self._untold[tenant_id]
        self._told_at = moment


def added(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two details as one: counts are summed, mappings merged likewise, of anything else the later one stands. Pure."""
    both = dict(before)
    for key, value in after.items():
        known = both.get(key)
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            both[key] = added(known, value)
        elif _is_number(known) and _is_number(value):
            both[key] = known + value
        else:
            both[key] = value
    return both


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
