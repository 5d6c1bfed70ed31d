"""thoth watch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from thoth_substrate import boot
from thoth_substrate.boot import Server
from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.perceiving import perceiving
from thoth_substrate.cli.progress import bars
from thoth_substrate.cli.settle import settle
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import BadInput, DatabaseUnavailable
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import Settings
from thoth_substrate.views.watched import WatchedFile, WatchedFolder, watched_files, watched_folders
from thoth_substrate.views.words import many
from thoth_substrate.watch.watch import ELSEWHERE, Watch

if TYPE_CHECKING:
    from thoth_workers.watching import Watching

SHOWN_FILES = 50
REPLAY_LOOKS = 200  # of a twentieth of a second: what a process that died left in its journal comes in first
NOWHERE = "Say which folder to watch: thoth watch DIR, or set THOTH_WATCH."


@dataclass(frozen=True, slots=True)
class Watched:
    """What is watched, and what this call did: files taken in, moved and retired (0 where it only listed)."""

    folders: list[WatchedFolder]
    files: list[WatchedFile]
    taken: int = 0
    moved: int = 0
    retired: int = 0
    warnings: list[str] = field(default_factory=list)


def register(app: typer.Typer) -> None:
    app.command(
        "watch",
        epilog=examples(
            "thoth watch ~/notes                 take in what is there, then follow its changes",
            "thoth watch ~/notes ~/papers --once take in what is new or changed, and end",
            "thoth watch --list                  the folders, and which files wait or failed and why",
            "thoth watch --drop ~/notes          watch it no more, and retire what came from it",
            "THOTH_WATCH=~/notes thoth up        watch it for good",
        ),
    )(watch)


@answers(Watched)
def watch(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR…", help="Folders; those of THOTH_WATCH when left out.")
    ] = None,
    *,
    once: Annotated[bool, typer.Option("--once", help="End when everything there is taken in.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Only show what is watched, and what waits or failed.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Watch the folders no more, and retire what came from them.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Read every file, also where size and time are as they were.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Watch folders: text, Markdown, PDF, JSON, CSV, YAML, logs, and pictures through a model that sees.

    A changed file's new version is in before the old one is retired; moved files are recognised, deleted ones retired; one
    that failed stays listed and is tried again. .gitignore is honoured. Without --once it follows until Ctrl-C.
    """
    chosen = settings(tenant)
    roots = [path.expanduser() for path in folders or ()] or list(chosen.watch_roots)
    if list_:
        out.emit(door.ask(chosen, lambda db: _listed(db, chosen)), as_json=json, show=_show)
        return
    if not roots:
        raise BadInput(NOWHERE)
    if not drop and (missing := [str(root) for root in roots if not root.is_dir()]):
        raise BadInput(f"{', '.join(missing)} is no folder; nothing was taken in.")
    if not (once or drop):
        door.loud(chosen)
    with door.found(chosen) as server:
        done = asyncio.run(_work(chosen, server, roots, _Ways(once=once, drop=drop, full=full)))
    if once or drop:
        out.emit(done, as_json=json, show=_show)
        raise typer.Exit(1 if any(file.state == "failed" for file in done.files) or done.warnings else 0)
    out.talk("Stopped.")


@dataclass(frozen=True, slots=True)
class _Ways:
    once: bool
    drop: bool
    full: bool


async def _work(chosen: Settings, server: Server, roots: Sequence[Path], ways: _Ways) -> Watched:
    from thoth_workers.watching import Watching  # a third of a second that listing need not wait

    await boot.prepare(chosen, server.dsn)
    db = await boot.open_database(chosen, server.dsn, pool="hands")
    try:
        async with perceiving(chosen, db) as perceiver:
            await _replayed(perceiver)

            watching = Watching(chosen, db, partial(perceiver.perceive, tenant_id=chosen.tenant), perceiver.durable, roots)
            try:
                if ways.drop:
                    return await _dropped(db, chosen, watching.watch)
                if ways.once:
                    return await _first(db, chosen, watching.watch, full=ways.full)
                try:
                    _show(done := await _first(db, chosen, watching.watch, full=ways.full))
                except DatabaseUnavailable as error:  # who follows waits until it is back
                    out.talk(str(error))
                    done = Watched([], [])
                await _follow(db, chosen, watching)
                return done
            finally:
                await watching.close()
    finally:
        await db.close()


