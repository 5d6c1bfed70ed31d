"""Calendars: zones, whole days, repetition, changes, and events that are broken."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.imports.files import events, reasons

ZONE = """\
BEGIN:VTIMEZONE
TZID:Somewhere
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0300
TZOFFSETTO:+0300
END:STANDARD
END:VTIMEZONE
"""


def calendar(path: Path, *parts: str) -> Path:
    text = "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:Work\n" + "".join(parts) + "END:VCALENDAR\n"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    return path


def entry(*lines: str, kind: str = "VEVENT", uid: str = "u1") -> str:
    return f"BEGIN:{kind}\nUID:{uid}\n" + "".join(f"{line}\n" for line in lines) + f"END:{kind}\n"


def utc(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[misc,arg-type]


def test_an_event_with_its_people_place_and_zone(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f",
        entry(
            "SUMMARY:Planning\\, spring", "DTSTART;TZID=Europe/Madrid:20260302T100000",
            "DTEND;TZID=Europe/Madrid:20260302T113000",
            "LOCATION:Room 4", "ORGANIZER;CN=Ana García:mailto:ana@x.org", "ATTENDEE;CN=Ben:mailto:ben@x.org",
            "ATTENDEE:mailto:cho@x.org", "DESCRIPTION:Bring the\\nlist.",
        ),
    )  # fmt: skip
    (event,) = events(path)
    assert event.content == (
        "Planning, spring\nWhen: Monday, 02 March 2026, 10:00 to 11:30 (Europe/Madrid)\nWhere: Room 4\n"
        "With: Ana García, Ben, cho@x.org\n\nBring the\nlist."
    )
    assert event.event_time is not None
    assert event.event_time.astimezone(UTC) == utc(2026, 3, 2, 9)
    assert (event.stream, event.actor, event.session) == ("thoth.world.calendar", "Ana García", "calendar/Work")
    assert event.metadata["people"] == ["Ana García", "Ben", "cho@x.org"]


def test_zones_of_the_file_itself_and_utc(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f", ZONE, entry("SUMMARY:One", "DTSTART;TZID=Somewhere:20260302T100000"),
        entry("SUMMARY:Two", "DTSTART:20260302T100000Z", "DURATION:PT45M", uid="u2"),
        entry("SUMMARY:Three", "DTSTART:20260302T100000", uid="u3"),
    )  # fmt: skip
    one, two, three = events(path)
    assert one.event_time is not None
    assert one.event_time.astimezone(UTC) == utc(2026, 3, 2, 7)
    assert two.event_time == utc(2026, 3, 2, 10)
    assert "10:00 to 10:45" in two.content
    assert three.event_time == datetime(2026, 3, 2, 10)  # floating: taken as UTC, like every time without an offset


def test_whole_days_end_on_their_last_day(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f", entry("SUMMARY:Fair", "DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260305"),
        entry("SUMMARY:Birthday", "DTSTART;VALUE=DATE:20260302", uid="u2"),
    )  # fmt: skip
    fair, birthday = events(path)
    assert "When: Monday, 02 March 2026 to Wednesday, 04 March 2026, all day" in fair.content
    assert "When: Monday, 02 March 2026, all day" in birthday.content
    assert birthday.event_time == utc(2026, 3, 2)
    assert birthday.metadata["all_day"] is True


def test_what_repeats_is_told_in_words_and_a_changed_time_is_one_of_its_own(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f",
        entry("SUMMARY:Standup", "DTSTART:20260302T090000Z", "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20260601T000000Z"),
        entry("SUMMARY:Standup\\, moved", "DTSTART:20260316T150000Z", "RECURRENCE-ID:20260316T090000Z"),
        entry("SUMMARY:Yoga", "DTSTART:20260302T180000Z", "RRULE:FREQ=DAILY;COUNT=10", uid="u2"),
    )
    standup, moved, yoga = events(path)
    assert "Repeats: every 2 weeks on Monday, Wednesday until 01 June 2026" in standup.content
    assert "Repeats: every day, 10 times" in yoga.content
    assert len({standup.external_id, moved.external_id, yoga.external_id}) == 3


def test_the_same_again_has_the_same_ids_and_a_newer_one_another(tmp_path: Path) -> None:
    first = calendar(tmp_path / "f", entry("SUMMARY:Lunch", "DTSTART:20260302T120000Z"))
    again = calendar(tmp_path / "g", entry("SUMMARY:Lunch", "DTSTART:20260302T120000Z"))
    newer = calendar(tmp_path / "h", entry("SUMMARY:Lunch", "DTSTART:20260302T130000Z", "SEQUENCE:2"))
    ids = [events(path)[0].external_id for path in (first, again, newer)]
    assert ids[0] == ids[1] != ids[2]


def test_tasks_and_cancelled_events_say_what_they_are(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f", entry("SUMMARY:Pay rent", "DUE:20260305T000000Z", kind="VTODO"),
        entry("SUMMARY:Trip", "DTSTART:20260302T120000Z", "STATUS:CANCELLED", uid="u2"),
    )  # fmt: skip
    task, trip = events(path)
    assert task.event_time == utc(2026, 3, 5)
    assert "Status: cancelled" in trip.content


def test_a_broken_event_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    path = calendar(
        tmp_path / "f", entry("SUMMARY:One", "DTSTART:20260302T120000Z"), entry("SUMMARY:Two", "DTSTART:tomorrow", uid="u2"),
        entry("SUMMARY:Three", uid="u3"), entry("DTSTART:20260302T120000Z", uid="u4"), "BEGIN:VEVENT\nSUMMARY:never ended\n",
    )  # fmt: skip
    assert [event.content.split("\n")[0] for event in events(path)] == ["One"]
    assert sorted(reasons(path)) == sorted(
        ["an event that cannot be read", "an event without a date", "nothing said in it", "an event that cannot be read"]
    )
