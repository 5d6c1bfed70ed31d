"""`thoth ingest`: stored at once, what is pending is said, and waited for when asked."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tests.cli.conftest import Thoth, environment, program
from tests.llm.scripted import ScriptedModel

NOTE = "Staging listens on port 8444."


def test_a_text_is_stored_at_once_and_what_is_pending_is_said(thoth: Thoth, seeded: psycopg.Connection) -> None:
    ran = thoth("ingest", *NOTE.split())
    [number] = ran.out.split()
    assert seeded.execute("select text, triage_state from thoth.substrate_slices where slice_id = %s", [number]).fetchone() == (
        NOTE, "pending",
    )  # fmt: skip
    assert "Still to come: indexing, parsing, triage." in ran.err
    assert "No workers run" in ran.err
    [found] = thoth("ingest", NOTE, "--json").json["memories"]
    assert (found["repeated"], found["state"], found["parsed"], found["summary"]) == (False, "pending", False, "")


def test_waiting_makes_it_recallable_where_no_worker_runs(thoth: Thoth, seeded: psycopg.Connection) -> None:
    [found] = thoth("ingest", NOTE, "--wait", "--json").json["memories"]
    assert found["state"] == "passed"
    assert not {"triage", "indexing"} & set(found["pending"])
    assert NOTE in thoth("recall", "which port does staging listen on?").out
    assert "THOTH_AUX_MODEL" in thoth("ingest", "Another note.", "--wait").err


def test_a_file_becomes_its_sections_once(thoth: Thoth, seeded: psycopg.Connection, tmp_path: Path) -> None:
    page = tmp_path / "plan.md"
    page.write_text("# Plan\n\n## First\n\n" + "We begin in May. " * 60 + "\n\n## Then\n\n" + "We end in June. " * 60)
    first = thoth("ingest", str(page), "--json").json
    assert len(first["memories"]) > 1
    ran = thoth("ingest", str(page))
    assert "had been taken in before" in ran.err
    assert ran.out.split() == [one["id"] for one in first["memories"]]
    rows = seeded.execute("select metadata ->> 'path', count(*) from thoth.substrate_slices group by 1").fetchall()
    assert rows == [(str(page), len(first["memories"]))]


def test_what_the_parser_says_of_it_is_told(thoth: Thoth, seeded: psycopg.Connection, tmp_path: Path) -> None:
    page = tmp_path / "people.md"
    page.write_text("Maya works at Company7.\n")
    with ScriptedModel() as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"}
        assert "No crew runs" in thoth("ingest", str(page), "--wait", env=env).err
        thoth("consolidate")
        [found] = thoth("ingest", str(page), "--wait", "--json").json["memories"]
    assert (found["repeated"], found["parsed"]) == (True, True)
    assert found["summary"]
    assert "Maya" in found["entities"]
    assert 0 < found["importance"] <= 1
    assert "parsing" not in found["pending"]
    assert found["summary"] in thoth("ingest", str(page)).out


def test_standard_input_is_taken_in(dsn: str, tmp_path: Path, seeded: psycopg.Connection) -> None:
    ran = program("ingest", "-", env=environment(dsn, tmp_path / "home"), stdin="Said by a pipe.\n")
    assert ran.code == 0
    assert seeded.execute("select text from thoth.substrate_slices").fetchone() == ("Said by a pipe.\n",)


def test_what_holds_nothing_is_refused(thoth: Thoth, seeded: psycopg.Connection, tmp_path: Path) -> None:
    empty, picture = tmp_path / "empty.txt", tmp_path / "picture.png"
    empty.write_text(" \n")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    for word in (" ", str(empty), str(picture)):
        thoth("ingest", word, expect=2)
    assert seeded.execute("select count(*) from thoth.substrate_slices").fetchone() == (0,)


@pytest.mark.parametrize("word", ["x" * 5000, "../no/such/file.md"])
def test_what_is_no_file_is_a_text(word: str, thoth: Thoth, seeded: psycopg.Connection) -> None:
    thoth("ingest", word)
    assert seeded.execute("select text from thoth.substrate_slices").fetchone() == (word,)
