"""thoth substrate doctor."""

from __future__ import annotations

import asyncio
import time

import typer

from thoth_substrate.cli import door
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.health import Health, leave
from thoth_substrate.cli.options import Json, settings
from thoth_substrate.db import migrate as migrations
from thoth_substrate.embed.choose import choose, explain
from thoth_substrate.errors import DatabaseError, EmbeddedServerError, EmbeddingError
from thoth_substrate.perceive.perceiver import JOURNAL_FOLDER
from thoth_substrate.settings import Settings
from thoth_substrate.views import check, machine, server, server_checks, unfinished, unread
from thoth_substrate.views.check import Check

PROBE = "Where did we leave the key to the garden shed?"
SLOW_QUERY_MS = 150.0


def register(group: typer.Typer) -> None:
    group.command("doctor", epilog=examples("thoth substrate doctor", "thoth substrate doctor --json"))(doctor)


@answers(Health)
def doctor(*, json: Json = False) -> None:
    """Examine this machine, the settings, the embedder and the server, and say what is wrong and what to type."""
    chosen = settings()
    checks = [*_machine(chosen), *machine.contradictions(chosen), asyncio.run(_embedder(chosen))]
    code = 0
    try:
        checks += _server(chosen)
    except (DatabaseError, EmbeddedServerError) as error:
        code = error.exit_code
        checks.append(check.bad("server", str(error), _what_to_try(chosen)))
    leave(checks, as_json=json, code=code)


def _machine(chosen: Settings) -> list[Check]:
    embedded = chosen.dsn is None
    home = machine.folder_check("home", machine.look_at(chosen.home_dir), embedded=embedded)
    if home.verdict is check.Verdict.BAD:
        return [home]
    return [home, machine.folder_check("journal", machine.look_at(chosen.home_dir / JOURNAL_FOLDER), embedded=False)]


async def _embedder(chosen: Settings) -> Check:
    """Load the embedder and time one question, after a first that warms it."""
    embedder = choose(chosen)
    if embedder is None:
        return check.info("embedder", explain(chosen))
    started = time.perf_counter()
    try:
        await embedder.query(PROBE)
        loaded = time.perf_counter()
        await embedder.query(f"{PROBE} Again.")
    except EmbeddingError as error:
        return check.warn("embedder", f"{embedder.model.name} makes no vectors ({error}): recall goes on by words.", "")
    took_ms = (time.perf_counter() - loaded) * 1000
    says = f"{embedder.model.name}: ready in {loaded - started:.1f} s, {took_ms:.0f} ms a question."
    if took_ms > min(SLOW_QUERY_MS, chosen.recall_embed_budget_ms):
        return check.warn("embedder", f"{says} That is more than its share of a recall: questions are asked by words alone.",
                          "raise THOTH_RECALL_EMBED_BUDGET_MS and THOTH_RECALL_DEADLINE_MS, or choose a faster one")  # fmt: skip
    return check.ok("embedder", says)


def _server(chosen: Settings) -> list[Check]:
    with door.found(chosen) as there:
        reached = check.ok("server", f"{door.where(there)} answers. {there.note}".strip())
        schema = migrations.state(there.dsn)
        if not schema.up_to_date:
            behind = f"The schema is at revision {schema.current or 'none'} and this Thoth needs {schema.needed}."
            return [reached, check.bad("schema", behind, "thoth substrate migrate")]
        facts = door.on(chosen, there, server.examine)
        left = door.on(chosen, there, lambda db: unfinished.unfinished(db, chosen.tenant))
        files = door.on(chosen, there, lambda db: unread.unread(db, chosen.tenant))
    return [
        reached, check.ok("schema", f"Up to date, revision {schema.current}."), *server_checks.checks(facts, chosen),
        unfinished.checked(left, facts.answered_at), *unread.checked(files, facts.answered_at),
    ]  # fmt: skip


def _what_to_try(chosen: Settings) -> str:
    if chosen.dsn is None:
        return f"less {chosen.home_dir / 'pg' / 'server.log'}   (or set DATABASE_URL to a server of your own)"
    return "psql \"$DATABASE_URL\" -c 'select 1'   (or unset DATABASE_URL to use the embedded server)"
