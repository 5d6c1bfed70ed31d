"""thoth import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.cli.perceiving import perceiving
from thoth_substrate.cli.progress import Bars, bars
from thoth_substrate.cli.settle import Settled, calibrate, settle
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose
from thoth_substrate.errors import UnreadableFile
from thoth_substrate.imports.detect import FORMATS
from thoth_substrate.imports.run import ImportReport, run_import
from thoth_substrate.ledger.embedding import on_account
from thoth_substrate.perceive.perceiver import Perceiver
from thoth_substrate.settings import Settings
from thoth_substrate.views.words import many, size


def register(app: typer.Typer) -> None:
    app.command(
        "import",
        epilog=examples(
            "thoth import conversations.json                      a ChatGPT export",
            "thoth import ~/.claude/projects/*/*.jsonl            Claude Code transcripts",
            "thoth import chat.jsonl --no-embed                   vectors later, by `thoth up`",
            "zcat chat.jsonl.gz | thoth import - --format jsonl",
        ),
    )(import_)


@answers(list[ImportReport])
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files to read; - is standard input.")],
    *,
    format_: Annotated[
        str | None, typer.Option("--format", metavar="|".join(FORMATS), help="Their format, when it is not recognised.")
    ] = None,
    embed: Annotated[bool, typer.Option("--embed/--no-embed", help="Make the vectors now, or leave them to `thoth up`.")] = True,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Import what was said before: Claude Code transcripts, ChatGPT exports, LoCoMo, or JSONL (role, content, time, …).

    Safe to repeat and to interrupt: what is there already is not taken twice, and an interrupted import goes on where it
    stood. Everything is dated by when it happened.
    """
    chosen = settings(tenant)
    unread: list[str] = []

    async def work(db: Database) -> list[ImportReport]:
        with bars() as shown:
            reports = await _read_all(chosen, db, files, format_, shown, unread)
            embedder = on_account(chosen, db, choose(chosen)) if embed else None
            settled = await settle(db, chosen, embedder, chosen.tenant, shown)
            if embed:
                await calibrate(db, embedder, shown)
        _talk_of(settled, embed=embed)
        return reports

    out.emit(door.ask(chosen, work), as_json=json, show=_show)
    for sentence in unread:
        out.talk(sentence)
    if unread:
        raise typer.Exit(UnreadableFile.exit_code)


async def _read_all(
    chosen: Settings, db: Database, files: Sequence[Path], format_: str | None, shown: Bars, unread: list[str]
) -> list[ImportReport]:
    """Every file, also when one before it cannot be read."""
    reports = []
    async with perceiving(chosen, db) as perceiver:
        for path in files:
            try:
                reports.append(await _read(chosen, db, perceiver, path, format_, shown))
            except UnreadableFile as error:
                unread.append(str(error))
    return reports


async def _read(
    chosen: Settings, db: Database, perceiver: Perceiver, path: Path, format_: str | None, shown: Bars
) -> ImportReport:
    name = f"reading {path.name}"
    return await run_import(
        lambda event: perceiver.perceive(event, tenant_id=chosen.tenant), perceiver.durable, db, path, tenant=chosen.tenant,
        format=format_, progress=lambda done, total, events: shown.move(name, done >> 10, (total >> 10) or None),
    )  # fmt: skip


def _talk_of(settled: Settled, *, embed: bool) -> None:
    left = settled.left
    if settled.why:
        out.talk(f"Vectors: {settled.why}")
    elif left.unembedded:
        later = "" if embed else "; `thoth up` makes them"
        out.talk(f"{many(left.unembedded, 'passage')} without a vector yet{later}. Everything can be found by its words now.")


def _show(reports: list[ImportReport]) -> None:
    for report in reports:
        dates = f", {report.first:%Y-%m-%d} to {report.last:%Y-%m-%d}" if report.first and report.last else ""
        known = report.duplicates + report.resumed_after
        out.say(
            f"{report.path}: {many(report.imported, 'event')} imported, {known:,} there already;"
            f" {many(report.sessions, 'session')}{dates} ({report.format}, {size(report.bytes)}, {report.seconds:.1f} s)"
        )
        for reason, count in report.skipped.items():
            where = ", ".join(report.examples.get(reason, ()))
            out.say(f"  left out: {count:,} × {reason}" + (f" (e.g. {where})" if where else ""))
