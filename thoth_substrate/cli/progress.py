"""Progress of long work on stderr: bars on a terminal, nothing when piped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from thoth_substrate.cli import out


class Bars:
    """Named bars that appear when they are first moved."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def move(self, name: str, done: int, total: int | None) -> None:
        """Set the bar `name` to `done` of `total` (None: unknown)."""
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)


@contextlib.contextmanager
def bars() -> Iterator[Bars]:
    """Bars while something long goes on; they vanish when it ends."""
    console = out.console(talk=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        yield Bars(progress)
