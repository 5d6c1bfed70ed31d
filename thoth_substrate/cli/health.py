"""thoth substrate health."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import typer

from thoth_substrate.cli import door, out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.embed.choose import choose, explain
from thoth_substrate.embed.models import active_model, mismatch
from thoth_substrate.errors import DatabaseError, EmbeddedServerError
from thoth_substrate.perceive.journal import SUFFIX, bytes_in
from thoth_substrate.perceive.perceiver import JOURNAL_FOLDER
from thoth_substrate.settings import Settings
from thoth_substrate.views import check, crew_checks, crew_health, health_checks
from thoth_substrate.views.check import Check, Verdict
from thoth_substrate.views.crew_health import CrewFacts
from thoth_substrate.views.health import Facts, gather
from thoth_substrate.views.health_checks import Around

UNWELL = 1


@dataclass(frozen=True, slots=True)
class Health:
    """Whether nothing is bad, and every check: `verdict` is ok, info, warn or bad, `do` what to type."""

    well: bool
    checks: list[Check]


def register(group: typer.Typer) -> None:
    group.command(
        "health",
        epilog=examples("thoth substrate health", "thoth substrate health --json | jq '.checks[] | select(.verdict != \"ok\")'"),
    )(health)


@answers(Health)
def health(*, tenant: Tenant = None, json: Json = False) -> None:
    """Say how the memory is: what works, what waits, what is wrong and what to type. Exit 1 when something is bad."""
    chosen = settings(tenant)
    code = 0
    try:
        with door.found(chosen) as server:
            facts, around, crew = door.on(chosen, server, lambda db: _gather(chosen, db, door.where(server)))
            checks = health_checks.checks(facts, around) + crew_checks.checks(crew)
    except (DatabaseError, EmbeddedServerError) as error:
        code = error.exit_code
        checks = [check.bad("database", str(error), "thoth substrate doctor")]
    leave(checks, as_json=json, code=code)


def leave(checks: list[Check], *, as_json: bool, code: int = 0) -> None:
    """Print the checks with a last word, and exit: with `code`, or 1 when something is bad."""
    out.emit(Health(check.well(checks), checks), as_json=as_json, show=lambda answer: out.checks(answer.checks))
    if not as_json:
        out.talk(_last_word(checks))
    if code or not check.well(checks):
        raise typer.Exit(code or UNWELL)


def _last_word(checks: Iterable[Check]) -> str:
    counts = [sum(one.verdict is verdict for one in checks) for verdict in (Verdict.BAD, Verdict.WARN)]
    if not any(counts):
        return "All well."
    return ", ".join(f"{count} {word}" for count, word in zip(counts, ("bad", "to look at"), strict=True) if count) + "."


async def _gather(chosen: Settings, db: Database, server: str) -> tuple[Facts, Around, CrewFacts]:
    journal = chosen.home_dir / JOURNAL_FOLDER
    embedder, active = choose(chosen), await active_model(db)
    around = Around(
        recall_on=chosen.recall,
        recall_deadline_ms=chosen.recall_deadline_ms,
        journal_bytes=bytes_in(journal),
        journal_max_bytes=chosen.journal_max_bytes,
        journal_files=len(list(journal.glob(f"*{SUFFIX}"))),
        embedder=embedder.model.name if embedder else None,
        embedder_why=explain(chosen),
        mismatch=(mismatch(active, embedder.model) if active and embedder else None) or "",
        server=server,
    )
    facts = await gather(db, chosen.tenant)
    return facts, around, await crew_health.gather(db, chosen, facts.agents)
