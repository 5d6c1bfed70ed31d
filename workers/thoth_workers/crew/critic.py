"""The Critic: notes what befell facts, scores the confidences that were stated of them, and measures coherence.

It asks no model. Nothing is measured again while the knowledge is the same, but once a day, since a source may have been edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from thoth_substrate.consolidate import cursors
from thoth_substrate.consolidate.calibrate import calibrate
from thoth_substrate.consolidate.coherence import Tally, latest, measured, note, prune, state, tallies
from thoth_substrate.consolidate.patterns import retire
from thoth_substrate.db.pool import Tx
from thoth_substrate.model.coherence import Coherence, Part, coherent
from thoth_substrate.model.knowledge import Maker
from thoth_workers.agent import Agent, CrewContext, Reply

NAME = "critic"
KEPT_EVERY = timedelta(hours=1)  # a measurement is kept, or sooner when a part has moved by so much
MOVED = 0.005


@dataclass(frozen=True, slots=True)
class Gathered:
    """The observations of each part, the state of the knowledge that they are of, and where the next look at quotes begins."""

    state: dict[str, Any]
    tallies: dict[str, Tally]
    quotes_after: int
    position: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Judgement:
    """The measurement."""

    score: float | None
    parts: dict[str, Part]


async def gather(ctx: CrewContext, tenant_id: str) -> Gathered | None:
    """Observations, unless the knowledge is as it was when it was last measured, all quotes included."""
    today = ctx.clock.now().date().isoformat()
    async with ctx.database.tenant(tenant_id) as tx:
        position = await cursors.position_of(tx, tenant_id, NAME)
        now = {**asdict(await state(tx, tenant_id)), "day": today}
        begun = int(position.get("quotes_after", 0))
        if position.get("state") == now and not begun:
            return None
        found, quotes_after = await tallies(tx, tenant_id, begun)
    if not any(tally.observations for tally in found.values()) and not position:
        return None
    return Gathered(now, found, quotes_after, position, ctx.clock.now())


def decide(gathered: Gathered, _: Sequence[Reply]) -> Judgement:
    """The parts as shares, and their weighted mean."""
    whole = measured(gathered.tallies)
    return Judgement(whole.score, dict(whole.parts))


async def apply(tx: Tx, tenant_id: str, gathered: Gathered, judgement: Judgement, maker: Maker) -> Mapping[str, Any]:
    """Keep the measurement, compute outcomes and calibration anew, retract what rests on too little, prune the log."""
    if await cursors.hold(tx, tenant_id, NAME) != gathered.position:
        return {"lost": 1}
    calibrated = await calibrate(tx, tenant_id)
    retired = await retire(tx, tenant_id)
    applied: dict[str, Any] = {**asdict(calibrated), "retired": retired}
    whole = coherent(judgement.parts)
    if whole.score is not None:
        applied["score"] = round(whole.score, 4)
        if worth_keeping(whole, await latest(tx, tenant_id), gathered.at):
            applied["observation"] = await note(tx, tenant_id, whole, maker)
    applied["pruned"] = await prune(tx, tenant_id)
    await cursors.move(tx, tenant_id, NAME, {"state": gathered.state, "quotes_after": gathered.quotes_after})
    return applied


def worth_keeping(new: Coherence, last: Coherence, now: datetime) -> bool:
    """Whether a measurement tells more than the last one that was kept: a part has moved, or an hour has passed. Pure."""
    if last.score is None or last.observed_at is None or now >= last.observed_at + KEPT_EVERY:
        return True
    names = new.parts.keys() | last.parts.keys()
    return any(abs(_value(new, name) - _value(last, name)) >= MOVED for name in names)


def _value(coherence: Coherence, name: str) -> float:
    part = coherence.parts.get(name)
    return part.value if part is not None and part.observations else -1.0


AGENT = Agent(
    name=NAME,
    role="critic",
    reads="all layers",
    writes="outcomes, calibration, coherence",
    version="critic-1",
    gathered=Gathered,
    proposals=Judgement,
    gather=gather,
    decide=decide,
    apply=apply,
    every=timedelta(minutes=5),
    limit=timedelta(minutes=10),
)
