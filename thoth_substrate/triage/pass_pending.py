"""Pending → passed or quarantined. Without the content defence no content is read, and one statement does it all."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from thoth_substrate.db.plans import POINT_LOOKUPS
from thoth_substrate.db.pool import Database, as_rows
from thoth_substrate.db.queries import query
from thoth_substrate.triage.defence import Verdict, judge_all

DEFENCE_CHARS = 1_000_000  # of text judged in one tick; a single longer slice is judged whole, alone


@dataclass(frozen=True, slots=True)
class TriageReport:
    """What one tick did, as counts of slices. `suspicious` are among the passed, with their trust lowered."""

    passed: int = 0
    quarantined: int = 0
    suspicious: int = 0

    def __add__(self, other: TriageReport) -> TriageReport:
        return TriageReport(
            self.passed + other.passed, self.quarantined + other.quarantined, self.suspicious + other.suspicious
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passed:
    passed: int


@dataclass(frozen=True, slots=True)
class PendingSlice:
    tenant_id: str
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class Content:
    """What the defence reads of a pending slice."""

    slice_id: UUID
    stream: str
    family: str
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    passed: int
    quarantined: int
    suspicious: int


_PASS = query(__package__, "pass_claimed", Passed)
_OLDEST = query(__package__, "pending_oldest", PendingSlice)
_CONTENT = query(__package__, "pending_content", Content)
_JUDGED = query(__package__, "pass_judged", Judged)


async def triage(db: Database, *, limit_rows: int, defence: bool) -> TriageReport:
    """Triage at most `limit_rows` of the oldest pending slices, with their places in the next queues.

    Safe to kill and to run on two hosts at once. With `defence`, content is read tenant by tenant and judged first.
    """
    if defence:
        return await _defended(db, limit_rows)
    async with db.worker() as tx:
        await tx.execute(POINT_LOOKUPS)
        done = await tx.fetch_one(_PASS, limit_rows)
    return TriageReport(passed=done.passed if done else 0)


async def _defended(db: Database, limit_rows: int) -> TriageReport:
    async with db.worker() as tx:
        waiting = await tx.fetch(_OLDEST, limit_rows)
    by_tenant: defaultdict[str, list[UUID]] = defaultdict(list)
    for row in waiting:
        by_tenant[row.tenant_id].append(row.slice_id)
    report = TriageReport()
    for tenant_id, slice_ids in sorted(by_tenant.items()):
        async with db.tenant(tenant_id) as tx:
            await tx.execute(POINT_LOOKUPS)
            contents = await tx.fetch(_CONTENT, tenant_id, slice_ids, max(DEFENCE_CHARS // len(by_tenant), 10_000))
        verdicts = await asyncio.to_thread(judge_all, [(c.text, c.stream, c.family) for c in contents])
        report += await _apply(db, tenant_id, [(c.slice_id, v) for c, v in zip(contents, verdicts, strict=True)])
    return report


async def _apply(db: Database, tenant_id: str, verdicts: Sequence[tuple[UUID, Verdict]]) -> TriageReport:
    if not verdicts:
        return TriageReport()
    rows = [(slice_id, "quarantined" if v.quarantine else "passed", v.reason, v.trust) for slice_id, v in verdicts]
    async with db.worker() as tx:
        await tx.execute(POINT_LOOKUPS)
        done = await tx.fetch_one(_JUDGED, tenant_id, *as_rows(rows))
    return TriageReport(done.passed, done.quarantined, done.suspicious) if done else TriageReport()
