"""The bundled sample conversation is whole, dated before now, and answers what is asked of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from thoth_substrate.demo import demo_events, questions
from thoth_substrate.perceive.redact import redact

NOW = datetime(2026, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("now", [NOW, datetime(2031, 3, 1, 0, 30, tzinfo=timezone(timedelta(hours=13))), NOW.replace(year=2024)])
def test_the_last_session_was_two_days_before_now_and_the_first_a_year_earlier(now: datetime) -> None:
    times = [event.event_time for event in demo_events(now) if event.event_time]
    assert (now - times[-1]) // timedelta(hours=1) in range(24, 72)
    assert max(times) == times[-1]
    assert timedelta(days=300) < times[-1] - min(times) < timedelta(days=400)


def test_it_has_sessions_people_channels_and_tools() -> None:
    events = list(demo_events(NOW))
    assert 120 <= len(events) <= 160
    assert 10 <= len({event.session for event in events}) <= 12
    assert {event.actor for event in events} >= {"Maya", "Leo", "assistant", "find_places"}
    assert {event.stream.rsplit(".", 1)[-1] for event in events} == {
        "cli", "telegram", "assistant_response", "tool_call", "tool_result",
    }  # fmt: skip


def test_its_ids_do_not_depend_on_the_day_it_is_shown() -> None:
    today = [event.external_id for event in demo_events(NOW)]
    assert today == [event.external_id for event in demo_events(NOW + timedelta(days=40))]
    assert len(set(today)) == len(today)


def test_what_is_expected_stands_in_it_and_the_unanswerable_question_shares_no_word_with_it() -> None:
    *answerable, last = questions()
    text = " ".join(str(event.content) for event in demo_events(NOW))
    assert len(answerable) == 3
    assert all(one.expects and all(words in text for words in one.expects) for one in answerable)
    assert not last.expects
    assert not {word for word in last.question.casefold().split() if len(word) > 4} & set(text.casefold().split())


def test_the_made_up_key_is_redacted() -> None:
    """faults: API keys, passwords and card numbers inside messages and tool results."""
    (message,) = (event.content for event in demo_events(NOW) if "AKIA" in str(event.content))
    cleaned, count = redact(message)
    assert count >= 1
    assert "AKIA" not in cleaned
