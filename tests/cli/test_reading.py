"""Commands that look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from tests.cli.conftest import Thoth
from tests.recall.known import Told, a_fact, an_entity
from tests.views.seed import CLI, TOOLS, a_recall, a_slice
from thoth_substrate.cli.recall import instant, show_explained
from thoth_substrate.model.projection import Cited, Kind, Line, Missing, Projection


def test_the_summary_tells_what_there_is_and_what_to_do_when_there_is_nothing(
    thoth: Thoth, seeded: psycopg.Connection, now: datetime
) -> None:
    assert "thoth import" in thoth("substrate").err
    a_slice(seeded, now)
    a_slice(seeded, now, triage="pending")
    assert "1 passed, 1 pending" not in thoth("substrate").err
    assert "1 passed, 1 pending" in " ".join(thoth("substrate").out.split()) or "1 pending" in thoth("substrate").out
    found = thoth("substrate", "--json").json
    assert (found["streams"], found["pending"], found["slices"]) == ({CLI: 2}, 1, 2)


def test_slices_are_narrowed_by_options(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    a_slice(seeded, now - timedelta(days=3), "old", session="a")
    a_slice(seeded, now - timedelta(hours=2), "tool", session="b", stream=TOOLS)
    a_slice(seeded, now, "new", session="b")

    def texts(*options: str) -> list[str]:
        return [line["excerpt"] for line in thoth("substrate", "slices", "--json", *options).json]

    assert texts() == ["new", "tool", "old"]
    assert texts("--limit", "1") == ["new"]
    assert texts("--stream", CLI) == ["new", "old"]
    assert texts("--session", "b") == ["new", "tool"]
    assert texts("--since", "1d") == ["new", "tool"]
    assert texts("--since", "2000-01-01", "--session", "a") == ["old"]
    assert "neither a span" in thoth("substrate", "slices", "--since", "yesterday", expect=2).err


def test_a_slice_is_shown_by_id_its_beginning_or_its_handle(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now, "The spare key is under the third pot.")
    a_recall(seeded, now, "key?", [("104", one)])
    for word in (str(one), str(one)[:18], "104", "[104]"):
        assert "under the third pot" in thoth("substrate", "show", word).out
    for word in ("105", "ffff0000", "no"):
        ran = thoth("substrate", "show", word, expect=2)
        assert (ran.out, len(ran.err.strip().splitlines())) == ("", 1)


def test_what_was_released_is_shown_as_its_tombstone(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now, "", consolidation="released")
    seeded.execute("update thoth.substrate_slices set released_at = %s", [now])
    assert "tombstone" in thoth("substrate", "show", str(one)).out


def test_a_recall_is_explained(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now, "The spare key is under the third pot.")
    asked = a_recall(seeded, now - timedelta(minutes=1), "where is the key?", [("104", one)])
    a_recall(seeded, now, "and the car?", empty="below_floor")
    listed = thoth("substrate", "recall").out
    assert "where is the key?" in listed
    assert "below_floor" in listed
    assert "under the third pot" in thoth("substrate", "recall", "explain", str(asked)[:18]).out
    assert "Nothing was shown: below_floor" in thoth("substrate", "recall", "explain", "last").out


def test_a_sample_says_how_to_draw_it_again(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    for number in range(20):
        a_recall(seeded, now - timedelta(minutes=number), f"question {number}", empty="no_candidates")
    drawn = thoth("substrate", "recall", "sample", "--json")
    seed = drawn.err.split("--seed ")[1].rstrip(".\n")
    assert thoth("substrate", "recall", "sample", "--json", "--seed", seed).json == drawn.json


def test_config_tells_every_knob_and_what_was_changed(thoth: Thoth) -> None:
    found = thoth("substrate", "recall", "config", "--json", env={"THOTH_RECALL_DEADLINE_MS": "450"}).json
    knobs = {knob["setting"]: knob for knob in found["knobs"]}
    assert (knobs["THOTH_RECALL_DEADLINE_MS"]["value"], knobs["THOTH_RECALL_DEADLINE_MS"]["default"]) == ("450", "300")
    assert "THOTH_SUBSTRATE_RECALL" in knobs
    assert not [name for name in knobs if "API_KEY" in name]


def test_an_edited_diary_is_unwell(thoth: Thoth, seeded: psycopg.Connection) -> None:
    assert "whole" in thoth("substrate", "audit", "verify").out
    seeded.execute("insert into thoth.substrate_audit_heads values ('default', 3, '\\x00')")
    assert thoth("substrate", "audit", "verify", "--json", expect=1).json["well"] is False


def test_boot_never_prints_a_password(thoth: Thoth, dsn: str) -> None:
    shown = thoth("substrate", "boot", "--json", env={"DATABASE_URL": dsn.replace("postgres@", "postgres:s3cret@")})
    assert "s3cret" not in shown.out + shown.err
    assert shown.json["revision"] == shown.json["revision_needed"]


def test_a_fact_is_shown_with_its_citations(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now, "I moved to Porto.")
    row = a_fact(seeded, Told("Maya lives in Porto.", an_entity(seeded, "Maya"), functional=True), [one])
    shown = thoth("substrate", "show", f"row:{row}")
    assert "Maya lives in Porto." in shown.out
    assert str(one)[:18] in shown.out
    found = thoth("substrate", "show", f"row:{row}", "--json").json
    assert (found["slice"], found["fact"]["fact"]["subject"]) == (None, "Maya")
    assert "has the number 9999" in thoth("substrate", "show", "row:9999", expect=2).err


def test_asking_as_of_a_day_means_its_end(thoth: Thoth, dsn: str) -> None:
    assert instant("2024-05-31") == datetime(2024, 5, 31, 23, 59, 59, 999_999, UTC)
    assert instant("2024-05-31T18:00+02:00") == datetime(2024, 5, 31, 16, tzinfo=UTC)
    assert thoth("recall", "where do I live?", "--as-of", "2024-05-31", "--json").json["as_of"].startswith("2024-05-31T23:59")
    assert "is no date" in thoth("recall", "where?", "--as-of", "in spring", expect=2).err


def test_facts_and_what_is_missing_are_explained(capsys: pytest.CaptureFixture[str], now: datetime) -> None:
    fact = Line("412", UUID(int=7), 0, "", "", now, "", "Maya lives in Porto.", 3.1, 0.0, 1.0, {"cover": 1.2}, ("knowledge",),
                Kind.FACT, 88, (Cited(UUID(int=7), 0),))  # fmt: skip
    show_explained(Projection("<block>", (fact,), 12, missing=(Missing("413", UUID(int=8), "Maya", now, now),), as_of=now))
    printed = capsys.readouterr()
    assert "row:88, rests on 1 passage" in printed.out
    assert "Missing: 413 Maya" in printed.err
