"""thoth substrate recall: recent, sample, config, explain."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Limit, Tenant, settings
from thoth_substrate.db.pool import Database
from thoth_substrate.settings import SettingLine, Settings, lines
from thoth_substrate.views import recalls as views
from thoth_substrate.views import resolve
from thoth_substrate.views.recalls import Explained, FloorLine, RecallLine
from thoth_substrate.views.resolve import short

CANDIDATES_SHOWN = 12
group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting of recall: its variable, what it holds now, its default, unit and meaning."""

    setting: str
    value: str
    default: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Config:
    """What ranks and bounds this process's recalls, and the floors calibrated for the tenant."""

    knobs: list[Knob]
    floors: list[FloorLine]


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="recall")


@group.callback(epilog=examples("thoth substrate recall", "thoth substrate recall explain last"))
@answers(list[RecallLine])
def recalls(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """Look into recalls that were made: the recent ones, a sample, what ranks them, and why one answered as it did."""
    if context.invoked_subcommand is None:
        recent(tenant=tenant, json=json)


@group.command(epilog=examples("thoth substrate recall recent --limit 50"))
@answers(list[RecallLine])
def recent(*, limit: Limit = 20, tenant: Tenant = None, json: Json = False) -> None:
    """List the newest recalls: what was asked, how many lines came, how long it took, why nothing came."""
    chosen = settings(tenant)
    out.emit(ask(chosen, lambda db: views.recent(db, chosen.tenant, limit_rows=limit)), as_json=json, show=_show_lines)


@group.command(epilog=examples("thoth substrate recall sample --limit 3", "thoth substrate recall sample --seed 7f3a"))
@answers(list[Explained])
def sample(
    *,
    limit: Limit = 5,
    seed: Annotated[str | None, typer.Option(metavar="WORD", help="Draw the same again; said on stderr when drawn.")] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Draw some of the last thousand recalls and show what each injected: to judge by eye whether it helps."""
    chosen, drawn_by = settings(tenant), seed or secrets.token_hex(2)

    async def work(db: Database) -> list[Explained]:
        drawn = await views.sample(db, chosen.tenant, seed=drawn_by, limit_rows=limit)
        return [await views.explained(db, chosen.tenant, one.recall_id) for one in drawn]

    out.emit(ask(chosen, work), as_json=json, show=_show_sample)
    out.talk(f"Drawn with --seed {drawn_by}.")


@group.command(epilog=examples("thoth substrate recall config", "thoth substrate recall config --json"))
@answers(Config)
def config(*, tenant: Tenant = None, json: Json = False) -> None:
    """Show every setting of recall as this process has it, and the floor calibrated for the tenant."""
    chosen = settings(tenant)
    floors = ask(chosen, lambda db: views.floors(db, chosen.tenant))
    out.emit(Config(_knobs(chosen), floors), as_json=json, show=_show_config)


@group.command(epilog=examples("thoth substrate recall explain last", "thoth substrate recall explain 019e2a3b-4c5d-7001 --json"))
@answers(Explained)
def explain(
    recall: Annotated[str, typer.Argument(metavar="ID", help="A recall's id, the beginning of one, or: last.")] = resolve.NEWEST,
    *,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Explain a recall that was made: each leg, the best candidates with the parts of their scores, what was shown."""
    chosen = settings(tenant)

    async def work(db: Database) -> Explained:
        return await views.explained(db, chosen.tenant, await resolve.recall_id(db, chosen.tenant, recall))

    out.emit(ask(chosen, work), as_json=json, show=_show_explained)


def _knobs(chosen: Settings) -> list[Knob]:
    fields = {str(_variable(line)): name for name, line in zip(Settings.model_fields, lines(), strict=True)}
    return [
        Knob(variable, _value(getattr(chosen, fields[variable])), line.default, line.unit, line.meaning)
        for line in lines()
        if (variable := _variable(line)).startswith("THOTH_RECALL_") or variable == "THOTH_SUBSTRATE_RECALL"
    ]


def _variable(line: SettingLine) -> str:
    return line.env[0]


def _value(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _show_lines(found: list[RecallLine]) -> None:
    if not found:
        out.talk("No recall has been made yet.")
        return
    out.table(
        ["id", "when", ("lines", "right"), ("tokens", "right"), ("ms", "right"), "empty because", ("question", "rest")],
        [
            (short(one.recall_id), one.asked_at, one.lines, one.tokens, f"{one.took_ms:.0f}", one.empty_reason or "", one.query)
            for one in found
        ],
    )


def _show_sample(found: list[Explained]) -> None:
    if not found:
        out.talk("No recall has been made yet.")
    for one in found:
        out.say(f"{out.when(one.recall.asked_at)}  {short(one.recall.recall_id)}  {one.recall.query}", style="bold")
        _show_shown(one)
        out.say()


def _show_config(answer: Config) -> None:
    out.table(
        ["setting", ("value", "right"), ("default", "right"), "unit", "meaning"],
        [
            (knob.setting, knob.value, "" if knob.value == knob.default else knob.default, knob.unit, knob.meaning)
            for knob in answer.knobs
        ],
    )
    out.say()
    if not answer.floors:
        out.say("No floor is calibrated yet: only what is clearly foreign is refused until there is enough to calibrate on.")
    for floor in answer.floors:
        by = floor.model or "keywords alone"
        out.say(
            f"Floor for {by}, calibrated {out.when(floor.calibrated_at)} on {floor.passages:,} passages: {out.flat(floor.floor)}"
        )


def _show_explained(answer: Explained) -> None:
    asked = answer.recall
    out.pairs(
        [
            ("recall", asked.recall_id),
            ("asked", f"{out.when(asked.asked_at)}, session {asked.session or 'none'}"),
            ("question", asked.query),
            ("took", f"{asked.took_ms:.0f} of {asked.deadline_ms} ms"),
            (
                "answer",
                f"nothing: {asked.empty_reason}" if asked.empty_reason else f"{len(answer.lines)} lines, {asked.tokens} tokens",
            ),
        ]
    )
    _show_legs(asked.legs)
    _show_candidates(asked.candidates)
    _show_facts(asked.candidates)
    if asked.detail:
        out.say(f"detail: {out.flat(asked.detail)}")
    _show_shown(answer)


def _show_legs(legs: Any) -> None:
    rows = [leg for leg in legs if isinstance(leg, Mapping)] if isinstance(legs, list) else []
    if rows:
        out.say()
        out.table(
            ["leg", "state", ("rows", "right"), ("ms", "right"), "why"],
            [
                (leg.get("name"), leg.get("state"), leg.get("rows"), f"{leg.get('took_ms') or 0:.1f}", leg.get("why") or "")
                for leg in rows
            ],
        )


def _show_candidates(candidates: Any) -> None:
    rows = candidates.get("best", []) if isinstance(candidates, Mapping) else candidates
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    if not rows:
        return
    out.say()
    out.say(f"The best {min(len(rows), CANDIDATES_SHOWN)} of {len(rows)} logged candidates:")
    out.table(
        ["slice", ("score", "right"), ("parts", "rest")],
        [
            (str(row.get("slice_id", ""))[: resolve.SHORT_ID_CHARS], f"{row.get('score', 0):.2f}",
             out.flat({key: value for key, value in row.items() if key not in ("slice_id", "score", "text")}))
            for row in rows[:CANDIDATES_SHOWN]
        ],
    )  # fmt: skip


def _show_facts(candidates: Any) -> None:
    rows = candidates.get("facts", []) if isinstance(candidates, Mapping) else []
    if not rows:
        return
    out.say()
    out.say(f"The best {min(len(rows), CANDIDATES_SHOWN)} of {candidates.get('facts_all', len(rows))} facts that came near:")
    out.table(
        ["row", ("score", "right"), ("parts", "rest")],
        [
            (f"row:{row.get('row_id')}", f"{row.get('score', 0):.2f}",
             out.flat({key: value for key, value in row.items() if key not in ("row_id", "score")}))
            for row in rows[:CANDIDATES_SHOWN]
        ],
    )  # fmt: skip


def _show_shown(answer: Explained) -> None:
    if not answer.lines:
        out.say(f"Nothing was shown: {answer.recall.empty_reason}.")
        return
    out.say()
    out.table(
        ["line", "happened", "who", "slice or row", ("text", "rest")],
        [
            (
                line.handle,
                line.event_time,
                line.actor or line.kind,
                short(line.slice_id) if line.slice_id else f"row:{line.row_id}",
                "(released, forgotten or purged since)" if line.gone else line.text,
            )
            for line in answer.lines
        ],
    )
