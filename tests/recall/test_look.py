"""Looking: what a question does when the model is busy with others."""

from __future__ import annotations

import asyncio

from tests.recall.conftest import Remembering
from tests.waiting import until_async
from thoth_substrate.boot import open_database
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.ports import Vector
from thoth_substrate.model.projection import LegState
from thoth_substrate.recall.at_hand import AtHand
from thoth_substrate.recall.deadline import Deadline, Legs
from thoth_substrate.recall.look import Look
from thoth_substrate.recall.turns import Turns
from thoth_substrate.settings import Settings
from thoth_substrate.substrate import Substrate


class Held(Remembering):
    """Embeds when it is let to."""

    def __init__(self) -> None:
        super().__init__()
        self.let, self.asked = asyncio.Event(), 0

    async def query(self, text: str) -> Vector:
        self.asked += 1
        await self.let.wait()
        return await super().query(text)


async def test_nobody_queues_for_a_busy_model_and_is_told_so(settings: Settings) -> None:
    """faults: sixteen at once, who all were late for the model and then for the search."""
    held, now = Held(), asyncio.get_running_loop().time()
    look = Look(settings, held, Turns(2), AtHand(0, lambda _: True))
    two = [Legs(Deadline(now + 60, now)) for _ in range(2)]
    asking = [asyncio.create_task(look.embed(legs, "Where is the dog?")) for legs in two]
    while held.asked < 2:
        await asyncio.sleep(0)
    third = Legs(Deadline(now + 60, now))
    assert await look.embed(third, "Where is the cat?") is None
    (leg,) = third.ended
    assert (leg.name, leg.state) == ("embedding", LegState.SKIPPED)
    assert "busy" in leg.why
    held.let.set()
    assert all(vector is not None for vector in await asyncio.gather(*asking))
    assert [legs.ended[0].state for legs in two] == [LegState.ANSWERED] * 2
    assert await look.embed(third, "Where is the cat?") is not None, "the place is free again"


async def test_a_question_whose_turn_came_late_is_not_embedded_and_is_told_so(settings: Settings) -> None:
    """faults: sixteen at once, of whom those that were embedded were all too late to be searched for."""
    held, now = Held(), asyncio.get_running_loop().time()
    held.let.set()
    look = Look(settings, held, Turns(2), AtHand(0, lambda _: True))
    patient, late = Legs(Deadline(now + 60, now - 600)), Legs(Deadline(now + 0.1, now - 0.15))
    assert await look.embed(patient, "Where is the dog?") is not None, "a tenth of its time, but a minute"
    assert await look.embed(late, "Where is the cat?") is None
    (leg,) = late.ended
    assert (leg.name, leg.state) == ("embedding", LegState.SKIPPED)
    assert "little time" in leg.why


async def test_while_others_wait_for_a_turn_one_question_is_embedded_at_a_time() -> None:
    turns = Turns(2)
    assert await turns.take()
    assert await turns.take()
    with turns.embedding() as first, turns.embedding() as second, turns.embedding() as third:
        assert (first, second, third) == (True, True, False)
    behind = asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    with turns.embedding() as first, turns.embedding() as second:
        assert (first, second) == (True, False)
    turns.give_back()
    assert await behind
    with turns.embedding() as first, turns.embedding() as second:
        assert (first, second) == (True, True)
    given_up = asyncio.create_task(turns.take())
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait({given_up})
    with turns.embedding() as first, turns.embedding() as second:
        assert (first, second) == (True, True), "who gave up waits no more"


async def test_what_needs_no_vector_is_looked_for_while_the_question_is_embedded(
    substrate: Substrate, settings: Settings, dsn: str, clock: PinnedClock
) -> None:
    held, impatient = Held(), settings.model_copy(update={"recall_embed_budget_ms": 2000})
    facade = Substrate(impatient, lambda now: open_database(impatient, dsn, now, pool="voice"), held, clock)

    async def reached() -> bool:
        return not facade.health()["dormant"]

    assert await until_async(reached)
    projection = await facade.recall("Which port is the staging database on?")
    names = [leg.name for leg in projection.legs]
    assert names.index("words") < names.index("embedding"), "the words were there before the model gave up"
    assert next(leg for leg in projection.legs if leg.name == "embedding").state is LegState.LATE
    assert "5433" in projection.block
    await facade.close()
