"""thoth substrate layers."""

from __future__ import annotations

from itertools import groupby

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.views.layers import Counts, Evidence, Layers
from thoth_substrate.views.layers import layers as read

NAMES = {1: "L1  entities and facts", 3: "L3  patterns and insights", 4: "L4  what the mind notes of itself"}


def register(group: typer.Typer) -> None:
    group.command("layers", epilog=examples("thoth substrate layers", "thoth substrate layers --limit 20 --json"))(layers)


@answers(Layers)
def layers(*, limit: Limit = 5, tenant: Tenant = None, json: Json = False) -> None:
    """Show what is known, layer by layer: how much of each, and the newest of each kind."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: read(db, chosen.tenant, limit_rows=limit)), as_json=json, show=_show)


def _pairs(counts: Counts, evidence: Evidence) -> list[tuple[str, str]]:
    """The layers in words, a line each."""
    return [
        ("L1", f"{counts.entities:,} entities ({counts.merged:,} merged), {counts.facts:,} facts ({counts.ended:,} ended,"
               f" {counts.facts_retracted:,} retracted), {evidence.citations:,} citations"),
        ("L2", f"{counts.associations:,} associations, {counts.communities:,} communities"),
        ("L3", f"{counts.patterns:,} patterns, {counts.insights:,} insights ({counts.patterns_retracted:,} retracted)"),
        ("L4", f"{counts.self_statements:,} observations of itself, {counts.dreams:,} dreams, questions and tests,"
               f" {counts.measurements:,} measurements"),
        ("verdicts", f"{evidence.extracted:,} passages extracted, {evidence.nothing:,} with nothing to keep,"
                     f" {evidence.failed:,} failed"),
    ]  # fmt: skip


def _show(found: Layers) -> None:
    out.pairs(_pairs(found.counts, found.evidence))
    for layer, rows in groupby(found.newest, key=lambda row: row.layer):
        out.say()
        out.say(NAMES[layer], style="bold")
        out.table(
            ["kind", ("sure", "right"), "since", "by", ("says", "rest")],
            [(row.kind, row.confidence, row.asserted_at, row.agent, row.says) for row in rows],
        )
    if not found.newest:
        out.talk("Nothing has been consolidated yet. `thoth substrate health` says whether a model is configured.")
