"""`thoth memories`, as somebody types it."""

from __future__ import annotations

import json
from datetime import datetime

import psycopg

from tests.cli.conftest import Thoth
from tests.memories.support import digested
from tests.views.seed import a_recall, a_slice


def test_a_memory_is_listed_read_changed_and_deleted(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    made = thoth("remember", "Maya lives in Porto.", "--json").json["slice_id"]
    (listed,) = thoth("memories", "list", "--json").json["memories"]
    assert (listed["id"], listed["text"]) == (made, "Maya lives in Porto.")
    assert "Maya lives in Porto." in thoth("memories", "list").out
    changed = thoth("memories", "update", made[:18], "Maya lives in Lisbon.", "--metadata", '{"n": 1}', "--json").json
    assert (changed["replaces"], changed["version"]) == (made, 2)
    shown = thoth("memories", "get", changed["slice_id"]).out
    assert "Maya lives in Lisbon." in shown
    assert "n 1" in shown
    history = thoth("memories", "history", made, "--json").json
    assert [(one["version"], one["memory"]["text"], one["changed_by"]) for one in history] == [
        (1, "Maya lives in Porto.", ""), (2, "Maya lives in Lisbon.", "thoth memories update"),
    ]  # fmt: skip
    assert "Porto" in thoth("memories", "history", made).out
    assert "was replaced by" in thoth("memories", "delete", made, expect=2).err
    assert thoth("memories", "delete", changed["slice_id"], "--json").json["changed"] is True
    assert "No memory is like that." in thoth("memories", "list").err


def test_deleting_for_good_takes_every_version(thoth: Thoth, seeded: psycopg.Connection, sql: psycopg.Connection) -> None:
    made = thoth("remember", "The word is zinc.", "--json").json["slice_id"]
    thoth("memories", "update", made, "The word is brass.")
    assert "--yes" in thoth("memories", "delete", made, "--purge", expect=2).err
    receipt = thoth("memories", "delete", made, "--purge", "--yes", "--json").json["receipt"]
    assert (receipt["state"], receipt["slices"]) == ("done", 2)
    texts = [row[0] for row in sql.execute("select text from thoth.substrate_slices")]
    assert not [text for text in texts if "word is" in text]


def test_a_list_is_narrowed_and_paged(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    ids = [a_slice(seeded, now, f"note {n}", session=f"s{n % 2}") for n in range(4)]
    digested(seeded, ids[3], topics=["travel"], importance=0.9)
    first = thoth("memories", "list", "--limit", "3", "--json").json
    assert [one["text"] for one in first["memories"]] == ["note 3", "note 2", "note 1"]
    assert "--cursor" in thoth("memories", "list", "--limit", "3").err
    second = thoth("memories", "list", "--limit", "3", "--cursor", first["next_cursor"], "--json").json
    assert ([one["text"] for one in second["memories"]], second["next_cursor"]) == (["note 0"], None)
    for words, texts in (
        (["--session", "s1"], ["note 3", "note 1"]), (["--topic", "travel"], ["note 3"]), (["--importance", "0.8"], ["note 3"]),
        (["--stream", "no.such"], []), (["--state", "rejected"], []), (["--entity", "Maya"], []), (["--since", "2h"], None),
    ):  # fmt: skip
        found = [one["text"] for one in thoth("memories", "list", *words, "--json").json["memories"]]
        assert texts is None or found == texts, words


def test_what_cannot_be_meant_is_said(thoth: Thoth, seeded: psycopg.Connection, now: datetime) -> None:
    one = a_slice(seeded, now, "note")
    a_recall(seeded, now, "?", [("104", one)])
    assert json.loads(thoth("memories", "get", "104", "--json").out)["id"] == str(one)
    for words in (
        ["list", "--state", "asleep"], ["list", "--metadata", "{"], ["list", "--metadata", "[1]"], ["list", "--cursor", "x"],
        ["update", "104"], ["update", "104", "  "], ["get", "019e2a3b-4c5d-7001"],
    ):  # fmt: skip
        assert len(thoth("memories", *words, expect=2).err) > 10, words
