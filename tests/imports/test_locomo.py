"""LoCoMo: two people, dated sessions, photos by their captions."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from tests.imports.files import document, events, reasons

SAMPLE: dict[str, Any] = {
    "sample_id": "talk-1",
    "qa": [{"question": "Which bird?", "answer": "a heron", "evidence": ["D2:1"]}],
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Tom",
        "session_10_date_time": "9:05 am on 2 June, 2023",
        "session_10": [{"speaker": "Ines", "dia_id": "D10:1", "text": "Back from the lake."}],
        "session_2_date_time": "11:58 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Tom", "dia_id": "D2:1", "text": "Look at this!", "blip_caption": "a heron on a pier", "img_url": ["u"]},
            {"speaker": "Ines", "dia_id": "D2:2", "text": "Lovely."},
            {"speaker": "Tom", "dia_id": "D2:3", "text": "Good night."},
        ],
        "session_3_date_time": "",
    },
}


def test_sessions_come_in_the_order_of_their_numbers_and_turns_half_a_minute_apart(tmp_path: Path) -> None:
    """faults: an import of a 2023 conversation: every row is dated 2023."""
    got = events(document(tmp_path / "f", [SAMPLE]))
    assert [(e.external_id, e.event_time) for e in got] == [
        ("talk-1/D2:1", datetime(2023, 5, 8, 23, 58)),
        ("talk-1/D2:2", datetime(2023, 5, 8, 23, 58, 30)),
        ("talk-1/D2:3", datetime(2023, 5, 8, 23, 59)),
        ("talk-1/D10:1", datetime(2023, 6, 2, 9, 5)),
    ]
    assert [e.session for e in got] == ["talk-1/session_2"] * 3 + ["talk-1/session_10"]


def test_speakers_are_actors_and_a_photo_is_its_caption(tmp_path: Path) -> None:
    first, second = events(document(tmp_path / "f", [SAMPLE]))[:2]
    assert (first.stream, first.actor, second.actor) == ("thoth.world.user_message.cli", "Tom", "Ines")
    assert first.content == "Look at this! [shares a photo: a heron on a pier]"


def test_one_conversation_alone_is_read_too_with_or_without_its_wrapping(tmp_path: Path) -> None:
    wrapped = events(document(tmp_path / "a", SAMPLE))
    bare = events(document(tmp_path / "b", SAMPLE["conversation"]))
    assert [e.content for e in wrapped] == [e.content for e in bare]
    assert len({e.external_id for e in [*wrapped, *bare]}) == 8


def test_two_conversations_with_the_same_turn_ids_are_kept_apart(tmp_path: Path) -> None:
    other = SAMPLE | {"sample_id": "talk-2"}
    got = events(document(tmp_path / "f", [SAMPLE, other]))
    assert len({e.external_id for e in got}) == 8


def test_turns_without_words_and_strange_shapes_are_skipped(tmp_path: Path) -> None:
    turns = [{"speaker": "Tom", "text": " "}, 7, None, {"text": "Who speaks?"}]
    path = document(tmp_path / "f", [{"conversation": {"session_1": turns, "session_2": "x"}, "qa": []}, {"qa": []}, 3])
    (event,) = events(path)
    assert (event.actor, event.event_time) == ("user", None)
    assert reasons(path) == ["nothing said in it", "not a turn", "not a turn", "no sessions in it", "not an object"]
