"""What the facts of health mean: a sentence each, and what to type. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from thoth_substrate.views import unread
from thoth_substrate.views.agents import AgentLine
from thoth_substrate.views.check import Check, bad, info, ok, warn
from thoth_substrate.views.health import Facts
from thoth_substrate.views.words import ago, many, size, span

SENTINEL = "sentinel"
SILENT_AFTER = timedelta(seconds=30)
SLOW_TRIAGE = timedelta(seconds=10)
STUCK = timedelta(minutes=5)
SLOW_VECTORS = timedelta(hours=1)
MONTHS_WANTED = 3
FULL_SHARE, FILLING_SHARE = 0.9, 0.5
FAULTS = ("timeout", "error")
FEW_RECALLS = 10  # of which nothing is concluded
START = "thoth up"


@dataclass(frozen=True, slots=True)
class Around:
    """What the database cannot know: this process's settings, its disk, the embedder at hand.

    `embedder` is the name of the model that the settings ask for, None when there is none; `embedder_why` says why that
    one; `mismatch` what is wrong when the stored vectors are another's, empty when they are not.
    """

    recall_on: bool
    recall_deadline_ms: int
    journal_bytes: int
    journal_max_bytes: int
    journal_files: int
    embedder: str | None
    embedder_why: str
    mismatch: str = ""
    server: str = "PostgreSQL"


def checks(facts: Facts, around: Around) -> list[Check]:
    """Every check in the order of what an operator would ask first; where facts are one tenant's, without the machine's."""
    each: list[Callable[[Facts, Around], Check]] = [
        _database, _months, _sentinel, _pending, _unindexed, _unembedded, _model, _failures, _journal, _quarantine,
        _recall_switch, _recall_speed, _recall_empties, _sizes,
    ]  # fmt: skip
    found = [check(facts, around) for check in each if facts.whole or check not in (_failures, _journal, _sizes)]
    return found + unread.checked(facts.unread, facts.now)


def _database(facts: Facts, around: Around) -> Check:
    held = f"; {many(facts.backlog.tenants, 'tenant')} in it" if facts.whole else ""
    return ok("database", f"{around.server} answers{held}.")


def _months(facts: Facts, around: Around) -> Check:
    missing = [month.table for month in facts.months if not month.current]
    ahead = min((month.ahead for month in facts.months), default=0)
    if missing:
        return bad("months", f"This month's partition is missing ({', '.join(missing)}): what is perceived waits.", START)
    if ahead < MONTHS_WANTED:
        return warn("months", f"Only {many(ahead, 'month')} of partitions lie ahead instead of {MONTHS_WANTED}.", START)
    return ok("months", f"Partitions exist for this month and {many(ahead, 'more', 'more')}.")


def _sentinel(facts: Facts, around: Around) -> Check:
    waiting = facts.backlog.pending
    sentinel = next((agent for agent in facts.agents if agent.agent == SENTINEL), None)
    if sentinel is None or sentinel.heartbeat_at is None:
        says = "No Sentinel has ever run here: what is perceived is kept, but cannot be recalled until one does."
        return bad("sentinel", says, START) if waiting else warn("sentinel", says, START)
    if sentinel.level == "OFF":
        return warn("sentinel", "The Sentinel is switched off (its level is OFF): nothing new can be recalled.", START)
    silent = facts.now - sentinel.heartbeat_at
    if silent > SILENT_AFTER:
        says = f"The Sentinel was last alive {span(silent)} ago: what has been perceived since cannot be recalled yet."
        return bad("sentinel", says, START) if waiting else warn("sentinel", says, START)
    return ok("sentinel", f"Alive {ago(sentinel.heartbeat_at, facts.now)}, held by {sentinel.holder or 'nobody just now'}.")


def _pending(facts: Facts, around: Around) -> Check:
    count, oldest = facts.backlog.pending, facts.backlog.oldest_pending
    if not count or oldest is None:
        return ok("pending", "Nothing waits for triage.")
    waited = facts.now - oldest
    says = f"{many(count, 'slice')} wait{'s' if count == 1 else ''} for triage, the oldest for {span(waited)}."
    if waited > STUCK:
        return bad("pending", says, "thoth substrate agents")
    return warn("pending", says, "thoth substrate pending") if waited > SLOW_TRIAGE else ok("pending", says)


def _unindexed(facts: Facts, around: Around) -> Check:
    count, oldest = facts.backlog.unindexed, facts.backlog.oldest_unindexed
    if not count or oldest is None:
        return ok("keyword index", "Everything that passed triage can be found by its words.")
    waited = facts.now - oldest
    says = f"{many(count, 'slice')} passed triage and cannot be found by words yet, the oldest for {span(waited)}."
    return warn("keyword index", says, "thoth substrate agents") if waited > STUCK else ok("keyword index", says)


def _unembedded(facts: Facts, around: Around) -> Check:
    backlog = facts.backlog
    if backlog.given_up:
        says = (
            f"{many(backlog.given_up, 'passage')} could not be embedded after repeated attempts and can be found by words only."
        )
        return warn("vectors", says, "thoth substrate embed status   (why), then: thoth substrate embed retry")
    if not backlog.unembedded or backlog.oldest_unembedded is None:
        return ok("vectors", "Every passage has its vector." if around.embedder else "No passage waits for a vector.")
    waited = facts.now - backlog.oldest_unembedded
    says = f"{many(backlog.unembedded, 'passage')} wait for a vector, the oldest for {span(waited)}; words find them meanwhile."
    if around.embedder is None:
        return info("vectors", says)
    if backlog.failing:
        return warn("vectors", f"{says} {many(backlog.failing, 'of them has', 'of them have')} failed before.",
                    "thoth substrate embed status")  # fmt: skip
    return warn("vectors", says, "thoth substrate embed status") if waited > SLOW_VECTORS else ok("vectors", says)


def _model(facts: Facts, around: Around) -> Check:
    active = facts.active_model
    if around.embedder is None:
        return info("embedder", f"No embedding model here, so recall goes by words alone: {around.embedder_why}",
                    "thoth substrate doctor")  # fmt: skip
    if active is None:
        return ok("embedder", f"{around.embedder} will make the first vectors. {around.embedder_why}")
    if around.mismatch:
        return warn("embedder", around.mismatch, "thoth substrate embed reembed")
    return ok("embedder", f"{active.model}, {active.dimensions} dimensions.")


def _failures(facts: Facts, around: Around) -> Check:
    failed = [agent for agent in facts.agents if _still_failing(agent)]
    if not failed:
        return ok("workers", f"{many(len(facts.agents), 'worker')} known, none failing.")
    said = "; ".join(f"{agent.agent} {ago(agent.last_failure_at, facts.now)}: {agent.last_failure}" for agent in failed)
    return warn("workers", f"The last tick of {many(len(failed), 'worker')} failed. {said}", "thoth substrate agents")


def _still_failing(agent: AgentLine) -> bool:
    """Whether nothing has gone well since the failure: a heartbeat follows every tick, the alive span begins after one."""
    if agent.last_failure_at is None:
        return False
    return agent.heartbeat_at is None or agent.last_failure_at >= agent.heartbeat_at - timedelta(seconds=1)


def _journal(facts: Facts, around: Around) -> Check:
    share = around.journal_bytes / around.journal_max_bytes
    held = f"{size(around.journal_bytes)} in {many(around.journal_files, 'journal')}"
    if share >= FULL_SHARE:
        return bad("journal", f"{held}: the bound of {size(around.journal_max_bytes)} is near, and beyond it the newest"
                   " perceptions are refused.", "thoth substrate doctor")  # fmt: skip
    if share >= FILLING_SHARE:
        return warn("journal", f"{held}, more than half of what it may hold: the database takes less than is perceived.",
                    "thoth substrate doctor")  # fmt: skip
    return ok("journal", f"{held}; it empties as the database takes it.")


def _quarantine(facts: Facts, around: Around) -> Check:
    if not facts.quarantined:
        return ok("quarantine", "Empty.")
    return info(
        "quarantine", f"{many(facts.quarantined, 'slice')} held back until you decide.", "thoth substrate quarantine list"
    )


def _recall_switch(facts: Facts, around: Around) -> Check:
    if around.recall_on:
        return ok("recall", "On: memories are injected into turns.")
    return info("recall", "Off (the default): turns get no memories; `thoth recall` works all the same.",
                "export THOTH_SUBSTRATE_RECALL=1   (then restart the host)")  # fmt: skip


def _recall_speed(facts: Facts, around: Around) -> Check:
    hour = facts.recall
    if not hour.recalls or hour.p50_ms is None or hour.p95_ms is None:
        return ok("recall speed", f"No recall of tenant {facts.tenant} in the last hour.")
    says = f"{many(hour.recalls, 'recall')} in the last hour: median {hour.p50_ms:.0f} ms, 95 % within {hour.p95_ms:.0f} ms."
    if hour.p95_ms >= around.recall_deadline_ms and hour.recalls >= FEW_RECALLS:
        return warn("recall speed", f"{says} That is the deadline of {around.recall_deadline_ms} ms: answers are cut short.",
                    "thoth substrate recall recent")  # fmt: skip
    return ok("recall speed", says)


def _recall_empties(facts: Facts, around: Around) -> Check:
    asked = facts.recall.recalls
    if not asked:
        return ok("recall answers", "Nothing was asked in the last hour.")
    said = ", ".join(f"{empty.reason} {empty.recalls / asked:.0%}" for empty in facts.empties if empty.reason != "disabled")
    faults = sum(empty.recalls for empty in facts.empties if empty.reason in FAULTS)
    says = f"{facts.recall.shown / asked:.0%} showed something" + (f"; empty: {said}." if said else ".")
    if asked < FEW_RECALLS:
        return ok("recall answers", says)
    if faults / asked > 0.5:
        return bad("recall answers", f"{says} Most recalls fail.", "thoth substrate recall explain last")
    if faults / asked > 0.05:
        return warn("recall answers", says, "thoth substrate recall recent")
    return ok("recall answers", says)


def _sizes(facts: Facts, around: Around) -> Check:
    total = sum(table.bytes for table in facts.sizes)
    largest = ", ".join(f"{table.table.removeprefix('substrate_')} {size(table.bytes)}" for table in facts.sizes[:3])
    return ok("size", f"{size(total)} in all ({largest}).")
