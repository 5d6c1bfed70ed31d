"""What the facts about the crew mean: a sentence each, and what to type. Pure."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from thoth_substrate.views.agents import AgentLine
from thoth_substrate.views.budgets import Budget
from thoth_substrate.views.check import Check, info, ok, warn
from thoth_substrate.views.crew_health import CrewFacts
from thoth_substrate.views.unfinished import checked
from thoth_substrate.views.words import ago, many, span

CREW_ALIVE = ("parser", "conductor")  # one of them ticks all the time, wherever the crew runs
SILENT_AFTER = timedelta(minutes=5)
LATE = timedelta(days=1)  # the longest consolidation window that is common
INCOHERENT = 0.6
BURNT = 0.8
CREW = "thoth substrate worker run"
CONDUCTOR = "thoth substrate conductor"
SET_MODEL = "export OPENAI_BASE_URL=… THOTH_AUX_MODEL=…   (then start again: thoth up)"


def checks(facts: CrewFacts) -> list[Check]:
    """Every check in the order of what an operator would ask first; where facts are one tenant's, without what all share."""
    each: list[Callable[[CrewFacts], Check]] = [
        _model, _consolidation, _layers, _coherence, _levels, _endpoints, _cost, _budget, _dead_letters, _index, _purges,
    ]  # fmt: skip
    return [check(facts) for check in each if facts.whole or check not in (_endpoints, _budget)]


def _model(facts: CrewFacts) -> Check:
    if facts.model is not None:
        return ok("model", f"The crew asks {facts.model}.")
    waiting = facts.waiting
    growth = f"growth: {many(waiting.slices, 'slice')} kept whole, {waiting.last_day:,} of them since yesterday"
    return info(
        "model", f"No model configured: nothing is consolidated, nothing is released, and it costs nothing; {growth}.", SET_MODEL
    )


def _consolidation(facts: CrewFacts) -> Check:
    waiting = facts.waiting
    if not waiting.slices or waiting.oldest is None:
        return ok("consolidation", "Nothing waits to be consolidated.")
    waited = facts.now - waiting.oldest
    says = f"{many(waiting.slices, 'slice')} to be consolidated, the oldest waits for {span(waited)}"
    says += f"; {waiting.tried:,} tried in vain before." if waiting.tried else "."
    if facts.model is None:
        return info("consolidation", says, "thoth substrate profiles set default-text --release-unconsolidated-after 365d"
                    "   (if they may go one day unconsolidated)")  # fmt: skip
    alive = [agent.heartbeat_at for agent in facts.agents if agent.agent in CREW_ALIVE and agent.heartbeat_at is not None]
    if not alive or facts.now - max(alive) > SILENT_AFTER:
        seen = ago(max(alive), facts.now) if alive else "never"
        return warn("consolidation", f"{says} The crew does not run: it was last alive {seen}.", CREW)
    return warn("consolidation", says, CONDUCTOR) if waited > LATE else ok("consolidation", says)


def _layers(facts: CrewFacts) -> Check:
    counts = facts.counts
    return ok(
        "layers",
        f"L1 {many(counts.entities, 'entity', 'entities')} and {many(counts.facts, 'fact')},"
        f" L2 {many(counts.associations, 'association')}, L3 {many(counts.patterns + counts.insights, 'pattern')},"
        f" L4 {many(counts.self_statements + counts.dreams + counts.measurements, 'observation')}.",
    )


def _coherence(facts: CrewFacts) -> Check:
    measured = facts.coherence
    if measured.score is None:
        return ok("coherence", "Not measured yet: there is nothing to measure, or the Critic has not run.")
    parts = ", ".join(
        f"{name} {part.value:.2f} of {part.observations:,}" for name, part in measured.parts.items() if part.observations
    )
    says = f"{measured.score:.2f}, measured {ago(measured.observed_at, facts.now)} ({parts or 'no parts'})."
    if measured.score < INCOHERENT:
        return warn("coherence", f"{says} The weakest is {measured.weakest}.", "thoth substrate critic recent")
    return ok("coherence", says)


def _levels(facts: CrewFacts) -> Check:
    if not facts.agents:
        return ok("levels", "No worker has run here yet.")
    by_level: dict[str, list[str]] = {}
    for agent in facts.agents:
        by_level.setdefault(agent.level, []).append(agent.agent + ("*" if agent.overridden_until else ""))
    says = "; ".join(f"{level} {', '.join(by_level[level])}" for level in ("OFF", "LOW", "MEDIUM", "FULL") if level in by_level)
    held = [agent for agent in facts.agents if agent.overridden_until]
    if held:
        return info("levels", f"{says}. * held by the operator.", f"thoth substrate conductor clear {held[0].agent}")
    return info("levels", f"{says}.", CONDUCTOR) if _paused(facts.agents) else ok("levels", f"{says}.")


