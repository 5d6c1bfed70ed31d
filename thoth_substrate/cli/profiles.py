"""thoth substrate profiles, and profiles set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.door import ask
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.errors import BadInput
from thoth_substrate.fade.profiles import set_profile
from thoth_substrate.model.salience import DecayProfile
from thoth_substrate.views.profiles import ProfileLine
from thoth_substrate.views.profiles import profiles as read
from thoth_substrate.views.words import span

group = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@dataclass(frozen=True, slots=True)
class Changed:
    """A profile as it is now, how many slices that were there already may now go, and what the change means."""

    profile: DecayProfile
    opted_in: int
    effect: str


def register(parent: typer.Typer) -> None:
    parent.add_typer(group, name="profiles")


@group.callback(epilog=examples("thoth substrate profiles", "thoth substrate profiles set default-text --half-life 30d"))
@answers(list[ProfileLine])
def profiles(context: typer.Context, *, tenant: Tenant = None, json: Json = False) -> None:
    """List the decay profiles: how each kind of slice fades and what is left of it."""
    if context.invoked_subcommand is None:
        chosen = settings(tenant)
        out.emit(ask(chosen, lambda db: read(db, chosen.tenant)), as_json=json, show=_show)


@group.command(
    "set",
    epilog=examples(
        "thoth substrate profiles set default-text --half-life 30d",
        "thoth substrate profiles set default-text --release-unconsolidated-after 365d",
        "thoth substrate profiles set default-text --release-unconsolidated-after never",
    ),
)
@answers(Changed)
def set_(
    profile: Annotated[str, typer.Argument(help="The profile's name.")],
    *,
    half_life: Annotated[str | None, typer.Option(metavar="SPAN", help="Salience halves in this span, e.g. 14d.")] = None,
    floor: Annotated[str | None, typer.Option(metavar="LEVEL", help="Below this level (0..1) a slice counts as faded.")] = None,
    reinforce: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="Added to the level (0..1) when a memory was used.")
    ] = None,
    pending_ttl: Annotated[
        str | None, typer.Option(metavar="SPAN", help="How long a slice may wait for a live Sentinel.")
    ] = None,
    consolidation_window: Annotated[
        str | None, typer.Option(metavar="SPAN", help="How long slices wait for a fuller batch.")
    ] = None,
    tombstone: Annotated[str | None, typer.Option(metavar="thin|none", help="What a released slice leaves behind.")] = None,
    tombstone_reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why nothing is left (needed for none).")] = None,
    release_unconsolidated_after: Annotated[
        str | None, typer.Option(metavar="SPAN|never", help="Let faded slices go after this span though nothing was promoted.")
    ] = None,
    expire_after: Annotated[
        str | None, typer.Option(metavar="SPAN", help="How long rejected, diary and log rows are kept.")
    ] = None,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Change a decay profile and say what that will do. Profiles are the same for every tenant."""
    given: dict[str, Any] = {
        "half-life": half_life, "floor": floor, "reinforce": reinforce, "pending-ttl": pending_ttl,
        "consolidation-window": consolidation_window, "tombstone": tombstone, "tombstone-reason": tombstone_reason,
        "release-unconsolidated-after": release_unconsolidated_after, "expire-after": expire_after,
    }  # fmt: skip
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise BadInput("Nothing was asked to be changed: give at least one of the options; --help lists them.")
    done = ask(settings(tenant), lambda db: set_profile(db, profile, changes))
    out.emit(Changed(done.after, done.opted_in, done.effect), as_json=json, show=lambda answer: out.say(answer.effect))


def _show(lines: list[ProfileLine]) -> None:
    out.table(
        ["profile", ("half-life", "right"), ("floor", "right"), ("used adds", "right"), ("may wait", "right"),
         ("window", "right"), "leaves", ("unpromoted go", "right"), ("logs kept", "right"), ("streams", "right")],
        [_cells(line) for line in lines],
    )  # fmt: skip


def _cells(line: ProfileLine) -> tuple[object, ...]:
    unpromoted = line.release_unconsolidated_after
    return (
        line.profile, span(line.half_life), line.floor, line.reinforce, span(line.pending_ttl), span(line.consolidation_window),
        line.tombstone, f"after {span(unpromoted)}" if unpromoted else "never", span(line.expire_after), len(line.streams),
    )  # fmt: skip
