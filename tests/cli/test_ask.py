"""`thoth ask`: an answer with its citations, or the passages, and exit 0 either way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tests.ask.conftest import DIARY_OF_A_YEAR, answering, sources
from tests.cli.conftest import Thoth
from tests.llm.scripted import Request, ScriptedModel, Status
from tests.support import Said, perceived

QUESTION = "What is my sister's cat called?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(answering("Miso", "Miso {mark}, or Rex [memory:999].")) as running:
        yield running


@pytest.fixture
def told(seeded: psycopg.Connection, now: datetime, thoth: Thoth) -> list[UUID]:
    """The diary of a year: `remember` indexes what waits."""
    ids = perceived(seeded, now, [Said(**{**_of(one), "state": "passed"}) for one in DIARY_OF_A_YEAR])
    thoth("remember", "The spare key is under the third pot.")
    return ids


def _of(said: Said) -> dict[str, Any]:
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}


def asking(model: ScriptedModel) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "THOTH_AUX_MODEL": "scripted", "THOTH_AUX_RETRIES": "0"}


def test_an_answer_with_what_it_cites(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    ran = thoth("ask", QUESTION, env=asking(model))
    mark = f"[memory:{str(told[-1])[:18]}]"
    assert ran.out == f"Miso {mark}, or Rex.\n\n{mark} 2024-05-02 user: {DIARY_OF_A_YEAR[-1].text}\n"
    assert "1 citation named nothing that was shown" in ran.err
    shown = thoth("substrate", "show", mark.strip("[]").removeprefix("memory:"))
    assert "Miso" in shown.out
    assert thoth("ask", QUESTION, "--json").json["citations"][0]["id"] == str(told[-1])


def test_with_the_model_down_the_passages_and_why(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    model.always(Status(503))
    ran = thoth("ask", "what happened on 1 February 2024?", env=asking(model))
    assert [line.split(": ", 1)[1] for line in ran.out.splitlines()] == [said.text for said in DIARY_OF_A_YEAR[1:3]]
    assert "No answer, but 2 passages" in ran.err
    assert "cannot be asked now" in ran.err


def test_without_a_model_the_passages_and_what_to_set(thoth: Thoth, told: list[UUID]) -> None:
    ran = thoth("ask", "recap my last meeting with Maya")
    assert "The lease ends on 30 June." in ran.out
    assert "THOTH_AUX_MODEL" in ran.err


def test_nothing_known_is_said(thoth: Thoth, seeded: psycopg.Connection) -> None:
    assert thoth("ask", QUESTION).out.startswith("I don't know")


def test_filters_reach_the_memory(thoth: Thoth, told: list[UUID], model: ScriptedModel) -> None:
    thoth(
        "ask", "what was said?", "--mode", "recent", "--person", "Maya", "--since", "2024-03-05", "--until", "2024-03-31",
        "--stream", "thoth.world.user_message.cli", "--limit", "5", "--min-importance", "0.1", env=asking(model),
    )  # fmt: skip
    assert "We should move in June." in model.chats[-1].user
    assert "talked about the move" not in model.chats[-1].user


def test_on_imported_conversations_every_citation_exists(
    thoth: Thoth, seeded: psycopg.Connection, model: ScriptedModel, tmp_path: Path
) -> None:
    """Show 4, on conversations of LoCoMo's form: a model that cites a few sources and makes some up; then one that is down."""
    file = tmp_path / "talks.json"
    file.write_text(json.dumps([_talk(name, place) for place, name in enumerate(("Ines", "Maya", "Sam"))]))
    thoth("import", str(file))
    model.always(_citing)
    cited = 0
    for question in ("What did Maya plant?", "Where did Ines go on 3 May 2023?", "recap my last meeting with Sam", "Who sang?"):
        found = thoth("ask", question, "--json", env=asking(model) | {"THOTH_ASK_WINDOW_TOKENS": "1000"}).json
        assert (found["outcome"], found["removed"]) == ("ok", 2)
        marks = re.findall(r"\[memory:([0-9a-f-]{36})\]", found["answer"])
        assert sorted(marks) == sorted(one["id"] for one in found["citations"])
        rows = seeded.execute(
            "select slice_id::text, text from thoth.substrate_slices where slice_id = any (%s::uuid[])", [marks]
        )
        assert dict(rows.fetchall()) == {one["id"]: one["text"] for one in found["citations"]}
        assert all(one["text"] in model.chats[-1].user for one in found["citations"])
        cited += len(marks)
    assert cited >= 8
    model.always(Status(503))
    ran = thoth("ask", "What did Maya plant?")
    assert "Maya planted" in ran.out
    assert "No answer, but" in ran.err


def _talk(name: str, place: int) -> dict[str, Any]:
    """A conversation of three sessions."""
    deeds = (
        "planted tomatoes behind the shed",
        "went to the lake with Tom",
        "sang in the choir",
        "mended the bicycle",
        "baked bread",
    )
    said = {
        f"session_{n}": [
            {
                "speaker": name if turn % 2 else "Tom",
                "dia_id": f"D{n}:{turn}",
                "text": f"{name} {deeds[(n + turn + place) % 5]}, {n}.",
            }
            for turn in range(1, 9)
        ]
        for n in range(1, 4)
    }
    times = {f"session_{n}_date_time": f"9:05 am on {n} May, 2023" for n in range(1, 4)}
    return {"sample_id": name, "qa": [], "conversation": {"speaker_a": name, "speaker_b": "Tom", **said, **times}}


def _citing(request: Request) -> str:
    """An answer that cites the first, the middle and the last source, and two that there are not."""
    marks = [line.partition("]")[0] + "]" for line in sources(request)]
    chosen = dict.fromkeys((marks[0], marks[len(marks) // 2], marks[-1]))
    return f"It is so {''.join(chosen)}, and so [memory:9999], and so [fact:12345]."


@pytest.mark.parametrize(
    "words", [(" ",), ("x", "--since", "soon"), ("x", "--until", "soon"), ("x", "--since", "2024-02-02", "--until", "2024-01-01")]
)
def test_what_is_no_question_is_misuse(words: tuple[str, ...], thoth: Thoth, seeded: psycopg.Connection) -> None:
    ran = thoth("ask", *words, expect=2)
    assert ran.out == ""
    assert ran.err.strip(), "it says what is wrong"
    assert "Traceback" not in ran.err