async def _first(db: Database, chosen: Settings, watch: Watch, *, full: bool) -> Watched:
    """Take in everything that is new or changed, then make it searchable."""
    with bars() as shown:
        looks = await watch.look(full=full, progress=lambda done, total: shown.move("looking", done, total))
        total = looks.added + looks.changed
        taken = retired = 0
        while True:
            step = await watch.step()
            taken += step.taken.live + step.taken.skipped
            retired += step.retired
            shown.move("taking in", taken, max(total, taken))
            if not step.more:
                break
        embedder = on_account(chosen, db, choose(chosen))
        await settle(db, chosen, embedder, chosen.tenant, shown)
    found = await _listed(db, chosen)
    warnings = [f"{root}: {warning}" for root, warning in looks.warnings.items()]
    return Watched(found.folders, found.files, taken, looks.moved, retired, warnings)


async def _dropped(db: Database, chosen: Settings, watch: Watch) -> Watched:
    retired, warnings = 0, []
    for root in watch.roots:
        count = await watch.drop(root)
        retired += max(count, 0)
        if count < 0:
            warnings.append(f"{root}: {ELSEWHERE} Stop it first; nothing was retired.")
    found = await _listed(db, chosen)
    return Watched(found.folders, found.files, retired=retired, warnings=warnings)


async def _follow(db: Database, chosen: Settings, watching: Watching) -> None:
    """Until a signal: the watcher, and those who make searchable what it takes in, unless another process does."""
    from thoth_workers.core.embedder import EMBEDDER
    from thoth_workers.core.sentinel import SENTINEL
    from thoth_workers.supervisor import Supervisor

    stop = boot.stop_on_signals()
    out.talk("Watching; Ctrl-C stops it.")
    workers = (watching.worker, SENTINEL, EMBEDDER)
    listening = asyncio.ensure_future(watching.listen(stop))
    try:
        embedder = on_account(chosen, db, choose(chosen))
        await Supervisor(chosen, db, embedder, db.clock, workers=workers).run(stop)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def _replayed(perceiver: Perceiver) -> None:
    for _ in range(REPLAY_LOOKS):
        if not perceiver.stats().replaying:
            return
        await anyio.sleep(0.05)


async def _listed(db: Database, chosen: Settings) -> Watched:
    return Watched(await watched_folders(db, chosen.tenant), await watched_files(db, chosen.tenant))


def _show(watched: Watched) -> None:
    if watched.taken or watched.moved or watched.retired:
        out.say(f"{many(watched.taken, 'file')} taken in, {watched.moved:,} moved, {watched.retired:,} retired.")
    if not watched.folders:
        out.say("No folder is watched. `thoth watch DIR` begins.")
        return
    out.table(
        [
            "folder",
            ("live", "right"),
            ("waiting", "right"),
            ("failed", "right"),
            ("skipped", "right"),
            ("slices", "right"),
            "looked",
            "warning",
        ],
        [(f.root, f.live, f.waiting, f.failed, f.skipped, f.slices, f.quick_at, f.warning) for f in watched.folders],
    )
    for file in watched.files[:SHOWN_FILES]:
        out.say(f"{file.state}: {file.path} ({file.error or 'to be taken in'})")
    if len(watched.files) > SHOWN_FILES:
        out.say(f"… and {len(watched.files) - SHOWN_FILES:,} more; --json lists them.")
    for warning in watched.warnings:
        out.talk(warning)
