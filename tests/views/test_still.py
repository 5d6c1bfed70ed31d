"""What a recall showed may be shown again while all of it stands."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from tests.recall.known import Told, a_fact, a_pattern, an_observation
from tests.views.plans import plan, scanned
from tests.views.seed import a_slice, many_slices
from thoth_substrate.db.pool import Database
from thoth_substrate.fade.forget import forget
from thoth_substrate.model.ids import SliceIds
from thoth_substrate.views import still
from thoth_substrate.views.still import still_there

HOUR = timedelta(hours=1)


def an_id(at: datetime) -> UUID:
    return SliceIds().next(at)


async def stands(
    db: Database, slices: list[UUID], rows: list[int], *, tenant: str = "default", asked: UUID | None = None
) -> bool:
    async with db.tenant(tenant) as tx:
        return await still_there(tx, tenant, slices, rows, asked or an_id(db.clock.now()))


def a_purge(sql: psycopg.Connection, at: datetime, done_at: datetime | None, *, tenant: str = "default") -> None:
    receipt = {"state": "done", "done_at": done_at.isoformat()} if done_at else {"state": "closing"}
    sql.execute(
        "insert into thoth.substrate_purges (tenant_id, purge_id, slice_ids, receipt) values (%s, %s, '{}', %s)",
        [tenant, an_id(at), json.dumps(receipt)],
    )


async def test_slices_and_what_is_known_stand_until_one_of_them_goes(db: Database, seeded: psycopg.Connection) -> None:
    slices = [a_slice(seeded, db.clock.now() - timedelta(days=40 * age)) for age in range(2)]
    fact = a_fact(seeded, Told("Maya lives in Porto."))
    rows = [fact, a_pattern(seeded, "She moves often.", [fact]), an_observation(seeded, "I know Maya.", "self")]
    assert await stands(db, slices, rows)
    assert await stands(db, [], [])
    assert not await stands(db, slices, [*rows, 999_999])
    seeded.execute("update thoth.substrate_relationships set retracted_at = now() where relationship_id = %s", [fact])
    assert not await stands(db, slices, rows)
    assert await stands(db, slices, rows[1:])
    await forget(db, "default", slices[1])
    assert not await stands(db, slices, rows[1:])
    assert await stands(db, slices[:1], rows[1:])


@pytest.mark.parametrize("state", ["quarantined", "rejected"])
async def test_what_was_put_aside_is_not_shown_again(db: Database, seeded: psycopg.Connection, state: str) -> None:
    assert not await stands(db, [a_slice(seeded, db.clock.now(), triage=state)], [])


async def test_what_faded_after_it_was_consolidated_stands(db: Database, seeded: psycopg.Connection) -> None:
    assert await stands(db, [a_slice(seeded, db.clock.now(), "", consolidation="released")], [])


async def test_another_tenants_do_not_stand(db: Database, seeded: psycopg.Connection) -> None:
    """faults: an id from another tenant"""
    theirs = a_slice(seeded, db.clock.now(), tenant="other")
    assert await stands(db, [theirs], [], tenant="other")
    assert not await stands(db, [theirs], [])


async def test_a_purge_that_was_not_done_when_it_was_asked_takes_it_all(db: Database, seeded: psycopg.Connection) -> None:
    """It says sentences anew, and takes words from where no citation leads."""
    now = db.clock.now()
    one, asked = [a_slice(seeded, now)], an_id(now)
    a_purge(seeded, now - 2 * HOUR, now - HOUR)
    a_purge(seeded, now, now + HOUR, tenant="other")
    assert await stands(db, one, [], asked=asked)
    a_purge(seeded, now - HOUR, now + HOUR)
    assert not await stands(db, one, [], asked=asked)
    assert await stands(db, one, [], asked=an_id(now + HOUR + timedelta(minutes=1)))
    a_purge(seeded, now + HOUR, None)
    assert not await stands(db, one, [], asked=an_id(now + 2 * HOUR))


async def test_it_is_looked_up_by_key(db: Database, seeded: psycopg.Connection) -> None:
    many_slices(seeded, db.clock.now())
    found = await plan(db, "default", still._STILL, "default", [an_id(db.clock.now())], [7], an_id(db.clock.now()))
    assert not scanned(found, "substrate_slices")
