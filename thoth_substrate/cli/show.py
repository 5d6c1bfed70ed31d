"""thoth substrate show."""

from __future__ import annotations

from dataclasses import dataclass

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, SliceWord, Tenant, settings
from thoth_substrate.cli.slices import state
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views import resolve
from thoth_substrate.views.facts import FactPortrait, fact_portrait
from thoth_substrate.views.resolve import short
from thoth_substrate.views.show import PassageLine, Portrait, Recalled, SliceRow, portrait
from thoth_substrate.views.words import many, span


def register(group: typer.Typer) -> None:
    group.command(
        "show",
        epilog=examples("thoth substrate show 019e2a3b-4c5d-7001", "thoth substrate show 104   (a line that was just shown)"),
    )(show)


@dataclass(frozen=True, slots=True)
class Shown:
    """What was asked for: a slice with its passages and recalls, or a fact with its citations (then `slice` is None)."""

    slice: SliceRow | None
    passages: list[PassageLine]
    recalled: Recalled | None
    fact: FactPortrait | None


@answers(Shown)
def show(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show one slice wholly: its text, its state, how present it is, and how often it came up; or a fact and its citations."""
    chosen = settings(tenant)

    async def read(db: Database) -> Shown:
        meant = await resolve.anything(db, chosen.tenant, word)
        if isinstance(meant, int):
            return Shown(None, [], None, await fact_portrait(db, chosen.tenant, meant))
        found = await portrait(db, chosen.tenant, meant)
        return Shown(found.slice, found.passages, found.recalled, None)

    out.emit(ask(chosen, read), as_json=json, show=_show)


def _show(found: Shown) -> None:
    if found.fact is not None:
        show_fact(found.fact)
    elif found.slice is not None and found.recalled is not None:
        _show_slice(Portrait(found.slice, found.passages, found.recalled))


def show_fact(found: FactPortrait) -> None:
    """A fact, pattern or insight with what it rests on."""
    one = found.fact
    ended = (
        [("retracted", f"{out.when(one.retracted_at)}: {one.retract_reason or 'no reason was given'}")]
        if one.retracted_at
        else []
    )
    out.pairs(
        [
            (one.kind, f"row:{one.row_id}"),
            *(
                [("says", f"{one.subject} · {'not ' if one.negated else ''}{one.predicate} · {one.object}")]
                if one.predicate
                else []
            ),
            ("holds", f"since {out.when(one.valid_from)}" + (f" until {out.when(one.valid_to)}" if one.valid_to else "")),
            ("known since", one.asserted_at),
            *ended,
            *([("superseded by", f"row:{one.superseded_by}")] if one.superseded_by else []),
            ("confidence", f"{one.confidence:.2f} (stated {one.stated_confidence:.2f})"),
            ("by", " ".join(filter(None, (one.agent, one.model)))),
            *([("decision", one.decision_id)] if one.decision_id else []),
        ]
    )
    out.say()
    out.say(one.statement)
    out.say()
    if found.supports:
        rows = [(f"row:{line.row_id}", "retracted" if line.retracted else "", line.statement) for line in found.supports]
        out.table(["rests on", "", ("sentence", "rest")], rows)
    if not found.citations:
        out.say("No citation of it is left.")
        return
    out.table(
        ["slice", "happened", "who", "", ("quote", "rest")],
        [
            (short(line.slice_id), line.event_time, line.actor, "released" if line.gone else "", line.quote)
            for line in found.citations
        ],
    )


def _show_slice(found: Portrait) -> None:
    one = found.slice
    out.pairs(
        [
            ("id", one.slice_id),
            ("stream", one.stream),
            ("session", one.session),
            ("who", one.actor),
            ("happened", one.event_time),
            ("perceived", one.ingest_time),
            ("state", state(one.triage_state, one.consolidation_state, forgotten=one.forgotten, pinned=one.pinned) or "passed"),
            *([("because", one.triage_reason)] if one.triage_reason else []),
            ("trust", one.trust),
            ("salience", _salience(one)),
            *([("external id", one.external_id)] if one.external_id else []),
            ("recalled", _recalled(found)),
            ("passages", _passages(found.passages)),
        ]
    )
    out.say()
    out.say(one.text if one.text else _gone(one))


def _salience(one: SliceRow) -> str:
    if one.salience is None or one.half_life is None:
        return "none"
    now = f"{one.salience:.2f} now, from {one.anchor:.2f} at {out.when(one.anchored_at)}, half-life {span(one.half_life)}"
    if one.pinned or one.fades_at is None:
        return f"{now}; never fades"
    return f"{now}; {'fades' if one.fades_at > SystemClock().now() else 'faded'} at {out.when(one.fades_at)}"


def _recalled(found: Portrait) -> str:
    seen = found.recalled
    if not seen.shown:
        return "never"
    return f"{many(seen.shown, 'time')}, last {out.when(seen.last_shown)}; reinforced {seen.surfaced + seen.used:,}"


def _passages(passages: list[PassageLine]) -> str:
    if not passages:
        return "none"
    models = sorted({model for passage in passages for model in passage.models})
    terms = sum(passage.terms for passage in passages)
    return f"{len(passages)}, {many(terms, 'term')}; vectors of {', '.join(models) or 'no model'}"


def _gone(one: SliceRow) -> str:
    if one.released_at:
        return f"Released on {out.when(one.released_at)}: what remains is this tombstone, sha256 {one.content_hash}."
    return "Forgotten: its text is being taken away." if one.forgotten else "It has no text."
