"""thoth substrate show."""

from __future__ import annotations

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, SliceWord, Tenant, settings
from thoth_substrate.cli.slices import state
from thoth_substrate.db.pool import Database
from thoth_substrate.model.clock import SystemClock
from thoth_substrate.views import resolve
from thoth_substrate.views.show import PassageLine, Portrait, SliceRow, portrait
from thoth_substrate.views.words import many, span


def register(group: typer.Typer) -> None:
    group.command(
        "show",
        epilog=examples("thoth substrate show 019e2a3b-4c5d-7001", "thoth substrate show 104   (a line that was just shown)"),
    )(show)


@answers(Portrait)
def show(word: SliceWord, *, tenant: Tenant = None, json: Json = False) -> None:
    """Show one slice wholly: its text, its state, how present it is, and how often it came up."""
    chosen = settings(tenant)

    async def read(db: Database) -> Portrait:
        return await portrait(db, chosen.tenant, await resolve.slice_id(db, chosen.tenant, word))

    out.emit(ask(chosen, read), as_json=json, show=_show)


def _show(found: Portrait) -> None:
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
