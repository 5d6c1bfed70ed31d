"""Commands that change something."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
import tenacity

from tests.cli.conftest import PROGRAM, Thoth, environment, program
from tests.views.seed import a_recall, a_slice


def test_pin_and_unpin_by_handle(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now)
    a_recall(seeded, now, "?", [("104", one)])
    assert thoth("substrate", "pin", "104", "--json").json == {"slice_id": str(one), "pinned": True, "changed": True}
    assert "already" in thoth("substrate", "pin", str(one)).out
    assert thoth("substrate", "unpin", "104", "--json").json == {"slice_id": str(one), "pinned": False, "changed": True}
    assert "was not pinned" in thoth("substrate", "unpin", "104").out


def test_forgetting_is_said_and_done_once(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now)
    said = {"slice_id": str(one), "changed": True, "slices": 1, "receipt": None}
    assert thoth("substrate", "forget", str(one), "--json").json == said
    assert "nothing was changed" in thoth("substrate", "forget", str(one)).out
    assert "cannot be pinned" in thoth("substrate", "pin", str(one), expect=2).err


def test_what_is_held_back_is_released_or_rejected(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one, two = (a_slice(seeded, now, triage="quarantined") for _ in range(2))
    assert len(thoth("substrate", "quarantine", "list", "--json").json) == 2
    assert thoth("substrate", "quarantine", "release", str(one), "--json").json["state"] == "passed"
    thoth("substrate", "quarantine", "reject", str(two), "--because", "a test")
    assert thoth("substrate", "quarantine", "list", "--json").json == []
    assert [line["reason"] for line in thoth("substrate", "quarantine", "list", "--rejected", "--json").json] == ["a test"]
    thoth("substrate", "quarantine", "release", str(two), "--rejected")
    assert "cannot be" in thoth("substrate", "quarantine", "reject", str(one), expect=2).err


def test_a_profile_is_changed_and_the_effect_said(thoth: Thoth) -> None:
    ran = thoth(
        "substrate", "profiles", "set", "default-text", "--half-life", "30d", "--release-unconsolidated-after", "365d", "--json"
    )
    assert (ran.json["profile"]["half_life_s"], ran.json["profile"]["release_unconsolidated_after_s"]) == (
        30 * 86_400,
        365 * 86_400,
    )
    assert "would fade on" in ran.json["effect"]
    assert "after 365 d" in thoth("substrate", "profiles").out
    for words in (
        ["default-text"],
        ["nope", "--floor", "0.1"],
        ["default-text", "--floor", "2"],
        ["default-text", "--half-life", "soon"],
    ):
        thoth("substrate", "profiles", "set", *words, expect=2)


def test_a_note_is_remembered_and_recalled_while_recall_is_off(thoth: Thoth) -> None:
    first = thoth("remember", "The spare key", "is under the third pot, says Ana.", "--json").json
    assert first["searchable"]
    shown = thoth("substrate", "show", first["slice_id"], "--json").json["slice"]
    assert (shown["stream"], shown["text"]) == ("thoth.world.note", "The spare key is under the third pot, says Ana.")
    ran = thoth("recall", "where is the spare key?")
    assert ran.out.startswith("<memory-context>")
    assert "third pot" in ran.out


def test_a_note_comes_from_standard_input(dsn: str, tmp_path: Path) -> None:
    env = environment(dsn, tmp_path)
    ran = program("remember", "-", env=env, stdin="The boiler was serviced\nin March.\n")
    assert (ran.code, ran.err) == (0, "")
    assert "boiler" in program("substrate", "show", ran.out.strip(), env=env).out


@pytest.mark.parametrize("words", [["remember", "  "], ["recall", ""]])
def test_nothing_to_say_is_misuse(thoth: Thoth, words: list[str]) -> None:
    assert "empty" in thoth(*words, expect=2).err


def test_recall_explains_each_line_and_why_there_is_none(thoth: Thoth) -> None:
    thoth("remember", "Ana's birthday is on the third of May.")
    ran = thoth("recall", "when is Ana's birthday?", "--explain")
    for word in ("found by", "keyword", "session", "ms", "tokens"):
        assert word in ran.out
    found = thoth("recall", "when is Ana's birthday?", "--json").json
    assert found["lines"][0]["legs"]
    assert found["lines"][0]["parts"]
    assert found["recall_id"]
    empty = thoth("recall", "ok")
    assert (empty.out, "trivial_query" in empty.err) == ("", True)
    assert thoth("recall", "ok", "--json").json["empty_reason"] == "trivial_query"


@pytest.mark.parametrize("budget", ["0", "-5", "2147483648"])
def test_a_budget_out_of_bounds_is_misuse(thoth: Thoth, budget: str) -> None:
    ran = thoth("recall", "who?", "--budget", budget, expect=2)
    assert ("--budget" in ran.err, ran.out) == (True, "")


def test_an_import_adds_once_and_leaves_nothing_waiting(thoth: Thoth, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    turns = [("user", "My sister lives in Ghent."), ("assistant", "Noted: Ghent."), ("user", "She plays the viola.")]
    path.write_text("\n".join(
        json.dumps({"role": role, "content": text, "time": f"2023-05-0{n}T10:00:00Z", "session": "a"})
        for n, (role, text) in enumerate(turns, 1)
    ))  # fmt: skip
    first = thoth("import", str(path), "--json").json
    assert [(one["imported"], one["duplicates"]) for one in first] == [(3, 0)]
    summary = thoth("substrate", "--json").json
    assert (summary["slices"], summary["pending"], summary["unindexed"], summary["triage"]) == (3, 0, 0, {"passed": 3})
    assert summary["last_event"].startswith("2023-05-03")
    second = thoth("import", str(path))
    assert "0 events imported, 3 there already" in second.out
    assert "Ghent" in thoth("recall", "where does my sister live?").out


def test_an_import_that_is_interrupted_says_so_and_goes_on_where_it_stood(
    dsn: str, tmp_path: Path, sql: psycopg.Connection
) -> None:
    path, env = tmp_path / "long.jsonl", environment(dsn, tmp_path)
    turns = ({"role": "user", "content": f"Turn {n}.", "session": f"s{n // 100}"} for n in range(20_000))
    path.write_text("\n".join(map(json.dumps, turns)))
    with subprocess.Popen(
        [PROGRAM, "import", path], env={"PATH": os.defpath, **env}, stderr=subprocess.PIPE, text=True
    ) as process:
        _eventually_under_way(sql)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said.strip()) == (130, "Interrupted. What was done is kept; the same command goes on from there.")
    found = program("import", str(path), "--json", env=env).json[0]
    assert found["resumed_after"] > 0
    assert found["imported"] + found["duplicates"] + found["resumed_after"] == 20_000


@tenacity.retry(stop=tenacity.stop_after_delay(60), wait=tenacity.wait_fixed(0.02), reraise=True)
def _eventually_under_way(sql: psycopg.Connection) -> None:
    row = sql.execute("select position from thoth.substrate_imports").fetchone()
    assert row is not None
    assert row[0] > 0


def test_a_file_that_cannot_be_read_stops_no_other(thoth: Thoth, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.bin"
    good.write_text(json.dumps({"role": "user", "content": "Hello there."}))
    bad.write_bytes(b"\x00\x01\x02")
    ran = thoth("import", str(bad), str(tmp_path / "absent.json"), str(good), expect=2)
    assert "1 event imported" in ran.out
    assert [line.split()[0] for line in ran.err.strip().splitlines()[-2:]] == [str(bad), str(tmp_path / "absent.json")]
    assert "no format" in thoth("import", str(good), "--format", "nope", expect=2).err


def test_the_demo_answers_what_it_knows_and_keeps_silent_on_the_rest(thoth: Thoth) -> None:
    asked = thoth("demo", "--json").json
    assert [one["as_expected"] for one in asked] == [True, True, True, True]
    assert asked[-1]["projection"]["empty_reason"]
    again = thoth("demo")
    assert "thoth up" in again.err
    slices = thoth("substrate", "--tenant", "demo", "--json").json["slices"]
    thoth("demo")
    assert thoth("substrate", "--tenant", "demo", "--json").json["slices"] == slices
