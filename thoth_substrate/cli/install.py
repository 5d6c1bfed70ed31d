"""thoth install."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from thoth_substrate.cli import out
from thoth_substrate.cli.answers import answers, examples
from thoth_substrate.cli.options import Json, Tenant, settings
from thoth_substrate.errors import BadInput
from thoth_substrate.integrations.install.edits import Edit, difference, write
from thoth_substrate.integrations.install.hosts import HOSTS, Place, ScopeName, edits_for
from thoth_substrate.settings import Settings, variables_of_others

Did = Literal["written", "changed", "removed", "would be written", "would be changed", "would be removed"]
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


@dataclass(frozen=True, slots=True)
class Touched:
    """A file, and what was done with it."""

    path: Path
    did: Did


@dataclass(frozen=True, slots=True)
class Installed:
    """What installing came to. No files: all was as it should be already."""

    host: str
    scope: ScopeName
    files: list[Touched]


def register(app: typer.Typer) -> None:
    app.command(
        "install",
        epilog=examples(
            "thoth install claude-code", "thoth install cursor --scope project", "thoth install codex --dry-run",
            "thoth install claude-desktop --yes", "thoth install claude-code --remove",
        ),
    )(install)  # fmt: skip


@answers(Installed)
def install(
    host: Annotated[str, typer.Argument(metavar="HOST", help=f"One of {', '.join(HOSTS)}.")],
    *,
    scope: Annotated[
        str, typer.Option("--scope", metavar="user|project", help="For everything of yours, or for the project in this folder.")
    ] = "user",
    remove: Annotated[bool, typer.Option("--remove", help="Take back what was put there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    tenant: Tenant = None,
    json: Json = False,
) -> None:
    """Give an agent host this memory: write its configuration, having shown what changes. Other settings in it stay.

    The host is pointed to THOTH_URL, with THOTH_TOKEN when there is one. What was there before is kept beside the file.
    """
    if scope not in ("user", "project"):
        raise BadInput(f"--scope is user or project, not {scope!r}.")
    chosen: ScopeName = "project" if scope == "project" else "user"
    place = _place(settings(tenant), chosen, remove=remove)
    edits = edits_for(host, place)
    for edit in edits:
        _show(edit)
    if edits and not dry_run:
        _agreed(host, yes=yes, remove=remove)
        for edit in edits:
            write(edit, removing=remove)
    out.emit(
        Installed(host, chosen, [Touched(edit.path, _did(edit, dry_run=dry_run)) for edit in edits]),
        as_json=json,
        show=lambda answer: _tell(answer, remove=remove, dry_run=dry_run),
    )


def _place(chosen: Settings, scope: ScopeName, *, remove: bool) -> Place:
    beside = Path(sys.argv[0]).with_name("thoth")
    program = Path(shutil.which("thoth") or beside).absolute()
    given = {"THOTH_TENANT": chosen.tenant} if chosen.tenant != "default" else {}
    if chosen.home_dir != Path("~/.thoth").expanduser():
        given["THOTH_HOME"] = str(chosen.home_dir)
    return Place(
        home=Path.home(),
        project=Path.cwd(),
        variables=variables_of_others(),
        program=program,
        url=chosen.url.rstrip("/"),
        token=chosen.token is not None,
        scope=scope,
        remove=remove,
        given=given,
    )


def _show(edit: Edit) -> None:
    """The difference, on stderr, coloured where there are colours."""
    for line in difference(edit).splitlines():
        style = "bold" if line.startswith(("+++", "---")) else _COLOURS.get(line[:1], "")
        out.console(talk=True).print(Text(out.many_lines(line), style=style), soft_wrap=True)
    out.talk("")


def _agreed(host: str, *, yes: bool, remove: bool) -> None:
    """Ask, unless agreed to beforehand. Raises BadInput where nobody can be asked, Exit on a no."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("Nobody is here to be asked, so nothing was written: give --yes to agree beforehand.")
    if not typer.confirm(f"Remove Thoth from {HOSTS[host].title}?" if remove else "Write this?", err=True):
        out.talk("Nothing was written.")
        raise typer.Exit(1)


def _did(edit: Edit, *, dry_run: bool) -> Did:
    if edit.after is None:
        return "would be removed" if dry_run else "removed"
    if edit.before is None:
        return "would be written" if dry_run else "written"
    return "would be changed" if dry_run else "changed"


def _tell(answer: Installed, *, remove: bool, dry_run: bool) -> None:
    for touched in answer.files:
        out.say(f"{touched.did}: {touched.path}")
    host = HOSTS[answer.host]
    if not answer.files:
        out.say(f"Nothing to do: {host.title} {'has nothing of Thoth' if remove else 'is set up already'}.")
    elif not (remove or dry_run):
        out.talk(host.after)
