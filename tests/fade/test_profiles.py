"""Editing profiles."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest

from tests.fade.support import TENANT, anchored, consolidated
from tests.support import Said, perceived
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, UnknownProfile
from thoth_substrate.fade.forget import forget
from thoth_substrate.fade.pin import pin, unpin
from thoth_substrate.fade.profiles import set_profile
from thoth_substrate.fade.release import release
from thoth_substrate.model.clock import PinnedClock


async def test_a_new_half_life_is_stored_and_its_effect_is_said(db: Database) -> None:
    done = await set_profile(db, "default-text", {"half-life": "30d", "reinforce": "0.25"})
    assert (done.before.half_life, done.after.half_life) == (timedelta(days=14), timedelta(days=30))
    assert done.effect == (
        "Text perceived now would fade on 2026-09-22 03:47 UTC (before: 2026-07-15 00:10 UTC); what is already there keeps its"
        " half-life. Being used adds 0.25 to its salience, from now on. It is released then only if its meaning was promoted or"
        " it was forgotten."
    )
    assert (await set_profile(db, "default-text", {})).before == done.after


async def test_opting_in_reaches_back_to_what_is_already_there(db: Database, sql: psycopg.Connection, clock: PinnedClock) -> None:
    old, pinned, promoted, forgotten = perceived(sql, clock.now(), [Said("a"), Said("b"), Said("c"), Said("d")])
    await pin(db, TENANT, pinned)
    consolidated(sql, [promoted])
    await forget(db, TENANT, forgotten)
    done = await set_profile(db, "default-text", {"release-unconsolidated-after": "90d"})
    assert done.opted_in == 1
    assert (
        "but never within 90 days of being perceived. That holds as well for what is already there, as yet unpromoted: 1."
        in done.effect
    )
    found = anchored(sql, old)
    assert found is not None
    assert (found.releasable, found.fades_at) == (True, found.anchored_at + timedelta(days=90))
    await unpin(db, TENANT, pinned)
    clock.advance(timedelta(days=61))
    assert (await release(db, limit_rows=10)).released == 2
    clock.advance(timedelta(days=30))
    assert (await release(db, limit_rows=10)).released == 2


async def test_a_shorter_patience_holds_at_once_and_never_takes_it_back(
    db: Database, sql: psycopg.Connection, clock: PinnedClock
) -> None:
    [slice_id] = perceived(sql, clock.now(), [Said("a")])
    await set_profile(db, "default-text", {"release-unconsolidated-after": "900d"})
    assert (await set_profile(db, "default-text", {"release-unconsolidated-after": "90d"})).opted_in == 1
    await set_profile(db, "default-text", {"release-unconsolidated-after": "never"})
    clock.advance(timedelta(days=1000))
    assert (await release(db, limit_rows=10)).released == 0
    found = anchored(sql, slice_id)
    assert found is not None
    assert not found.releasable


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"half-live": "14d"}, "no field 'half-live'; it has consolidation-window, expire-after, floor, half-life"),
        ({"half-life": "soon"}, "half-life cannot be 'soon': write a number and a unit"),
        ({"half-life": "0d"}, "between 1s and 36500d"),
        ({"half-life": "1e9d"}, "write a number and a unit"),
        ({"half-life": "99999999999999999999d"}, "between 1s and 36500d"),
        ({"floor": "nan"}, "a number from 0.001 to 0.99"),
        ({"floor": "0"}, "a number from 0.001 to 0.99"),
        ({"reinforce": "-1"}, "a number from 0 to 1"),
        ({"tombstone": "thick"}, "it must be thin or none"),
        ({"tombstone": "none"}, "needs its reason"),
        ({"pending-ttl": "never"}, "write a number and a unit"),
    ],
)
async def test_a_value_that_cannot_be_is_refused_and_nothing_changes(db: Database, changes: dict[str, str], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        await set_profile(db, "default-text", {"consolidation-window": "2h"} | changes)
    assert (await set_profile(db, "default-text", {})).before.consolidation_window == timedelta(days=1)


async def test_an_unknown_profile_is_said_to_be_unknown(db: Database) -> None:
    with pytest.raises(UnknownProfile, match="thoth substrate profiles"):
        await set_profile(db, "nonesuch", {"floor": "0.1"})


async def test_every_field_can_be_set(db: Database) -> None:
    done = await set_profile(
        db,
        "default-signal",
        {
            "half-life": "90 minutes", "floor": "0.5", "reinforce": "1", "pending_ttl": "45s", "consolidation-window": "1.5h",
            "tombstone": "none", "tombstone-reason": "Too many.", "release-unconsolidated-after": "2 weeks", "expire-after": "1w",
        },
    )  # fmt: skip
    after = (await set_profile(db, "default-signal", {})).before
    assert after == done.after
    assert (after.half_life, after.pending_ttl, after.consolidation_window) == (
        timedelta(minutes=90), timedelta(seconds=45), timedelta(minutes=90),
    )  # fmt: skip
    assert (after.release_unconsolidated_after, after.expire_after) == (timedelta(days=14), timedelta(days=7))
    assert "No tombstone is left" in done.effect
