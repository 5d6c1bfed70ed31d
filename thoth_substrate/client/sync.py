"""`ThothClient` without asyncio, call for call. Written from `client.py` by `make docs`: change that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar
from uuid import UUID

import httpx2
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

from thoth_substrate.client import answers as told
from thoth_substrate.client.calls import ATTEMPTS, Call, Unanswered, check, decoded, event_of, new_key, pause, unreached
from thoth_substrate.errors import RequestFailed, ServerUnavailable
from thoth_substrate.settings import Settings, load

T = TypeVar("T")
Id = UUID | str
Layer = Literal["entities", "facts", "associations", "patterns", "observations"]
WAIT_MS = 10_000
MODEL_S = 60.0  # a model may take so long, beyond what anything else does


class SyncThothClient:
    """Thoth over HTTP, for one tenant, agent, session and user. Closed by `close` or as a context manager.

    Errors are Thoth's own (`thoth_substrate.errors`): BadInput for what cannot be used, UnknownSlice and its like for what is not
    there, TokenNeeded, NotPermitted, AlreadyReplaced; ServerUnavailable when nothing answers, or only that it cannot now, in
    `attempts` attempts with growing pauses; RequestFailed for anything else. What may have been done is not sent again, but
    for what does no more when it is: reading, pinning, forgetting, and making a memory, which carries a key.
    `timeout_s` is for each attempt; a call that lets the server wait has that on top.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8484", token: str | None = None, *, tenant: str | None = None,
        agent: str | None = None, session: str | None = None, user: str | None = None, timeout_s: float = 30.0,
        attempts: int = ATTEMPTS,
    ) -> None:  # fmt: skip
        scope = {"tenant": tenant, "agent": agent, "session": session, "user": user, "token": token}
        headers = {f"x-thoth-{name}": value for name, value in scope.items() if value is not None}
        self._timeout_s, self._attempts = timeout_s, attempts
        self._http = httpx2.Client(base_url=url, headers=headers)

    @classmethod
    def from_settings(cls, settings: Settings | None = None, **options: Any) -> SyncThothClient:
        """A client of the server that THOTH_URL names, with THOTH_TOKEN. `options` are the constructor's."""
        chosen = settings or load()
        token = chosen.token.get_secret_value() if chosen.token else None
        return cls(**{"url": chosen.url, "token": token, **options})

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> SyncThothClient:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # ── Memories ────────────────────────────────────────────────────────────────────────────────────────────────────

    def remember(
        self, content: str | Mapping[str, Any] | Sequence[Any], *, session: str | None = None, actor: str | None = None,
        stream: str | None = None, event_time: datetime | None = None, external_id: str | None = None, source: str | None = None,
        metadata: Mapping[str, Any] | None = None, wait_ms: int = 0, idempotency_key: str | None = None,
    ) -> told.Made:  # fmt: skip
        """Keep something: safe when this returns. `wait_ms` lets the server wait until it can be recalled, and was read.

        The same `idempotency_key` makes one memory; without one, each call has a key of its own.
        """
        body = {
            "content": content, "session": session, "actor": actor, "stream": stream, "event_time": event_time,
            "external_id": external_id, "source": source, "metadata": metadata,
        }  # fmt: skip
        params = {"wait": True, "wait_ms": wait_ms} if wait_ms else {}
        headers = {"idempotency-key": idempotency_key or new_key()}
        return self._told(
            told.Made, Call("POST", "/v1/memories", params, body, headers, waits_s=wait_ms / 1000)
        )  # fmt: skip

    def memory(self, memory_id: Id) -> told.Memory:
        """One memory, whatever its state."""
        return self._told(told.Memory, Call("GET", f"/v1/memories/{memory_id}"))

    def memories(
        self, *, limit: int = 50, cursor: str | None = None, state: Sequence[str] | None = None,
        stream: Sequence[str] | None = None, session: str | None = None, actor: str | None = None, since: datetime | None = None,
        until: datetime | None = None, entity: str | None = None, topic: str | None = None, importance: float | None = None,
        metadata: Mapping[str, Any] | None = None, source: str | None = None,
    ) -> told.Page:  # fmt: skip
        """A page of memories, newest first. Filters narrow; `cursor` is the `next_cursor` of the page before."""
        params = {
            "limit": limit, "cursor": cursor, "state": state, "stream": stream, "session": session, "actor": actor,
            "since": since, "until": until, "entity": entity, "topic": topic, "importance": importance, "metadata": metadata,
            "source": source,
        }  # fmt: skip
        return self._told(told.Page, Call("GET", "/v1/memories", params))

    def each_memory(self, **filters: Any) -> Iterator[told.Memory]:
        """Every memory, page by page; the filters are those of `memories`."""
        cursor: str | None = None
        while True:
            page = self.memories(**{"limit": 200, **filters}, cursor=cursor)
            yield from page.memories
            if page.next_cursor is None:
                return
            cursor = page.next_cursor

    def change(
        self, memory_id: Id, content: str | Mapping[str, Any] | Sequence[Any] | None = None, *,
        metadata: Mapping[str, Any] | None = None, event_time: datetime | None = None,
    ) -> told.Changed:  # fmt: skip
        """Make a newer version. Keys of `metadata` are laid over the older one's; None takes a key out."""
        body = {"content": content, "metadata": metadata, "event_time": event_time}
        return self._told(told.Changed, Call("PATCH", f"/v1/memories/{memory_id}", body=body, safe=False))

    def delete(self, memory_id: Id, *, purge: bool = False) -> told.Deleted:
        """Forget a memory; with `purge` now and for good, with every version and all that was made of it (admin only)."""
        return self._told(told.Deleted, Call("DELETE", f"/v1/memories/{memory_id}", {"purge": purge} if purge else {}))

    def history(self, memory_id: Id) -> list[told.Version]:
        """Every version of a memory, the first one first."""
        return (self._told(told.History, Call("GET", f"/v1/memories/{memory_id}/history"))).versions

    # ── Recall and questions ────────────────────────────────────────────────────────────────────────────────────────

    def recall(
        self, query: str, *, session: str | None = None, budget_tokens: int | None = None, deadline_ms: int | None = None,
        as_of: datetime | None = None, explain: bool = False,
    ) -> told.RecallAnswer:  # fmt: skip
        """What memory has to say about `query`; the own turns of `session` are left out."""
        body = {
            "query": query, "session": session, "budget_tokens": budget_tokens, "deadline_ms": deadline_ms, "as_of": as_of,
            "explain": explain,
        }  # fmt: skip
        return self._told(told.RecallAnswer, Call("POST", "/v1/recall", body=body, waits_s=(deadline_ms or 0) / 1000))

    def ask(self, question: str, **filters: Any) -> told.Answered:
        """A cited answer. `filters` are those of `/v1/query`: mode, since, until, person, topic, source, stream, as_of …"""
        body = {"question": question, **filters}
        return self._told(told.Answered, Call("POST", "/v1/query", body=body, waits_s=MODEL_S))

    def ask_streamed(self, question: str, **filters: Any) -> Iterator[str | told.Answered]:
        """The words of an answer as they come, and at the end the whole, which counts where it differs. One attempt."""
        call = Call("POST", "/v1/query", body={"question": question, **filters, "streamed": True}, safe=False, waits_s=MODEL_S)
        response = self._sent(call, stream=True)
        try:
            lines: list[str] = []
            for line in response.iter_lines():
                if line:
                    lines.append(line)
                    continue
                name, data = event_of(lines)
                lines = []
                yield told.as_answer(told.Answered, data) if name == "answer" else str(data["text"])
        except httpx2.TransportError as error:
            raise RequestFailed(f"The answer broke off ({type(error).__name__}): ask again.") from error
        finally:
            response.close()

    # ── Awareness ───────────────────────────────────────────────────────────────────────────────────────────────────

    def awareness(self, *, tokens: int | None = None, limit: int = 50) -> told.Aware:
        """What is going on: one line, and the topics."""
        return self._told(told.Aware, Call("GET", "/v1/awareness", {"tokens": tokens, "limit": limit}))

    def look_up(self, words: str, *, limit: int = 10) -> list[told.Found]:
        """Topics by words, with pointers to where they were met."""
        return (self._told(told.Looked, Call("GET", "/v1/awareness/lookup", {"q": words, "limit": limit}))).found

    def read(self, pointer: str, *, limit: int = 200) -> told.Reading:
        """What was said where a pointer leads."""
        return self._told(told.Reading, Call("GET", "/v1/awareness/read", {"pointer": pointer, "limit": limit}))

    def note_topic(self, keywords: Sequence[str], sources: Sequence[str] = (), *, days: float = 7) -> told.Concept:
        """Note a topic by hand, also one that was met outside."""
        body = {"keywords": list(keywords), "sources": list(sources), "days": days}
        return self._told(told.Concept, Call("POST", "/v1/awareness", body=body))

    def forget_topic(self, concept_id: int) -> told.Concept:
        """Take a topic away; answers it as it was."""
        return (self._told(told.Taken, Call("DELETE", f"/v1/awareness/{concept_id}", safe=False))).forgotten

    # ── Attention, layers, consolidation ────────────────────────────────────────────────────────────────────────────

    def pin(self, memory_id: Id) -> bool:
        """Never let a memory fade; False when it was pinned before."""
        return (self._told(told.Moved, Call("POST", f"/v1/slices/{memory_id}/pin"))).changed

    def unpin(self, memory_id: Id) -> bool:
        """Let it fade again; False when it was not pinned."""
        return (self._told(told.Moved, Call("POST", f"/v1/slices/{memory_id}/unpin"))).changed

    def forget(self, memory_id: Id) -> bool:
        """Forget it: found no more from now on; False when it was forgotten before."""
        return (self._told(told.Moved, Call("POST", f"/v1/slices/{memory_id}/forget"))).changed

    def slice(self, memory_id: Id) -> dict[str, Any]:
        """All that is known of a memory, as the API has it: its passages, salience, how often it was recalled."""
        return dict(self._json(Call("GET", f"/v1/slices/{memory_id}")))

    def layers(self) -> dict[str, Any]:
        """How much there is of each layer, and the newest, as the API has it."""
        return dict(self._json(Call("GET", "/v1/layers")))

    def layer(self, name: Layer, *, limit: int = 50, cursor: str | None = None) -> told.Rows:
        """A page of one layer's rows, the newest first."""
        return self._told(told.Rows, Call("GET", f"/v1/layers/{name}", {"limit": limit, "cursor": cursor}))

    def row(self, row_id: int) -> dict[str, Any]:
        """A fact, pattern or insight with what it rests on, as the API has it."""
        return dict(self._json(Call("GET", f"/v1/layers/rows/{row_id}")))

    def consolidate(self, *, wait_ms: int = WAIT_MS) -> told.Consolidated:
        """Have what is new consolidated, and wait for it so long; 0 does not wait."""
        params = {"wait": wait_ms > 0, "wait_ms": wait_ms or None}
        return self._told(told.Consolidated, Call("POST", "/v1/consolidate", params, waits_s=wait_ms / 1000))

    def consolidation(self) -> told.Consolidated:
        """What came of the last consolidation."""
        return self._told(told.Consolidated, Call("GET", "/v1/consolidate"))

    # ── Life ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def status(self) -> told.Status:
        """How the memory is, in checks."""
        return self._told(told.Status, Call("GET", "/v1/status"))

    def ready(self) -> bool:
        """Whether the server, its database and schema answer now. Never raises for their being away, and asks once."""
        try:
            response = self._http.get("/readyz", timeout=self._timeout_s)
        except httpx2.TransportError:
            return False
        return response.is_success

    def _told(self, kind: type[T], call: Call) -> T:
        value = self._json(call)
        try:
            return told.as_answer(kind, value)
        except (KeyError, TypeError, ValueError) as error:
            raise RequestFailed(
                f"{call.method} {call.path} answered with what is no {kind.__name__} ({type(error).__name__}: {error}): the"
                " server's version and this client's do not go together."
            ) from error

    def _json(self, call: Call) -> Any:
        return decoded(self._sent(call))

    def _sent(self, call: Call, *, stream: bool = False) -> httpx2.Response:
        """The good answer to a request, after as many attempts as it takes or may have. Raises ThothError."""
        trying = Retrying(
            stop=stop_after_attempt(self._attempts), wait=pause, retry=retry_if_exception_type(Unanswered), reraise=True
        )
        try:
            return trying(self._attempt, call, stream)
        except Unanswered as unanswered:
            raise ServerUnavailable(str(unanswered), unanswered.status) from unanswered.__cause__

    def _attempt(self, call: Call, stream: bool) -> httpx2.Response:
        try:
            response = self._http.send(call.request(self._http, self._timeout_s), stream=stream)
            if stream and not response.is_success:
                response.read()
        except httpx2.TransportError as error:
            unreached(call, error)
        check(call, response)
        return response
