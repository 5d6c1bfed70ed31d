"""Slack's export: a zip or folder with users.json, channels.json and a file a day for each channel."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from thoth_substrate.imports import ids, records
from thoth_substrate.imports.archive import Archive
from thoth_substrate.imports.found import EMPTY, Found, Skipped
from thoth_substrate.imports.source import Source
from thoth_substrate.imports.times import when
from thoth_substrate.model.slice import Event

NAME = "slack"
TITLE = "Slack export (the zip, or the folder)"
STREAM = "thoth.world.user_message.slack"
_DAY = re.compile(r"(?:^|/)(?P<channel>[^/]+)/\d{4}-\d{2}-\d{2}\.json$")
_LISTS = ("channels", "groups", "dms", "mpims")
_REFERENCE = re.compile(r"<(?P<kind>[@#!]?)(?P<what>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")
_EVENT = "a notice of the program"
_NO_WORDS = "a picture, file or sound without words"
_MALFORMED = "not JSON"
_NO_EXPORT = "a file by itself: the export is a zip or a folder"


def recognises_archive(archive: Archive) -> bool:
    """A day's file of a channel, and the list of users or channels."""
    names = archive.names()
    listed = any(name.rpartition("/")[2] in ("users.json", "channels.json") for name in names)
    return listed and any(_DAY.search(name) for name in names)


def read(source: Source) -> Iterator[Found]:
    """Messages, channel by channel and day by day."""
    archive = source.archive
    if archive is None:
        yield Skipped(_NO_EXPORT, source.name)
        return
    people = _people(archive)
    channels = _channels(archive, people)
    days = sorted((found["channel"], name) for name in archive.names() if (found := _DAY.search(name)))
    for folder, name in days:
        content = archive.read(name)
        source.taken += len(content or b"")
        messages = records.parsed(content) if content is not None else None
        if not isinstance(messages, list):
            yield Skipped(_MALFORMED, name)
            continue
        for number, message in enumerate(messages, 1):
            where = f"{name}, message {number}"
            yield (
                _found(folder, channels, people, message, where) if isinstance(message, dict) else Skipped("not an object", where)
            )


def _people(archive: Archive) -> dict[str, str]:
    found = {}
    for user in _listed(archive, "users"):
        profile: dict[str, Any] = user["profile"] if isinstance(user.get("profile"), dict) else {}
        name = profile.get("real_name") or user.get("real_name") or profile.get("display_name") or user.get("name")
        if isinstance(user.get("id"), str) and isinstance(name, str) and name:
            found[user["id"]] = name
    return found


def _channels(archive: Archive, people: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """By the name of its folder: a channel's id, and what it is called."""
    found = {}
    for kind in _LISTS:
        for channel in _listed(archive, kind):
            own = channel.get("id")
            if not isinstance(own, str):
                continue
            members = [people.get(str(member), str(member)) for member in channel.get("members") or ()]
            name = channel.get("name") if isinstance(channel.get("name"), str) else ""
            called = f"#{name}" if name and kind == "channels" else ", ".join(members) or name or own
            for folder in (name, own):
                if folder:
                    found[str(folder)] = (own, called)
    return found


def _listed(archive: Archive, noun: str) -> list[Mapping[str, Any]]:
    name = next((one for one in archive.names() if one.rpartition("/")[2] == f"{noun}.json" and one.count("/") <= 1), None)
    content = archive.read(name) if name else None
    value = records.parsed(content) if content is not None else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _found(
    folder: str, channels: Mapping[str, tuple[str, str]], people: Mapping[str, str], message: Mapping[str, Any], where: str
) -> Found:  # fmt: skip
    kind = message.get("subtype")
    if message.get("type") != "message" or kind not in (None, "bot_message", "me_message", "thread_broadcast", "file_share"):
        return Skipped(_EVENT, where)
    text = _plain(str(message.get("text") or ""), people)
    files = [str(one.get("name")) for one in message.get("files") or () if isinstance(one, dict) and one.get("name")]
    if not text.strip():
        return Skipped(_NO_WORDS if files else EMPTY, where)
    own, called = channels.get(folder, (folder, f"#{folder}"))
    stamp, thread = str(message.get("ts") or ""), str(message.get("thread_ts") or "")
    metadata = {"channel": called, "attachments": files[:20], "thread": thread if thread != stamp else ""}
    return Event(
        stream=STREAM,
        content=text,
        session=f"slack/{own}/{thread}" if thread else f"slack/{own}",
        actor=people.get(str(message.get("user"))) or _bot(message) or str(message.get("user") or "someone"),
        event_time=_time(stamp),
        external_id=ids.joined(own, stamp or ids.digest(message)),
        source=NAME,
        metadata={name: value for name, value in metadata.items() if value},
    )


def _bot(message: Mapping[str, Any]) -> str:
    profile = message.get("user_profile") or message.get("bot_profile")
    named = profile.get("real_name") or profile.get("name") if isinstance(profile, dict) else None
    return str(message.get("username") or named or "")


def _plain(text: str, people: Mapping[str, str]) -> str:
    """Slack's references as a reader sees them."""

    def shown(found: re.Match[str]) -> str:
        what, label = found["what"], found["label"]
        if found["kind"] == "@":
            return f"@{people.get(what) or label or what}"
        if found["kind"] == "#":
            return f"#{label or what}"
        if found["kind"] == "!":
            return f"@{label or what.partition('^')[0]}"
        return f"{label} ({what})" if label and label != what else what

    return html.unescape(_REFERENCE.sub(shown, text))


def _time(stamp: str) -> datetime | None:
    found = when(stamp)
    return found.replace(tzinfo=UTC) if found is not None and found.tzinfo is None else found
