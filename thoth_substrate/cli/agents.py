"""thoth substrate agents."""

from __future__ import annotations

from datetime import datetime

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views.agents import AgentLine
from thoth_substrate.views.agents import agents as read
from thoth_substrate.views.words import ago


def register(group: typer.Typer) -> None:
    group.command("agents", epilog=examples("thoth substrate agents", "thoth substrate agents --json"))(agents)


@answers(list[AgentLine])
def agents(*, tenant: Tenant = None, json: Json = False) -> None:
    """List the workers: which run, where, when each last gave a sign of life, and what went wrong."""
    out.emit(ask(settings(tenant), read), as_json=json, show=_show)


def _show(lines: list[AgentLine]) -> None:
    if not lines:
        out.talk("No worker has run here yet. `thoth up` starts them.")
        return
    now = SystemClock().now()
    out.table(
        ["worker", "level", "alive", "held by", ("ticks", "right"), "last failure"],
        [
            (line.agent, line.level, ago(line.heartbeat_at, now), line.holder or "nobody", line.ticks, _failure(line, now))
            for line in lines
        ],
    )


def _failure(line: AgentLine, now: datetime) -> str:
    return f"{ago(line.last_failure_at, now)}: {line.last_failure}" if line.last_failure_at else ""
