"""thoth memories list, get, update, delete and history."""

from __future__ import annotations

import sys
from typing import Annotated
from uuid import UUID

import orjson
import typer

from thoth_substrate import keep
from thoth_substrate.cli import forget, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, SliceWord, Tenant, settings
from thoth_substrate.cli.perceiving import intake_of, perceiving
from thoth_substrate.db.pool import Database
from thoth_substrate.errors import AlreadyReplaced, BadInput
from thoth_substrate.memories import listing, versions
from thoth_substrate.memories.listing import ALIVE, MOST_ROWS, Page, Wanted
from thoth_substrate.memories.memory import STATES, Memory, memory
from thoth_substrate.memories.versions import Changed, Version
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views import resolve
from thoth_substrate.views.resolve import short
from thoth_substrate.views.slices import since as moment

BY = "thoth memories update"
group = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Memories: listed, read, changed, deleted.")
When = Annotated[str | None, typer.Option(metavar="WHEN", help="30min, 2h, 7d before now, or a date or time.")]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="memories")


@group.callback()
def memories() -> None:
    """Memories as their owner keeps them. `thoth remember` makes one; an id may be shortened to its beginning."""


@group.command(
    "list",
    epilog=examples(
        "thoth memories list --limit 50",
        "thoth memories list --topic travel --importance 0.7",
        "thoth memories list --entity Maya --since 7d --json",
        'thoth memories list --metadata \'{"project": "thoth"}\'',
    ),
)
@answers(Page)
def list_(
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST_ROWS, help="At most so many.")] = 20,
    cursor: Annotated[str | None, typer.Option(metavar="CURSOR", help="Where the page before ended.")] = None,
    state: Annotated[list[str] | None, typer.Option(metavar="STATE", help="Only in this state; else pending and passed.")] = None,
    stream: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only of this stream; may be repeated.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only of this conversation, by when things happened.")] = None,
    actor: Annotated[str | None, typer.Option(metavar="NAME", help="Only of this speaker.")] = None,
    since: When = None,
    until: When = None,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="Only what tells of this entity, by name or number.")] = None,
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="Only of this topic.")] = None,
    importance: Annotated[float | None, typer.Option(metavar="0-1", min=0, max=1, help="At least so important.")] = None,
    metadata: Annotated[str | None, typer.Option(metavar="JSON", help="Only with these keys and values.")] = None,
    source: Annotated[
        str | None, typer.Option(metavar="PREFIX", help="Only whose external id, path or source begins so.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """List memories, the newest first, a page at a time; the cursor of the next page is said on stderr, and in the JSON."""
    chosen, now = settings(tenant), SystemClock().now()
    unknown = [name for name in state or () if name not in STATES]
    if unknown:
        raise BadInput(f"There is no state {unknown[0]!r}: a memory is {', '.join(STATES)}.")
    wanted = Wanted(
        state or ALIVE, stream or None, session, actor, moment(since, now) if since else None,
        moment(until, now) if until else None, entity, topic, importance, _object(metadata), source,
    )  # fmt: skip
    found = ask(chosen, lambda db: listing.page(db, chosen.tenant, wanted, cursor=cursor, limit_rows=limit))
    out.emit(found, as_json=json, show=lambda page: _show_list(page.memories))
    if found.next_cursor and not json:
        out.talk(f"There are more: --cursor {found.next_cursor}")


@group.command(epilog=examples("thoth memories get 019e2a3b-4c5d-7001", "thoth memories get 104 --json"))
@answers(Memory)
def get(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show a memory: its text, its state, what it waits for, and what was made of it."""
    chosen = settings(tenant)

    async def read(db: Database) -> Memory:
        return await memory(db, chosen.tenant, await resolve.slice_id(db, chosen.tenant, word))

    out.emit(ask(chosen, read), as_json=json, show=_show)


@group.command(
    epilog=examples(
        'thoth memories update 019e2a3b-4c5d-7001 "Maya moved in May."',
        "thoth memories update 019e2a3b-4c5d-7001 --metadata '{\"checked\": true}'",
    )
)
@answers(Changed)
def update(
    word: SliceWord,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What it says now; - reads it from standard input.")] = None,
    *,
    metadata: Annotated[
        str | None, typer.Option(metavar="JSON", help="Laid over the older one's, key by key; null takes a key out.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Change a memory: a newer version takes its place, and the older one stays in its history, recalled no more."""
    chosen = settings(tenant)
    content = sys.stdin.read() if text == "-" else text
    if metadata is None and not (content or "").strip():
        raise BadInput("Say what to change: give the new text, or --metadata; nothing was changed.")
    wanted = keep.Change(content, _object(metadata))

    async def work(db: Database) -> Changed:
        slice_id = await resolve.slice_id(db, chosen.tenant, word)
        async with perceiving(chosen, db) as perceiver:
            return await keep.change(db, intake_of(chosen, perceiver), chosen.tenant, slice_id, wanted, by=BY)

    out.emit(ask(chosen, work), as_json=json, show=lambda made: out.say(str(made.slice_id)))


@group.command(epilog=examples("thoth memories delete 019e2a3b-4c5d-7001", "thoth memories delete 104 --purge --yes"))
@answers(forget.Forgotten)
def delete(
    word: SliceWord,
    *,
    purge: Annotated[bool, typer.Option("--purge", help="Gone now and for good, with every version of it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Purge without asking.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Forget a memory: it is found no more from now on, and its content goes with the Curator's next tick."""
    chosen = settings(tenant)
    slice_ids = ask(chosen, lambda db: _versions_of(db, chosen.tenant, word, all_of_them=purge))
    forget.forget_these(chosen, slice_ids, purge=purge, yes=yes, as_json=json)


@group.command(epilog=examples("thoth memories history 019e2a3b-4c5d-7001", "thoth memories history 104 --json"))
@answers(list[Version])
def history(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show every version of a memory, the first one first."""
    chosen = settings(tenant)

    async def read(db: Database) -> list[Version]:
        return await versions.history(db, chosen.tenant, await resolve.slice_id(db, chosen.tenant, word))

    out.emit(ask(chosen, read), as_json=json, show=_show_history)


async def _versions_of(db: Database, tenant_id: str, word: str, *, all_of_them: bool) -> list[UUID]:
    slice_id = await resolve.slice_id(db, tenant_id, word)
    if all_of_them:
        return [version.id for version in await versions.history(db, tenant_id, slice_id) if version.memory is not None]
    one = await memory(db, tenant_id, slice_id)
    if one.replaced_by is not None:
        raise AlreadyReplaced(f"Memory {slice_id} was replaced by {one.replaced_by}: forget that one.")
    return [slice_id]


def _object(text: str | None) -> dict[str, object]:
    """Metadata as it was typed. Raises BadInput."""
    if text is None:
        return {}
    try:
        read = orjson.loads(text)
    except ValueError as error:
        raise BadInput(f'{text!r} is no JSON object, such as \'{{"project": "thoth"}}\'.') from error
    if not isinstance(read, dict):
        raise BadInput(f'{text!r} is no JSON object, such as \'{{"project": "thoth"}}\'.')
    return read


def _show_list(found: list[Memory]) -> None:
    if not found:
        out.talk("No memory is like that.")
        return
    out.table(
        ["id", "when", "stream", "who", ("importance", "right"), "state", ("text", "rest")],
        [
            (short(one.id), one.event_time, one.stream.rsplit(".", 1)[-1], one.actor, one.importance,
             one.state if one.state != "passed" else "", one.text)
            for one in found
        ],
    )  # fmt: skip


def _show(one: Memory) -> None:
    out.pairs(
        [
            ("memory", one.id),
            ("state", " ".join([one.state, f"(waits for {', '.join(one.waits_for)})" if one.waits_for else ""])),
            ("when", f"{out.when(one.event_time)}, perceived {out.when(one.perceived_at)}"),
            ("where", f"{one.stream}, session {one.session}, {one.actor}"),
            ("version", f"{one.version}" + (f", replaced by {one.replaced_by}" if one.replaced_by else "")),
            ("importance", one.importance),
            ("topics", ", ".join(one.topics) or None),
            ("tells of", ", ".join(entity.name for entity in one.entities) or None),
            ("metadata", out.flat(one.metadata) if one.metadata else None),
        ]
    )
    for fact in one.facts:
        out.say(f"  row:{fact.row_id} {fact.statement}")
    out.say(one.text)


def _show_history(found: list[Version]) -> None:
    out.table(
        [("version", "right"), "id", "changed", "by", ("text", "rest")],
        [
            (one.version, short(one.id), out.when(one.changed_at) if one.changed_at else "", one.changed_by,
             one.memory.text if one.memory else "")
            for one in found
        ],
    )  # fmt: skip
