"""Pointers go out as text and come back the same, whatever stands in a session's name or a mail's id."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoth_substrate.awareness.pointers import FIRST, LAST, Pointer, conversation, pointer
from thoth_substrate.errors import BadInput

AT = datetime(2026, 5, 10, 9, 12, tzinfo=UTC)


@given(st.text(min_size=1, max_size=60).filter(lambda text: "\x00" not in text and text == text.strip()))
def test_a_pointer_is_read_as_it_was_written(session: str) -> None:
    made = Pointer("conversation", conversation("thoth.world.note", session), AT, AT + timedelta(hours=2))
    assert pointer(str(made)) == made
    assert made.conversation == ("thoth.world.note", session)


def test_a_window_includes_the_fractions_of_its_last_second() -> None:
    made = Pointer("mail", "<1@x>", AT.replace(microsecond=700), AT.replace(microsecond=700))
    assert str(made) == "mail:<1@x>@2026-05-10T09:12:00Z/2026-05-10T09:12:01Z"
    read = pointer(str(made))
    assert read.from_time <= made.from_time <= made.to_time <= read.to_time


def test_without_a_window_it_is_all_of_the_source() -> None:
    assert pointer("mail:<4711@example.org>") == Pointer("mail", "<4711@example.org>", FIRST, LAST)
    assert str(pointer("channel:#ops")) == "channel:#ops"


@pytest.mark.parametrize(
    "said",
    [
        "", "boiler", ":x", "mail:", "Mail:x", "mail:\x00", "conversation:no-session", f"mail:{'x' * 501}",
        "mail:x@2026-05-10T09:00:00Z/2026-05-09T09:00:00Z", "mail:x@2026-13-10T09:00:00Z/2026-13-11T09:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_pointer_is_bad_input(said: str) -> None:
    with pytest.raises(BadInput):
        pointer(said)
