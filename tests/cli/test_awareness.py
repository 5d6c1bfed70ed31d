"""thoth awareness and thoth substrate indexer run, as a person or a script uses them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.cli.conftest import Thoth
from tests.llm.scripted import ScriptedModel
from tests.support import Said, perceived
from thoth_substrate.model.tokens import count

WHATSAPP = "thoth.world.user_message.whatsapp"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, thoth: Thoth) -> Iterator[ScriptedModel]:
    """A scripted model that the commands ask."""
    with ScriptedModel() as scripted:
        for name, value in {"OPENAI_BASE_URL": scripted.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted"}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("THOTH_AUX_RETRIES", "0")
        yield scripted


@pytest.fixture
def told(seeded: psycopg.Connection, now: datetime) -> psycopg.Connection:
    """Two messages of today, one of last week."""
    for text, ago in (
        ("The boiler failed again, the landlord knows.", 1),
        ("No hot water from the boiler.", 2),
        ("Lisbon is booked.", 100),
    ):
        at = now - timedelta(hours=ago)
        perceived(seeded, at, [Said(text, session="Ortega", stream=WHATSAPP, actor="Marta", at=at, state="passed")])
    # Their index is no part of this: who is not indexed yet is waited for.
    seeded.execute("delete from thoth.substrate_unindexed")
    return seeded


def pointers(said: str) -> list[str]:
    """The pointers in what was printed."""
    return re.findall(r"conversation:\S+", said)


def test_from_a_run_to_the_line_to_the_words_to_what_was_said(
    thoth: Thoth, told: psycopg.Connection, model: ScriptedModel
) -> None:
    ran = thoth("substrate", "indexer", "run", "--since", "24h", "--json").json
    assert (ran["decisions"], ran["failed"], ran["did"]["made"]) == (1, "", 1)
    line = thoth("awareness").out.strip()
    assert line.startswith("Going on: ")
    assert "boiler" in line
    assert line.endswith("look it up before proceeding: thoth awareness lookup WORDS")
    assert count(line) <= 100
    found = thoth("awareness", "lookup", "boyler").out
    [pointer] = pointers(found)
    read = thoth("awareness", "read", pointer).out.splitlines()
    assert [text.partition(": ")[2] for text in read] == [
        "No hot water from the boiler.", "The boiler failed again, the landlord knows.",
    ]  # fmt: skip


def test_json_says_the_same_to_a_script(thoth: Thoth, told: psycopg.Connection, model: ScriptedModel) -> None:
    thoth("substrate", "indexer", "run")
    said = thoth("awareness", "--json").json
    assert (said["tokens"], said["cap_tokens"]) == (count(said["line"]), 100)
    found = thoth("awareness", "lookup", "boiler", "--json").json
    pointer = found[0]["concept"]["sources"][0]["pointer"]
    read = thoth("awareness", "read", pointer, "--limit", "1", "--json").json
    assert (len(read["slices"]), read["more"], read["slices"][0]["state"]) == (1, True, "kept")


def test_a_topic_is_listed_shown_extended_and_forgotten(thoth: Thoth, told: psycopg.Connection, model: ScriptedModel) -> None:
    thoth("substrate", "indexer", "run")
    topics: list[Any] = thoth("awareness", "list", "--json").json
    [boiler] = [one for one in topics if "boiler" in one["keywords"]]
    number = str(boiler["concept_id"])
    assert number in thoth("awareness", "list").out
    assert "Ortega" in thoth("awareness", "show", number).out
    longer = thoth("awareness", "extend", number, "--days", "200", "--json").json
    assert longer["expires_at"] > boiler["expires_at"]
    assert thoth("awareness", "forget", number).out.startswith("Gone: ")
    assert "thoth awareness list" in thoth("awareness", "show", number, expect=2).err
    assert "thoth awareness list" in thoth("awareness", "forget", number, expect=2).err
    assert "thoth awareness list" in thoth("awareness", "extend", number, "--days", "3", expect=2).err
    assert thoth("awareness", "lookup", "boiler").out == ""


def test_a_topic_from_outside_is_noted_by_hand(thoth: Thoth, seeded: psycopg.Connection) -> None:
    made = thoth("awareness", "note", "boiler repair", "ortega", "--source", "mail:<4711@x>", "--days", "3", "--json").json
    assert (made["keywords"], made["decision_id"]) == (["boiler repair", "ortega"], None)
    assert [one["ref"] for one in made["sources"]] == ["<4711@x>"]
    pointer = made["sources"][0]["pointer"]
    assert "look there for <4711@x>" in thoth("awareness", "read", pointer).err
    assert "lower-case ASCII" in thoth("awareness", "note", "ボイラー", expect=2).err


def test_when_nothing_is_going_on_it_is_said_and_no_failure(thoth: Thoth, seeded: psycopg.Connection) -> None:
    for words in (("awareness",), ("awareness", "list"), ("awareness", "lookup", "boiler")):
        ran = thoth(*words)
        assert (ran.out, bool(ran.err)) == ("", True), words
    assert thoth("awareness", "--json").json == {"line": "", "tokens": 0, "cap_tokens": 100}


def test_the_cap_is_a_setting(thoth: Thoth, told: psycopg.Connection, model: ScriptedModel) -> None:
    thoth("substrate", "indexer", "run")
    whole = thoth("awareness", "--json").json
    less = thoth("awareness", "--json", env={"THOTH_AWARENESS_TOKENS": str(whole["tokens"] - 1)}).json
    assert 0 < less["tokens"] < whole["tokens"]


def test_what_is_no_pointer_is_misuse(thoth: Thoth, seeded: psycopg.Connection) -> None:
    assert "no pointer" in thoth("awareness", "read", "boiler", expect=2).err


def test_a_run_without_a_model_says_what_to_set(thoth: Thoth, seeded: psycopg.Connection) -> None:
    assert "THOTH_AUX_MODEL" in thoth("substrate", "indexer", "run", expect=2).err


def test_a_run_that_fails_ends_with_1_and_is_shown(thoth: Thoth, told: psycopg.Connection, model: ScriptedModel) -> None:
    model.always("no JSON")
    ran = thoth("substrate", "indexer", "run", expect=1)
    assert "is read again" in ran.err
    assert "failures 1" in thoth("substrate", "indexer").out
    assert "The Indexer fails for 1 tenant, 1 time in a row" in thoth("substrate", "health").out


def test_what_was_read_before_is_read_once_more_on_demand(thoth: Thoth, told: psycopg.Connection, model: ScriptedModel) -> None:
    thoth("substrate", "indexer", "run")
    assert thoth("substrate", "indexer", "run").err.startswith("Nothing was fresh.")
    again = thoth("substrate", "indexer", "run", "--since", "3h", "--json").json
    assert (again["did"]["slices"], again["did"].get("made", 0), again["did"]["extended"]) == (2, 0, 1)
