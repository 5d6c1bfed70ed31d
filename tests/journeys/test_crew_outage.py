"""An endpoint is ill for an hour and recovers: nothing counts as consolidated, nothing is lost, little is spent, all is said."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta

import psycopg
import pytest

from tests.journeys.crew import Host, by_hour, facts, health, hosts, tell, wrongs
from tests.llm.scripted import Cut, Hang, Message, Raw, Reply, ScriptedModel, Status, crew
from tests.workers.crew_support import crew_settings, number, states
from thoth_substrate.model.clock import PinnedClock

CAP = 60_000  # tokens an hour
STEP = timedelta(minutes=3)
OUTAGE, RECOVERY = 20, 30  # steps: an hour, and as long as it takes at most
GARBAGE: Sequence[Reply] = (
    "Certainly! Here is what I found:", Raw(b"<html><body>502 Bad Gateway</body></html>", "text/html"), "",
    '{"passages": "none', Message({"content": None, "reasoning_content": "Let me think."}), Raw(b'{"choices": []}'),
)  # fmt: skip
ERRORS: Sequence[Reply] = (Status(500), Status(429, retry_after=40), Hang(), Status(503), Cut())


@pytest.mark.parametrize("ills", [GARBAGE, ERRORS], ids=["garbage", "errors"])
async def test_an_hour_of_an_ill_endpoint_costs_little_and_loses_nothing(
    dsn: str, sql: psycopg.Connection, clock: PinnedClock, ills: Sequence[Reply]
) -> None:
    """faults: 429 and 500 for an hour; a hang; an endpoint down for hours while writes go on."""
    numbers, ill = itertools.count(), itertools.cycle(ills)
    with ScriptedModel() as model:
        settings = crew_settings(model, THOTH_BUDGET_TOKENS_HOUR=CAP, THOTH_AUX_TIMEOUT_MS=4000)
        async with hosts(dsn, clock, settings, count=2) as (one, two):
            story = _Story(one, sql, clock)

            # All is well: what was told is consolidated.
            await tell(one.db, sql, facts(numbers, 10))
            while await one.tick("parser"):
                pass
            assert story.consolidated() == 10
            assert (await health(one.db, settings))["endpoints"][0] == "ok"

            # An hour of it, while more is told: not a slice is taken for consolidated, each is still waiting.
            model.always(lambda _: next(ill))
            asked_before = len(model.chats)
            for step in range(OUTAGE):
                if step % 4 == 0:
                    await tell(one.db, sql, facts(numbers, 5))
                await (one, two)[step % 2].tick()
                assert story.consolidated() == 10
                assert story.waiting() == len(states(sql)) - 10
                assert wrongs(sql, clock.now()) == []
                clock.advance(STEP)
            said = await health(one.db, settings)
            assert said["endpoints"][0] == "warn"
            assert "Nothing is spent and nothing is lost meanwhile" in said["endpoints"][1]
            assert "25 slices" in said["consolidation"][1]
            assert number(sql, "select opened from thoth.substrate_endpoints") >= 1
            asked = len(model.chats) - asked_before
            assert asked <= 30, f"{asked} calls: a retry storm"
            assert max(by_hour(sql).values()) <= CAP

            # It recovers: the breaker closes by a probe, and all is done, without anybody's help.
            model.always(crew)
            for _ in range(RECOVERY):
                await one.tick()
                if not story.waiting():
                    break
                clock.advance(STEP)
            assert set(states(sql).values()) == {"consolidated"}
            assert number(sql, "select count(*) from thoth.substrate_relationships where predicate = 'works_at'") == 35
            assert number(sql, "select count(*) from thoth.substrate_dead_letters") == 0
            assert wrongs(sql, clock.now()) == []
            said = await health(one.db, settings)
            assert (said["endpoints"][0], said["consolidation"][0], said["dead letters"][0]) == ("ok", "ok", "ok")
            assert max(by_hour(sql).values()) <= CAP
            assert len(model.chats) == number(sql, "select count(*) from thoth.substrate_agent_cost")


class _Story:
    """What is asked of the database between the scenes."""

    def __init__(self, host: Host, sql: psycopg.Connection, clock: PinnedClock) -> None:
        self._host, self._sql, self._clock = host, sql, clock

    def consolidated(self) -> int:
        return list(states(self._sql).values()).count("consolidated")

    def waiting(self) -> int:
        return number(self._sql, "select count(*) from thoth.substrate_unconsolidated")
