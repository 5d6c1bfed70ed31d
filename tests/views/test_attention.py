"""Salience in bins, what will fade, and what moved."""

from __future__ import annotations

from datetime import timedelta

import psycopg

from tests.views.seed import TOOLS, a_slice
from thoth_substrate.db.pool import Database
from thoth_substrate.views import curator, profiles


async def test_the_histogram_counts_tenths_by_profile(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    a_slice(seeded, now)
    a_slice(seeded, now - timedelta(days=14))
    a_slice(seeded, now - timedelta(days=61))
    a_slice(seeded, now - timedelta(days=50), pinned=True)
    a_slice(seeded, now, stream=TOOLS)
    text, tools = (await curator.histogram(db, "default"))[::-1]
    assert (text.profile, text.slices, text.bins) == ("default-text", 4, [1, 0, 0, 0, 0, 1, 0, 0, 0, 2])
    assert (tools.profile, tools.bins[9]) == ("default-structured", 1)


async def test_a_memory_of_ages_ago_has_no_salience_and_raises_no_underflow(db: Database, seeded: psycopg.Connection) -> None:
    one = a_slice(seeded, db.clock.now())
    seeded.execute(
        "update thoth.substrate_salience set anchored_at = '1970-01-01', half_life = '1 second' where slice_id = %s", [one]
    )
    assert (await curator.histogram(db, "default"))[0].bins[0] == 1


async def test_pressure_tells_what_goes_from_what_would_but_stays(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    a_slice(seeded, now - timedelta(days=61), releasable=True)
    a_slice(seeded, now - timedelta(days=60), releasable=True)
    a_slice(seeded, now - timedelta(days=55), releasable=True)
    a_slice(seeded, now - timedelta(days=40), releasable=True)
    a_slice(seeded, now - timedelta(days=61))
    a_slice(seeded, now - timedelta(days=61), releasable=True, pinned=True)
    (found,) = await curator.pressure(db, "default")
    assert (found.slices, found.pinned, found.due) == (6, 1, 1)
    assert (found.within_1_day, found.within_7_days, found.within_30_days) == (1, 2, 3)
    assert (found.kept, found.kept_within_30_days) == (1, 0)


async def test_moves_are_the_newest_and_bounded(db: Database, seeded: psycopg.Connection) -> None:
    now = db.clock.now()
    one = a_slice(seeded, now)
    for days, cause in ((1, "surfaced"), (2, "pinned"), (40, "used")):
        seeded.execute(
            "insert into thoth.substrate_salience_events values ('default', %s, %s, %s, .7, '14 days')",
            [one, now - timedelta(days=days), cause],
        )
    found = await curator.moves(db, "default", since=now - timedelta(days=30))
    assert [(move.cause, round(move.level, 3)) for move in found] == [("surfaced", 0.7), ("pinned", 0.7)]


async def test_profiles_are_listed_with_their_streams_and_what_they_mean(db: Database, seeded: psycopg.Connection) -> None:
    found = {line.profile: line for line in await profiles.profiles(db, "default")}
    text = found["default-text"]
    assert text.streams == ["thoth.world.user_message.cli"]
    assert text.half_life == timedelta(days=14)
    assert timedelta(days=60) < profiles.would_fade_at(text, db.clock.now()) - db.clock.now() < timedelta(days=61)
