"""thoth substrate, without a further word: the summary."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.views.layers import Counts
from thoth_substrate.views.summary import Summary
from thoth_substrate.views.summary import summary as read
from thoth_substrate.views.words import many


@answers(Summary)
def substrate(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Look at the memory itself. Without a further word: what it holds and what waits."""
    if context.invoked_subcommand is None:
        chosen = settings(tenant)
        out.emit(ask(chosen, lambda db: read(db, chosen.tenant)), as_json=json, show=_show)


def _show(found: Summary) -> None:
    out.pairs(
        [
            ("tenant", found.tenant),
            ("slices", f"{found.slices:,} in {many(found.sessions, 'session')}, {many(found.passages, 'passage')}"),
            ("triage", _counts(found.triage)),
            ("consolidation", _counts(found.consolidation)),
            ("held", f"{found.pinned:,} pinned, {found.forgotten:,} forgotten"),
            ("knows", _known(found.layers)),
            ("waits", f"{found.pending:,} for triage, {found.unindexed:,} for the index, {found.unembedded:,} for vectors"),
            ("last event", found.last_event),
            ("last perceived", found.last_perceived),
        ]
    )
    if found.streams:
        out.say()
        out.table(["stream", ("slices", "right")], list(found.streams.items()))
    else:
        out.talk('Nothing has been perceived yet: thoth import FILE, thoth remember "…", or thoth demo.')


def _known(counts: Counts) -> str:
    return (
        f"{many(counts.entities, 'entity', 'entities')}, {many(counts.facts, 'fact')}, {many(counts.patterns, 'pattern')},"
        f" {many(counts.insights, 'insight')}, {many(counts.self_statements + counts.dreams, 'observation')}"
    )


def _counts(of: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in of.items()) or "nothing yet"
