"""What Thoth does for Hermes: perceive each turn once, recall before the next, answer tools, mirror Hermes' own entries."""

from __future__ import annotations

import concurrent.futures
import itertools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from thoth_substrate import boot
from thoth_substrate.awareness.line import line
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import BadInput, DatabaseUnavailable, ThothError
from thoth_substrate.integrations.spoken import said, speak, unsay
from thoth_substrate.items.item import Page, Put
from thoth_substrate.items.read import Store, search
from thoth_substrate.items.write import delete, put
from thoth_substrate.model.ports import Embedder
from thoth_substrate.model.projection import Line, Projection
from thoth_substrate.model.slice import Event
from thoth_substrate.settings import Settings, load
from thoth_substrate.substrate import Substrate
from thoth_substrate.views.resolve import slice_id

T = TypeVar("T")
OPENING_S = 30.0  # for what need not answer within a turn
AWARENESS_S = 2.0  # for the line in the system prompt
FLUSH_S = 2.0
MOST_ENTRIES = 10_000
_PLATFORMS = frozenset({"cli", "telegram", "discord", "slack", "whatsapp", "signal", "acp"})
_NOTE = "thoth.world.note"
_DEED = "thoth.self_action."
_log = logging.getLogger("thoth")


class HermesMemory:
    """One Hermes process's memory. Opened beside Hermes' start; while it is not open yet a turn goes on without it.

    `config` is the plugin's own (`tenant`, `inject`, `deadline_ms`, `budget_tokens`), `place` what Hermes says of where it runs.
    Only the `primary` agent reads and writes: what a schedule or a subagent says is not what the user said.
    """

    def __init__(self, session: str, config: Mapping[str, Any], place: Mapping[str, Any]) -> None:
        """Raises SettingsError."""
        self._settings = settings_of(config)
        self._session = session
        self._active = str(place.get("agent_context") or "primary") == "primary" and place.get("platform") != "cron"
        self._inject = str(config.get("inject", True)).lower() not in ("false", "0", "no")
        platform = str(place.get("platform") or "cli")
        self._user_stream = f"thoth.world.user_message.{platform if platform in _PLATFORMS else 'cli'}"
        self._speaker = str(place["user_name"]) if place.get("user_name") else None
        told = ("platform", "user_id", "agent_identity", "chat_id")
        self._metadata = {"host": "hermes", **{key: str(place[key]) for key in told if place.get(key)}}
        self._switches = itertools.count(1)
        self._switched = 0  # how often the session was switched: an answer begun before the last time is not this session's
        self._synced: tuple[Any, ...] | None = None
        self._lock = threading.Lock()
        self._store = Store(self._settings.tenant, "hermes")
        self._opener = concurrent.futures.ThreadPoolExecutor(1, "thoth-hermes")
        self._opening = self._opener.submit(boot.open_substrate, self._settings)

    def prefetch(self, query: str, session: str) -> str:
        """The context for a question, without its fence, which is Hermes' to set. Never raises, never late, often empty."""
        substrate = self._substrate(self._settings.recall_deadline_ms / 1000)
        if substrate is None or not (self._active and self._inject) or query.lstrip().startswith("/"):
            return ""
        before = self._switched
        projection = substrate.recall_sync(query, session=session or self._session, forced=True)
        return "" if before != self._switched else _unfenced(projection)

    def sync(self, user: str, assistant: str, session: str, messages: Sequence[Mapping[str, Any]]) -> None:
        """Perceive a turn, once however often it is told: the user's words, the tools' calls and results, the reply."""
        turn = (session or self._session, user, assistant, len(messages))
        with self._lock:
            if not self._active or turn == self._synced:
                return
            self._synced = turn
        self._perceive(Event(self._user_stream, user, turn[0], self._speaker))
        for event in _tools(messages, turn[0]):
            self._perceive(event)
        self._perceive(Event(f"{_DEED}assistant_response", assistant, turn[0]))

    def delegated(self, task: str, result: str, child_session: str) -> None:
        """Perceive a subagent's task and what came of it."""
        if self._active:
            about = {"child_session": child_session} if child_session else {}
            self._perceive(Event(f"{_DEED}subagent_spawn", task, self._session, metadata=about))
            self._perceive(Event(f"{_DEED}subagent_return", result, self._session, metadata=about))

    def switch(self, session: str) -> None:
        """Another conversation, or another state of this one."""
        self._session = session
        self._switched = next(self._switches)

    def mirror(self, action: str, target: str, content: str, old: str) -> None:
        """Keep an entry of Hermes' own memory, or take away those that hold `old` (of a removal without it: `content`)."""
        if self._active:
            gone = old or (content if action == "remove" else "")
            kept = content if action in ("add", "replace") else ""
            self._attempt(partial(self._mirror, target, kept, gone), None)

    def tool(self, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one of the model's tools; `error` says what was wrong."""
        tools = {"recall": self._recall, "remember": self._remember, "forget": self._forget, "pin": self._pin}
        if name not in tools:
            return {"error": f"There is no tool {name!r} here: {', '.join(tools)}."}
        substrate = self._substrate(OPENING_S)
        if substrate is None:
            return {"error": "The memory cannot be reached now; go on without it."}
        try:
            return tools[name](substrate, args)
        except ThothError as error:
            return {"error": str(error)}

    def awareness(self) -> str:
        """What is going on lately, as keywords; "" when there is nothing, or the database is away."""
        return self._attempt(lambda database, _: line(database, self._settings.tenant, how="thoth_recall"), "", AWARENESS_S)

    def flush(self) -> None:
        """Wait a moment until all is in the database."""
        substrate = self._substrate(0)
        if substrate is not None:
            with concurrent.futures.ThreadPoolExecutor(1) as apart:
                apart.submit(_until_durable, substrate).result()

    def close(self) -> None:
        """Close the façade, once it is open."""
        self._opener.shutdown(wait=False)
        substrate = self._substrate(OPENING_S)
        if substrate is not None:
            substrate.close_sync()

    def _recall(self, substrate: Substrate, args: Mapping[str, Any]) -> dict[str, Any]:
        budget = args.get("budget_tokens")
        found = substrate.recall_sync(
            _text(args, "query"), session=self._session, forced=True, budget_tokens=budget if isinstance(budget, int) else None
        )
        told: dict[str, Any] = {"memories": [_told(one) for one in found.lines]}
        return told if found.lines else {**told, "why_none": str(found.empty_reason or "")}

    def _remember(self, substrate: Substrate, args: Mapping[str, Any]) -> dict[str, Any]:
        if not self._active:
            return {"error": "Only the conversation itself may remember; nothing was kept."}
        event = Event(_NOTE, _text(args, "content"), self._session, "assistant", metadata=self._metadata)
        ack = substrate.perceive_sync(event, tenant=self._settings.tenant)
        return {"id": str(ack.slice_id)} if ack.slice_id else {"error": f"Nothing was kept: {ack.dropped}."}

    def _forget(self, substrate: Substrate, args: Mapping[str, Any]) -> dict[str, Any]:
        found = substrate.lend_sync(self._named(_text(args, "id")))
        return {"id": str(found), "changed": substrate.forget_sync(found)}

    def _pin(self, substrate: Substrate, args: Mapping[str, Any]) -> dict[str, Any]:
        found = substrate.lend_sync(self._named(_text(args, "id")))
        return {"id": str(found), "changed": substrate.pin_sync(found)}

    def _named(self, word: str) -> Callable[[Database, Embedder | None], Any]:
        return lambda database, _: slice_id(database, self._settings.tenant, word)

    async def _mirror(self, target: str, kept: str, gone: str, database: Database, _: Embedder | None) -> None:
        about = {**self._metadata, "target": target}
        event = Event(_NOTE, kept, f"hermes/{target}", "assistant", metadata=about)
        async with database.tenant(self._store.tenant) as tx:
            if gone:
                entries = await search(tx, self._store, [target], [], Page(MOST_ENTRIES))
                names = [(one.namespace, one.key) for one in entries if gone in one.value["text"]]
                await delete(tx, self._store, names)
            entry = Put([target], said(kept) or "", {"text": kept}, said=said(kept))
            written = await put(tx, self._store, [entry]) if kept else []
        substrate = self._substrate(0)
        if substrate is not None:
            speak(substrate, self._store, written, [event])
            await unsay(substrate, database, self._store)

    def _perceive(self, event: Event) -> None:
        substrate = self._substrate(OPENING_S)
        if substrate is not None:
            marked = Event(event.stream, event.content, event.session, event.actor, metadata={**self._metadata, **event.metadata})
            substrate.perceive_sync(marked, tenant=self._settings.tenant)

    def _substrate(self, patience_s: float) -> Substrate | None:
        """The façade, if it is open within `patience_s`."""
        try:
            return self._opening.result(patience_s)
        except TimeoutError:
            return None
        except ThothError as error:
            _log.warning("Hermes goes on without memory: %s", error)
            return None

    def _attempt(self, deed: Callable[[Database, Embedder | None], Any], otherwise: T, patience_s: float = OPENING_S) -> T:
        """Do it with the database; `otherwise` when that is away, or not open within `patience_s`."""
        substrate = self._substrate(patience_s)
        if substrate is None or not substrate.ready_sync(patience_s):
            return otherwise
        try:
            answer: T = substrate.lend_sync(deed)
        except DatabaseUnavailable as error:
            _log.warning("Hermes goes on without the database: %s", error)
            return otherwise
        return answer


def settings_of(config: Mapping[str, Any]) -> Settings:
    """Thoth's settings, with what the plugin's configuration says. Raises SettingsError."""
    names = {"tenant": "THOTH_TENANT", "deadline_ms": "THOTH_RECALL_DEADLINE_MS", "budget_tokens": "THOTH_RECALL_BUDGET_TOKENS"}
    return load(**{variable: config[key] for key, variable in names.items() if config.get(key) not in (None, "")})


def backup_paths() -> list[str]:
    """Thoth's settings and journal, by the settings alone; none when those cannot be read."""
    try:
        home = load().home_dir
    except ThothError as error:
        _log.warning("Nothing of Thoth is backed up: %s", error)
        return []
    return [str(home / ".env"), str(home / "journal")]


def _until_durable(substrate: Substrate) -> bool:
    import asyncio

    return asyncio.run(substrate.durable(FLUSH_S))


def _unfenced(projection: Projection) -> str:
    return "\n".join(projection.block.splitlines()[1:-1])


def _told(one: Line) -> dict[str, Any]:
    told = {
        "id": str(one.slice_id),
        "kind": str(one.kind),
        "when": one.event_time.isoformat(),
        "who": one.actor,
        "text": one.text,
    }
    return told if one.confidence >= 1 else {**told, "confidence": round(one.confidence, 2)}


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{name} must be a text that is not empty; nothing was done.")
    return value


def _tools(messages: Sequence[Mapping[str, Any]], session: str) -> list[Event]:
    """The calls and results of the turn: what stands behind the last words of the user."""
    begun = max((place for place, message in enumerate(messages) if message.get("role") == "user"), default=len(messages))
    found: list[Event] = []
    for message in messages[begun + 1 :]:
        for call in message.get("tool_calls") or ():
            function = call.get("function") or {}
            content = {"name": function.get("name"), "arguments": function.get("arguments")}
            found.append(Event(f"{_DEED}tool_call", content, session))
        if message.get("role") == "tool":
            about = {"tool": str(message["name"])} if message.get("name") else {}
            found.append(Event(f"{_DEED}tool_result", message.get("content"), session, metadata=about))
    return found
