"""thoth ingest."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from thoth_substrate import keep
from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.perceiving import stored
from thoth_substrate.cli.progress import bars
from thoth_substrate.cli.settle import settle
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import BadInput, UnreadableFile
from thoth_substrate.imports.documents import read_document
from thoth_substrate.keep import Kept
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.memories.memory import Memory, memory
from thoth_substrate.model.documents import Origin, events
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.settings import Settings
from thoth_substrate.views.agents import agents
from thoth_substrate.views.words import many

WAIT_S = 120.0
STEPS = {"triage": "triage", "index": "indexing", "embed": "embedding", "consolidate": "parsing"}


@dataclass(frozen=True, slots=True)
class Ingested:
    """A memory that was made, or was there (`repeated`). `pending`: triage, indexing, embedding, parsing, if still to come.

    What the Parser says of it, once it was read: summary, topics, entities, importance (0..1).
    """

    id: UUID
    repeated: bool
    state: str
    pending: list[str]
    parsed: bool = False
    summary: str = ""
    topics: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of it. `why` says what the steps still to come wait for."""

    memories: list[Ingested]
    why: str = ""


def register(app: typer.Typer) -> None:
    app.command(
        "ingest",
        epilog=examples(
            'thoth ingest "Staging listens on port 8444."', "thoth ingest notes/plan.md --wait", "pbpaste | thoth ingest -",
        ),
    )(ingest)  # fmt: skip


@answers(TakenIn)
def ingest(
    what: Annotated[list[str], typer.Argument(metavar="TEXT|FILE|-", help="What to take in; - reads standard input.")],
    *,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until it can be recalled and, with a model, the Parser has read it.")
    ] = False,
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Wait at most so long.")] = WAIT_S,
    session: Annotated[str | None, typer.Option(metavar="ID", help="The conversation it belongs to.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Take in a text or a file: stored at once, read, embedded and understood by the workers after that.

    A file is cut into sections, each a memory: text, Markdown, JSON, CSV, YAML, logs, PDF. The same file twice is there once; a
    newer version of it comes beside the older one (`thoth watch` keeps only the live one).
    """
    chosen = settings(tenant)
    given = _events(what, session)

    async def work(db: Database) -> TakenIn:
        kept = await stored(chosen, db, given)
        if not wait:
            return await _told(chosen, db, kept)
        return await _waited(chosen, db, kept, timeout)

    out.emit(ask(chosen, work), as_json=json, show=_show)


def _events(what: Sequence[str], session: str | None) -> list[Event]:
    """The events that a text or a file becomes. Raises BadInput, UnreadableFile."""
    if list(what) == ["-"]:
        return [_note(sys.stdin.read(), session)]
    path = Path(what[0]).expanduser()
    if len(what) > 1 or not _is_file(path):
        return [_note(" ".join(what), session)]
    try:
        content = path.read_bytes()
        at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read ({error.strerror or error}); nothing was stored.") from error
    document = read_document(path.name, content)
    if not document.sections:
        raise UnreadableFile(f"{path} holds nothing to remember: {document.nothing}; nothing was stored.")
    place = str(path.resolve())
    return events(document, Origin(place, f"ingest:{place}", hashlib.sha256(content).hexdigest()[:16], at))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # longer than any path can be
        return False


def _note(text: str, session: str | None) -> Event:
    if not text.strip():
        raise BadInput("There is nothing to take in: the text is empty.")
    return Event(keep.NOTE, text, session=session)


async def _told(chosen: Settings, db: Database, kept: Sequence[Kept]) -> TakenIn:
    """As they stand now."""
    found = [_ingested(chosen, one, await memory(db, chosen.tenant, one.id)) for one in kept]
    return TakenIn(found, await _why(chosen, db, found))


async def _waited(chosen: Settings, db: Database, kept: Sequence[Kept], timeout_s: float) -> TakenIn:
    """Once they can be recalled and were read, or the time is over. Where no worker runs, what needs no model is done here."""
    end = asyncio.get_running_loop().time() + timeout_s
    running = {one.agent for one in await agents(db) if one.holder}
    if not {"sentinel", "embedder"} & running:
        with bars() as shown:
            await settle(db, chosen, on_account(chosen, db, choose(chosen)), chosen.tenant, shown)

    async def nothing(_: Event) -> Ack:
        raise AssertionError("who waits perceives nothing")

    async def durable(_: float) -> bool:
        return True

    intake = keep.Intake(nothing, durable)
    parsed = "parser" in running
    found = [
        await keep.settled(
            db, intake, chosen.tenant, one.id, parsed=parsed, timeout_s=max(end - asyncio.get_running_loop().time(), 0.0)
        )
        for one in kept
    ]  # fmt: skip
    told = [_ingested(chosen, one, seen) for one, seen in zip(kept, found, strict=True)]
    return TakenIn(told, await _why(chosen, db, told))


def _ingested(chosen: Settings, kept: Kept, found: Memory) -> Ingested:
    waits = _to_come(found.waits_for, embeds=chosen.embed_provider != "none")
    return Ingested(
        kept.id, kept.repeated, found.state, [STEPS[step] for step in STEPS if step in waits], found.parsed, found.summary,
        found.topics, [entity.name for entity in found.entities], found.importance,
    )  # fmt: skip


def _to_come(waits_for: Sequence[str], *, embeds: bool) -> set[str]:
    """The steps still to come. Each queue is filled by the step before: what waits for an early one has the others before it."""
    waits = set(waits_for)
    if "triage" in waits:
        waits |= {"index", "consolidate"}
    return waits | {"embed"} if embeds and "index" in waits else waits


async def _why(chosen: Settings, db: Database, found: Sequence[Ingested]) -> str:
    """What the steps still to come wait for, as a sentence; empty when there are none."""
    pending = {step for one in found for step in one.pending}
    running = {one.agent for one in await agents(db) if one.holder}
    if {"triage", "indexing"} & pending and not {"sentinel", "embedder"} & running:
        return "No workers run on this database: `thoth up` starts them, and they go on from here."
    if "parsing" not in pending:
        return ""
    if chosen.model_of("parser") is None:
        return "No model is configured, so nothing is parsed: set THOTH_AUX_MODEL. It can be recalled all the same."
    return "" if "parser" in running else "No crew runs, so nothing is parsed: `thoth up` starts it."


def _show(intake: TakenIn) -> None:
    for one in intake.memories:
        out.say(str(one.id))
        if one.parsed:
            about = "; ".join(filter(None, (", ".join(one.topics), ", ".join(one.entities))))
            out.say(
                f"  {out.one_line(one.summary or 'Nothing to keep was found in it.')}"
                + (f" ({out.one_line(about)})" if about else "")
            )
    repeated = sum(one.repeated for one in intake.memories)
    if repeated:
        out.talk(f"{many(repeated, 'memory', 'memories')} had been taken in before.")
    pending = sorted({step for one in intake.memories for step in one.pending})
    out.talk(f"Stored. Still to come: {', '.join(pending)}." if pending else "Stored, and nothing is still to come.")
    if intake.why:
        out.talk(intake.why)
