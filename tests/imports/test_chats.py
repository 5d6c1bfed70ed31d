"""The exports of Slack, Telegram and WhatsApp."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.imports.files import events, found, reasons
from thoth_substrate.errors import UnreadableFile
from thoth_substrate.imports.detect import reader_for
from thoth_substrate.imports.found import Skipped
from thoth_substrate.imports.source import Source

USERS = [{"id": "U1", "name": "ana", "profile": {"real_name": "Ana García"}}, {"id": "U2", "name": "ben"}, {"id": 3}, "x"]
CHANNELS = [{"id": "C1", "name": "general", "members": ["U1"]}]
DMS = [{"id": "D1", "members": ["U1", "U2"]}]
DAY = [
    {
        "type": "message",
        "user": "U1",
        "text": "Hi <@U2>, see <https://x.org|the page> &amp; <#C1|general>",
        "ts": "1772445600.000100",
    },
    {"type": "message", "user": "U2", "text": "yes", "ts": "1772445660.5", "thread_ts": "1772445600.000100"},
    {"type": "message", "subtype": "channel_join", "user": "U2", "text": "joined", "ts": "1772445661"},
    {"type": "message", "user": "U2", "text": "", "files": [{"name": "a.pdf"}], "ts": "1772445662"},
    {
        "type": "message",
        "subtype": "bot_message",
        "username": "Robot",
        "text": "built",
        "ts": "1772445663",
        "files": [{"name": "b"}],
    },
    "not a message",
]


def slack(folder: Path, **more: Any) -> Path:
    files = {
        "users.json": USERS, "channels.json": CHANNELS, "dms.json": DMS, "general/2026-03-02.json": DAY,
        "D1/2026-03-02.json": [{"type": "message", "user": "U2", "text": "psst", "ts": "1772445600"}], **more,
    }  # fmt: skip
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return folder


def zipped(folder: Path, target: Path, prefix: str = "") -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, f"{prefix}{path.relative_to(folder)}")
    return target


def named(path: Path) -> str:
    with Source(path) as source:
        return reader_for(source).NAME


def test_slack_from_a_folder_and_from_its_zip_are_the_same(tmp_path: Path) -> None:
    folder = slack(tmp_path / "export")
    told = [events(path) for path in (folder, zipped(folder, tmp_path / "a.zip"), zipped(folder, tmp_path / "b.zip", "export/"))]
    assert told[0] == told[1] == told[2]
    psst, hi, yes, built = told[0]
    assert hi.content == "Hi @ben, see the page (https://x.org) & #general"
    assert (hi.stream, hi.actor, hi.session) == ("thoth.world.user_message.slack", "Ana García", "slack/C1")
    assert hi.event_time == datetime(2026, 3, 2, 10, 0, 0, 100, tzinfo=UTC)
    assert (yes.session, yes.metadata["thread"]) == ("slack/C1/1772445600.000100", "1772445600.000100")
    assert (psst.session, psst.metadata["channel"]) == ("slack/D1", "Ana García, ben")
    assert (built.actor, built.metadata["attachments"]) == ("Robot", ["b"])
    assert len({event.external_id for event in told[0]}) == 4
    assert sorted(reasons(folder)) == ["a notice of the program", "a picture, file or sound without words", "not an object"]


def test_slack_with_damaged_lists_still_has_its_messages(tmp_path: Path) -> None:
    folder = slack(tmp_path / "export", **{"users.json": "{", "channels.json": "[", "general/2026-03-03.json": "[{"})
    hi = next(event for event in events(folder) if "see" in event.content)
    assert (hi.actor, hi.session, hi.metadata["channel"]) == ("U1", "slack/general", "#general")
    assert "not JSON" in reasons(folder)
    assert reasons(tmp_path / "export" / "users.json", "slack") == ["a file by itself: the export is a zip or a folder"]


def test_another_zip_and_another_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("x")
    with pytest.raises(UnreadableFile, match="no Slack export"):
        found(tmp_path / "other")
    with pytest.raises(UnreadableFile, match=r"a zip without conversations\.json"):
        found(zipped(tmp_path / "other", tmp_path / "o.zip"))
    with pytest.raises(UnreadableFile, match=r"a zip without conversations\.json"):
        found(tmp_path / "o.zip", "jsonl")


CHAT = {
    "name": "Ana", "type": "personal_chat", "id": 77,
    "messages": [
        {"id": 1, "type": "service", "actor": "Ana", "action": "phone_call"},
        {"id": 2, "type": "message", "date": "2026-03-02T11:00:00", "date_unixtime": "1772445600", "from": "Ana",
         "text": ["see ", {"type": "link", "text": "x.org"}, " now"], "reply_to_message_id": 1},
        {"id": 3, "type": "message", "date": "2026-03-02T11:00:00", "from": "Me", "text": "", "photo": "photos/1.jpg"},
        {"id": 4, "type": "message", "date": "2026-03-02T11:05:00", "from": None, "text": "ok"},
    ],
}  # fmt: skip


def test_telegram_one_chat_and_all_of_them(tmp_path: Path) -> None:
    one, all_ = tmp_path / "result.json", tmp_path / "all.json"
    one.write_text(json.dumps(CHAT))
    all_.write_text(json.dumps({"about": "x", "chats": {"about": "y", "list": [CHAT, {**CHAT, "name": "Ben", "id": 78}]}}))
    assert (named(one), named(all_)) == ("telegram", "telegram")
    see, ok = events(one)
    assert (see.content, see.actor, see.session) == ("see x.org now", "Ana", "telegram/77")
    assert see.event_time == datetime(2026, 3, 2, 10, tzinfo=UTC)
    assert ok.event_time == datetime(2026, 3, 2, 11, 5)
    assert reasons(one) == ["a service message", "a picture, file or sound without words"]
    assert [(e.session, e.metadata["chat"]) for e in events(all_)] == [("telegram/77", "Ana")] * 2 + [("telegram/78", "Ben")] * 2
    assert len({event.external_id for event in events(all_)}) == 4


def test_telegram_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    text = json.dumps(CHAT)
    path.write_text(text[: text.index('"id": 4')])
    assert [event.content for event in events(path)] == ["see x.org now"]
    assert reasons(path)[-1] == "the file breaks off or is not JSON from here on"


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        (["[31/12/2025, 23:59:01] Ana: Happy\nnew year", "[01/02/2026, 00:00:10] Ben: you too"], datetime(2026, 2, 1, 0, 0, 10)),
        (["12/31/25, 11:59 PM - Ana: Happy\nnew year", "2/1/26, 12:00 AM - Ben: you too"], datetime(2026, 2, 1)),
        (["31.12.25, 23:59 - Ana: Happy\nnew year", "01.02.26, 00:00 - Ben: you too"], datetime(2026, 2, 1)),
        (["2025-12-31, 23:59 - Ana: Happy\nnew year", "2026-02-01, 00:00 - Ben: you too"], datetime(2026, 2, 1)),
        (
            ["\u200e[31/12/25, 11:59:01\u202fPM] Ana: Happy\nnew year", "[1/2/26, 12:00:00\u202fAM] Ben: you too"],
            datetime(2026, 2, 1),
        ),
    ],
)
def test_whatsapp_in_the_manner_of_several_countries(tmp_path: Path, lines: list[str], at: datetime) -> None:
    path = tmp_path / "WhatsApp Chat with Ana.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert named(path) == "whatsapp"
    first, second = events(path)
    assert (first.content, first.actor, first.session) == ("Happy\nnew year", "Ana", "whatsapp/Ana")
    assert (second.content, second.event_time) == ("you too", at)


def test_whatsapp_leaves_out_notices_and_media_and_counts_what_is_said_twice(tmp_path: Path) -> None:
    text = (
        "31/12/25, 23:58 - Messages and calls are end-to-end encrypted.\n31/12/25, 23:59 - Ana: <Media omitted>\n"
        "31/12/25, 23:59 - Ana: ok\n31/12/25, 23:59 - Ana: ok\n32/12/25, 23:59 - Ana: never\n"
    )
    path = tmp_path / "chat.txt"
    path.write_text(text)
    assert len({event.external_id for event in events(path)}) == 2
    assert reasons(path) == ["written by the program", "a picture, file or sound without words", "a date that is none"]
    packed = tmp_path / "WhatsApp Chat - Ana.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(path, "_chat.txt")
    assert [event.session for event in events(packed)] == ["whatsapp/Ana"] * 2


def test_a_text_with_a_date_in_it_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("31/12/25, 23:58 - we left: late\nand more\n")
    assert named(path) in ("whatsapp", "document")  # it cannot be told
    path.write_text("Minutes of 31/12/25\n31/12/25, 23:58 - we left\n")
    assert named(path) == "document"
    assert not [one for one in found(path) if isinstance(one, Skipped)]
