"""Forgetting for good from the shell: asked before, told after, verified again."""

from __future__ import annotations

from datetime import datetime

import psycopg

from tests.cli.conftest import Thoth
from tests.views.seed import a_recall, a_slice


def test_a_purge_is_agreed_to_then_told_and_can_be_verified(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one, two = a_slice(seeded, now), a_slice(seeded, now)
    a_recall(seeded, now, "?", [("104", one)])
    refused = thoth("substrate", "forget", "104", "--purge", expect=2).err
    assert "This would purge 1 slices: 1 with content" in refused
    assert "give --yes" in refused
    ran = thoth("substrate", "forget", "104", "--purge", "--yes", "--json").json
    assert (ran["slice_id"], ran["changed"], ran["receipt"]["state"]) == (str(one), True, "done")
    assert ran["receipt"]["gone"]["substrate_slices"] == 1
    (line,) = thoth("substrate", "purges", "--json").json
    assert line["purge_id"] == ran["receipt"]["purge_id"]
    verified = thoth("substrate", "purge", "show", line["purge_id"][:18], "--json").json
    assert (verified["well"], verified["left"]) == (True, {})
    assert "nothing of it is left" in thoth("substrate", "purge", "show").out
    row = seeded.execute("select count(*) from thoth.substrate_slices where text <> '' and slice_id = any(%s)", ([one, two],))
    assert row.fetchone() == (1,)


def test_a_receipt_that_does_not_hold_ends_unwell(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now)
    thoth("substrate", "forget", str(one), "--purge", "--yes")
    seeded.execute("insert into thoth.substrate_digests (tenant_id, slice_id, importance) values ('default', %s, 0.5)", [one])
    assert "LEFT: 1 rows in substrate_digests" in thoth("substrate", "purge", "show", expect=1).out


def test_a_whole_session_is_forgotten_or_purged(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now)
    (session,) = seeded.execute("select session_id from thoth.substrate_slices where slice_id = %s", [one]).fetchone() or ("",)
    assert thoth("substrate", "forget", "--session", session, "--json").json["slices"] >= 1
    assert "Purge " in thoth("substrate", "forget", "--session", session, "--purge", "--yes").out
    assert "no slice of a session" in thoth("substrate", "forget", "--session", session, "--purge", "--yes", expect=2).err


def test_without_receipts_it_is_said(thoth: Thoth) -> None:
    assert "Nothing was ever purged" in thoth("substrate", "purges").err
    assert "No purge was left unfinished" in thoth("substrate", "purge", "resume").err
    assert "No receipt begins with last" in thoth("substrate", "purge", "show", expect=2).err
    assert "Say which" in thoth("substrate", "forget", expect=2).err