def _paused(agents: list[AgentLine]) -> bool:
    return any(agent.level == "OFF" for agent in agents)


def _endpoints(facts: CrewFacts) -> Check:
    down = [one for one in facts.endpoints if one.state != "closed"]
    if not down:
        return ok("endpoints", f"{many(len(facts.endpoints), 'endpoint')} known, none failing.")
    says = "; ".join(
        f"{one.endpoint} failed {many(one.failures, 'time')} in a row ({one.last_failure or 'no reason given'}) and is"
        f" asked again {ago(one.retry_at, facts.now) if one.retry_at > facts.now else 'now'}"
        for one in down
    )
    return warn("endpoints", f"{says}. Nothing is spent and nothing is lost meanwhile.", "thoth substrate cost --since 2h")


def _cost(facts: CrewFacts) -> Check:
    if not facts.costs:
        return ok("cost", "No model was asked in the last day.")
    hour = (sum(one.hour_tokens for one in facts.costs), sum(one.hour_usd for one in facts.costs))
    day = (sum(one.day_tokens for one in facts.costs), sum(one.day_usd for one in facts.costs))
    dearest = sorted(facts.costs, key=lambda one: (-one.day_usd, -one.day_tokens))[:5]
    each = ", ".join(f"{one.agent} {one.day_tokens:,} tokens {_money(one.day_usd)}" for one in dearest)
    return ok(
        "cost",
        f"{hour[0]:,} tokens ({_money(hour[1])}) in the last hour, {day[0]:,} ({_money(day[1])}) in the last day: {each};"
        f" {sum(one.day_failed for one in facts.costs):,} of {many(sum(one.day_calls for one in facts.costs), 'call')} failed.",
    )


def _budget(facts: CrewFacts) -> Check:
    if not facts.budgets:
        if facts.model is None:
            return ok("budget", "None is set, and nothing is spent.")
        return info("budget", "None is set: nothing bounds what the crew may spend.", "export THOTH_BUDGET_TOKENS_HOUR=200000")
    says = "; ".join(_left(one, facts) for one in facts.budgets)
    tight = any(one.used >= BURNT * one.limit for one in facts.budgets)
    return warn("budget", says + ".", "thoth substrate cost") if tight else ok("budget", says + ".")


def _left(one: Budget, facts: CrewFacts) -> str:
    whose = "all agents" if one.scope == "*" else one.scope
    amount = (
        f"{one.left:,.0f} of {one.limit:,.0f} tokens an hour" if one.unit == "tokens_hour"
        else f"{_money(one.left)} of {_money(one.limit)} a day"
    )  # fmt: skip
    return f"{amount} left for {whose}, renewed {ago(one.renews_at, facts.now)}"


def _dead_letters(facts: CrewFacts) -> Check:
    given_up = facts.waiting.dead_letters
    if not given_up:
        return ok("dead letters", "None.")
    says = ", ".join(f"{many(slices, 'slice')} by {agent}" for agent, slices in sorted(given_up.items()))
    return warn(
        "dead letters", f"Given up after the last attempt: {says}.", f"thoth substrate {next(iter(sorted(given_up)))} retry"
    )


def _index(facts: CrewFacts) -> Check:
    found = facts.indexing
    read = f", last {ago(found.ran_at, facts.now)}" if found.ran_at else ""
    passed = f" {many(found.passed_over, 'message')} passed over after the last attempt." if found.passed_over else ""
    if not found.failing:
        says = (
            f"What is going on was read of {many(found.tenants, 'tenant')}{read}.{passed}"
            if found.tenants
            else "Nothing read yet."
        )
        return ok("index", says)
    again = f"; it is tried again {ago(found.again_at, facts.now)}" if found.again_at and found.again_at > facts.now else ""
    says = (
        f"The Indexer fails for {many(found.failing, 'tenant')}, {many(found.failures, 'time')} in a row"
        f" ({found.failure or 'no reason given'}); its cursor stays{again}.{passed}"
    )
    return warn("index", says, "thoth substrate indexer")


def _purges(facts: CrewFacts) -> Check:
    return checked(facts.purges, facts.now)


def _money(usd: float) -> str:
    return f"{usd:.2f} USD" if usd >= 0.01 or usd == 0 else f"{usd:.4f} USD"
