"""The streams that every Thoth has. A new one is one line here; integrations register theirs the same way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.model.streams import DIARY, SUMMARY, Modality, Stream


def _world(name: str, source: str, modality: Modality = "text") -> Stream:
    return Stream(f"thoth.world.{name}", "exteroceptive", modality, source, "default-text")


def _deed(name: str, source: str, modality: Modality = "structured", profile: str = "default-structured") -> Stream:
    return Stream(f"thoth.self_action.{name}", "self_action", modality, source, profile)


STREAMS: tuple[Stream, ...] = (
    _world("user_message.cli", "terminal"),
    _world("user_message.telegram", "Telegram"),
    _world("user_message.discord", "Discord"),
    _world("user_message.slack", "Slack"),
    _world("user_message.whatsapp", "WhatsApp"),
    _world("user_message.signal", "Signal"),
    _world("user_message.acp", "Agent Client Protocol"),
    _deed("assistant_response", "the model's reply", "text", "default-text"),
    _deed("tool_call", "the model's tool calls"),
    _deed("tool_result", "tools"),
    _deed("subagent_spawn", "the host's subagents"),
    _deed("subagent_return", "the host's subagents"),
    Stream("thoth.self_state.session_lifecycle", "self_state", "structured", "the host's sessions", "default-structured"),
    Stream("thoth.self_state.cron_dispatch", "self_state", "structured", "the host's scheduler", "default-structured"),
    Stream(DIARY, "self_state", "structured", "the substrate itself", "diary"),
    # The fifteen end here. These are for `remember`, for what is watched and imported, and the last is the Summarizer's.
    _world("note", "notes to remember"),
    _world("file", "watched and imported files"),
    _world("email", "mail"),
    _world("calendar", "calendars"),
    Stream(SUMMARY, "self_state", "text", "summaries of old sessions", "default-text"),
)

_ACTORS = (
    ("thoth.self_action.tool_result", "tool"),
    ("thoth.self_action.subagent_return", "tool"),
    ("thoth.self_action.", "assistant"),
    ("thoth.self_state.", "system"),
    ("substrate.", "system"),
)


@dataclass(frozen=True, slots=True)
class RegisteredStream:
    """A stream as the database has it. Retired ones keep their slices and take no new ones."""

    stream: str
    retired: bool


_REGISTER: Query[Any] = query(__package__, "register_streams")
_REGISTERED = query(__package__, "registered_streams", RegisteredStream)


def actor_of(stream: str) -> str:
    """Who acts on `stream` when nobody says so: user, assistant, tool or system."""
    return next((actor for prefix, actor in _ACTORS if stream.startswith(prefix)), "user")


async def register(db: Database, streams: Iterable[Stream] = STREAMS) -> None:
    """Make `streams` known to the database. What is there already keeps its decay profile and lifecycle."""
    rows = [(s.name, s.family, s.modality, s.source, s.profile) for s in streams]
    async with db.tenant("") as tx:
        await tx.execute(_REGISTER, *(list(column) for column in zip(*rows, strict=True)))


async def registered(db: Database) -> list[RegisteredStream]:
    """Every stream in the database, ours and those of others."""
    async with db.tenant("") as tx:
        return await tx.fetch(_REGISTERED)
