"""The policy: the whole state each time, rules by role, hysteresis and dwell on whatever vitals come."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from thoth_substrate.errors import BadInput
from thoth_substrate.model.intensity import Intensity
from thoth_workers.policy import RULES, Burn, Member, Memory, Plan, Policy, Standing, Vitals, decide, raised

OFF, LOW, MEDIUM, FULL = Intensity
NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=30)
POLICY = Policy()
CALM = Vitals(NOW, model=True)
PARSER = Member("parser", "intake", baseline=MEDIUM, uses_model=True)
DREAMER = Member("dreamer", "enrichment", uses_model=True)
ASSOCIATOR = Member("associator", "enrichment")
CRITIC = Member("critic", "critic", baseline=MEDIUM)
CONDUCTOR = Member("conductor", "steering")
EMBEDDER = Member("embedder", "core", least=LOW)
SENTINEL = Member("sentinel", "core", least=FULL)
ALL = (PARSER, DREAMER, ASSOCIATOR, CRITIC, CONDUCTOR, EMBEDDER, SENTINEL)


def _levels(vitals: Vitals, members: Sequence[Member] = ALL, memory: Memory | None = None) -> dict[str, Intensity]:
    """The levels wanted by members who stand at nothing yet."""
    plan = decide(POLICY, members, {one.name: Standing(FULL) for one in members}, memory or Memory(), vitals)
    assert set(plan.levels) == {one.name for one in members}
    return {name: one.level for name, one in plan.levels.items()}


def _burn(share: float, forecast: float = 0.0, scope: str = "*") -> Burn:
    return Burn(scope, "tokens_hour", share, forecast, NOW + timedelta(minutes=30))


def test_with_nothing_amiss_everyone_is_at_the_baseline() -> None:
    assert _levels(CALM) == {one.name: one.baseline for one in ALL}


@pytest.mark.parametrize(
    "vitals",
    [
        replace(CALM, backlog=10_000),
        replace(CALM, backlog=20, backlog_age_s=7200),
        replace(CALM, backlog=300, backlog_age_s=600, arrived_per_hour=300.0, drained_per_hour=100.0),
        replace(CALM, backlog=300, backlog_age_s=600, arrived_per_hour=100.0, drained_per_hour=200.0),
    ],
    ids=["many", "old", "growing", "slow"],
)
def test_a_backlog_by_count_age_or_forecast_raises_intake_and_pauses_enrichment(vitals: Vitals) -> None:
    levels = _levels(vitals)
    assert (levels["parser"], levels["dreamer"], levels["associator"], levels["critic"]) == (FULL, OFF, OFF, MEDIUM)


def test_a_few_slices_that_wait_for_their_session_to_fall_quiet_are_no_backlog() -> None:
    waiting = replace(CALM, backlog=30, backlog_age_s=20, arrived_per_hour=500.0, drained_per_hour=0.0)
    assert _levels(waiting) == _levels(CALM)


def test_an_imported_conversation_is_no_backlog_before_it_was_seen_how_fast_it_goes() -> None:
    burst = replace(CALM, backlog=600, backlog_age_s=30, arrived_per_hour=9000.0, drained_per_hour=0.0)
    assert _levels(burst) == _levels(CALM)
    assert _levels(replace(burst, backlog_age_s=400)) != _levels(CALM)


def test_a_steady_stream_that_is_kept_up_with_is_no_backlog() -> None:
    assert _levels(replace(CALM, backlog=300, backlog_age_s=600, arrived_per_hour=9000.0, drained_per_hour=9000.0)) == _levels(
        CALM
    )


def test_a_backlog_that_nobody_may_take_from_pauses_nobody() -> None:
    assert _levels(replace(CALM, backlog=10_000, intake_open=False)) == _levels(CALM)


def test_without_a_model_the_growing_backlog_is_no_alarm() -> None:
    assert _levels(replace(CALM, model=False, backlog=10_000, backlog_age_s=1e6, coherence=0.1)) == _levels(CALM)


@pytest.mark.parametrize("burn", [_burn(0.8), _burn(0.3, 1.2)], ids=["spent", "forecast"])
def test_a_budget_that_runs_out_dims_those_who_enrich_and_pay(burn: Burn) -> None:
    levels = _levels(replace(CALM, burns=(burn,)))
    assert (levels["dreamer"], levels["associator"], levels["parser"]) == (LOW, FULL, MEDIUM)


def test_an_agents_own_budget_dims_that_agent() -> None:
    other = Member("reflector", "enrichment", uses_model=True)
    levels = _levels(replace(CALM, burns=(_burn(0.9, scope="dreamer"),)), (*ALL, other))
    assert (levels["dreamer"], levels["reflector"]) == (LOW, FULL)


def test_an_endpoint_that_is_down_leaves_everyone_who_asks_it_a_single_probe() -> None:
    levels = _levels(replace(CALM, endpoints_down=1, backlog=50))
    assert (levels["parser"], levels["dreamer"], levels["associator"]) == (LOW, LOW, FULL)


def test_when_recall_is_slow_work_makes_way_for_talk_but_never_what_talk_rests_on() -> None:
    slow = replace(CALM, model=False, recalls=50, recall_share=0.9)
    levels = _levels(slow)
    assert (levels["parser"], levels["dreamer"], levels["embedder"], levels["sentinel"]) == (MEDIUM, LOW, LOW, FULL)
    assert _levels(replace(slow, recalls=3)) == _levels(CALM)


def test_low_coherence_puts_what_corrects_first() -> None:
    levels = _levels(replace(CALM, coherence=0.4))
    assert (levels["critic"], levels["parser"], levels["dreamer"]) == (FULL, FULL, LOW)


@pytest.mark.parametrize(
    ("name", "vitals"),
    [
        ("backlog", [replace(CALM, backlog=n) for n in (1200, 500, 199)]),
        ("budget", [replace(CALM, burns=(_burn(share),)) for share in (0.85, 0.75, 0.6)]),
        ("recall", [replace(CALM, recalls=20, recall_share=share) for share in (0.85, 0.6, 0.4)]),
        ("coherence", [replace(CALM, coherence=score) for score in (0.5, 0.65, 0.75)]),
    ],
)
def test_an_alarm_holds_between_its_thresholds_as_it_is(name: str, vitals: Sequence[Vitals]) -> None:
    raising, between, clearing = vitals
    up = frozenset({name})
    assert [name in raised(POLICY, before, one) for before, one in (
        (frozenset[str](), raising), (up, between), (frozenset[str](), between), (up, clearing),
    )] == [True, True, False, False]  # fmt: skip


def test_a_level_that_the_operator_holds_is_left_and_said_to_be() -> None:
    standing = {one.name: Standing(one.baseline) for one in ALL} | {"dreamer": Standing(FULL, held=True)}
    plan = decide(POLICY, ALL, standing, Memory(), replace(CALM, backlog=10_000))
    dreamer = plan.levels["dreamer"]
    assert (dreamer.level, dreamer.wanted, dreamer.held) == (FULL, OFF, True)
    assert plan.levels["associator"].level is OFF


def test_a_level_that_somebody_else_left_behind_is_put_right_at_once() -> None:
    """Nothing keeps a level because nobody reset it."""
    memory = decide(POLICY, ALL, {}, Memory(), CALM).memory
    strayed = {one.name: Standing(OFF) for one in ALL}
    plan = decide(POLICY, ALL, strayed, memory, replace(CALM, at=NOW + timedelta(seconds=15)))
    assert {name: one.level for name, one in plan.levels.items()} == _levels(CALM)


def test_a_clock_that_went_back_holds_nobody_for_long() -> None:
    """faults: clock skew between hosts"""
    first = decide(POLICY, (DREAMER,), {"dreamer": Standing(FULL)}, Memory(), replace(CALM, backlog=10_000))
    back = replace(CALM, at=NOW - timedelta(days=1))
    assert decide(POLICY, (DREAMER,), {"dreamer": Standing(OFF)}, first.memory, back).levels["dreamer"].level is FULL


def test_the_thresholds_can_be_set_by_name_and_contradictions_are_refused() -> None:
    assert Policy().changed(["backlog_high_slices=50", "backlog_low_slices=5"]).backlog_high_slices == 50
    for wrong in ("backlog_high=50", "dwell_s", "dwell_s=soon", "dwell_s=-1", "burn_low_share=.9", "dwell_s=inf"):
        with pytest.raises(BadInput, match=wrong.partition("=")[0]):
            Policy().changed([wrong])


def test_every_rule_is_of_an_alarm_that_can_be_raised() -> None:
    everything = replace(
        CALM, backlog=10_000, endpoints_down=1, burns=(_burn(1.0),), coherence=0.1, recalls=100, recall_share=2.0
    )
    assert {alarm for rules in RULES.values() for alarm, _ in rules} == set(raised(POLICY, frozenset(), everything))


_vitals = some.builds(
    Vitals,
    at=some.just(NOW),
    model=some.booleans(),
    intake_open=some.booleans(),
    backlog=some.integers(0, 2000),
    backlog_age_s=some.floats(0, 10_000),
    arrived_per_hour=some.none() | some.floats(0, 5000),
    drained_per_hour=some.none() | some.floats(0, 5000),
    coherence=some.none() | some.floats(0, 1),
    burns=some.lists(
        some.builds(_burn, some.floats(0, 1.5), some.floats(0, 3), some.sampled_from(["*", "dreamer", "parser"])), max_size=3
    ).map(tuple),
    endpoints_down=some.integers(0, 1),
    recalls=some.integers(0, 50),
    recall_share=some.none() | some.floats(0, 2),
)


def _follow(plans: Sequence[tuple[int, Vitals]], policy: Policy) -> list[Plan]:
    """The plans of a run of vitals, each so many seconds after the one before, every level written as it was decided."""
    at, memory, standing, found = NOW, Memory(), {one.name: Standing(FULL) for one in ALL}, []
    for seconds, vitals in plans:
        at += timedelta(seconds=seconds)
        plan = decide(policy, ALL, standing, memory, replace(vitals, at=at))
        memory, standing = plan.memory, {name: Standing(one.level) for name, one in plan.levels.items()}
        found.append(plan)
    return found


def _changes(plans: Sequence[Plan], name: str) -> list[datetime]:
    levels = [plan.levels[name] for plan in plans]
    return [after.since for before, after in itertools.pairwise(levels) if before.level is not after.level and after.since]


_run = some.lists(some.tuples(some.integers(1, 400), _vitals), min_size=2, max_size=60)


@settings(max_examples=200, deadline=None)
@given(_run)
def test_whatever_the_vitals_nobody_changes_more_than_once_in_a_dwell(run: list[tuple[int, Vitals]]) -> None:
    plans = _follow(run, POLICY)
    for member in ALL:
        changed = _changes(plans, member.name)
        assert len(changed) == sum(
            a.levels[member.name].level is not b.levels[member.name].level for a, b in itertools.pairwise(plans)
        )
        assert all(after - before >= POLICY.dwell for before, after in itertools.pairwise(changed))


@settings(max_examples=100, deadline=None)
@given(_run)
def test_whatever_the_vitals_each_plan_is_whole_and_no_one_is_below_its_least(run: list[tuple[int, Vitals]]) -> None:
    for plan in _follow(run, POLICY):
        assert set(plan.levels) == {one.name for one in ALL}
        assert all(plan.levels[one.name].level >= one.least for one in ALL)
        assert plan.levels["sentinel"].level is FULL
        assert plan.levels["conductor"].level is FULL


@settings(max_examples=100, deadline=None)
@given(_run)
def test_after_any_past_calm_vitals_bring_everyone_back_to_the_baseline(run: list[tuple[int, Vitals]]) -> None:
    calm: list[tuple[int, Vitals]] = [(1, CALM), (int(POLICY.dwell_s) + 1, CALM)]
    last = _follow([*run, *calm], POLICY)[-1]
    assert {name: one.level for name, one in last.levels.items()} == _levels(CALM)


@settings(max_examples=100, deadline=None)
@given(some.lists(some.integers(201, 999), min_size=5, max_size=40), some.booleans())
def test_between_the_thresholds_nothing_ever_changes(backlogs: list[int], from_above: bool) -> None:
    start = replace(CALM, backlog=1500 if from_above else 0)
    plans = _follow([(1, start), *((400, replace(CALM, backlog=one)) for one in backlogs)], POLICY)
    standing: Mapping[str, Intensity] = {name: one.level for name, one in plans[0].levels.items()}
    assert all({name: one.level for name, one in plan.levels.items()} == standing for plan in plans)
