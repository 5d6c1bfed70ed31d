"""A watcher of folders: looks at them, takes in what is new or changed, then retires what is gone. In bounded steps.

Only what is seen to be gone from a folder that is there is retired, and only after what came in its place was taken in.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import anyio.to_thread

from thoth_substrate.db.pool import Database
from thoth_substrate.watch.compare import Plan, Row, compare, to_read
from thoth_substrate.watch.files import Files
from thoth_substrate.watch.intake import Intake, TakenIn, too_large
from thoth_substrate.watch.place import RootLock, installation
from thoth_substrate.watch.ports import Ports
from thoth_substrate.watch.tree import Rules, Tree, lies_in

QUICK, FULL = timedelta(seconds=60), timedelta(minutes=30)
READ_BYTES = 1 << 20
CAREFUL_LOOKS = 5  # after a start, or an attempt that was overtaken
MISSING = "The folder is not there; what was taken in of it is kept. `thoth watch --drop` retires it."
EMPTIED = "The folder is empty, as one that is not mounted is; what was taken in of it is kept. `thoth watch --drop` retires it."
ELSEWHERE = "Another process of this installation watches it."


@dataclass(frozen=True, slots=True)
class Options:
    """`exclude` in the syntax of .gitignore; `most_bytes` of a file that is taken in; how often to look."""

    exclude: tuple[str, ...] = ()
    most_bytes: int = 20 << 20
    quick: timedelta = QUICK
    full: timedelta = FULL


@dataclass(frozen=True, slots=True)
class Looks:
    """What looking at folders found, as counts of files; `warnings` by folder."""

    files: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0
    warnings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """What a step did. `more`: another one has something to do now."""

    looks: Looks | None = None
    taken: TakenIn = field(default_factory=TakenIn)
    retired: int = 0
    strays: int = 0
    more: bool = False

    @property
    def did(self) -> int:
        """Files that something was done with."""
        looks = self.looks or Looks()
        return looks.added + looks.changed + looks.moved + self.taken.files + self.retired + self.strays


class Watch:
    """One for a process, on its event loop; belongs to a tenant. `close` gives the folders free."""

    def __init__(
        self, db: Database, home: Path, tenant_id: str, roots: Sequence[Path], ports: Ports, options: Options | None = None
    ) -> None:
        self._options = options or Options()
        self._db, self._clock = db, db.clock
        host = installation(home)
        self._files = Files(db, tenant_id, host, ports)
        self._intake = Intake(db, tenant_id, host, ports, self._options.most_bytes)
        self._rules = Rules(self._options.exclude)
        self.roots = tuple(lies_in(roots))
        self._locks = {root: RootLock(home, tenant_id, root) for root in self.roots}
        self._ours: set[Path] = set()
        self._gone: dict[Path, list[UUID]] = {}
        self._alarmed = False
        self._looked_s = self._read_s = float("-inf")
        self._interrupted = self._untidy = False
        self._careful_looks = CAREFUL_LOOKS

    def alarm(self) -> None:
        """Something stirs: the next step looks at once. Safe from any thread."""
        self._alarmed = True

    async def step(self, *, full: bool = False) -> Step:
        """Look when it is time, take in a batch of what waits; with nothing left to take in, retire what is gone."""
        if self._interrupted:  # the step before was stopped, or failed: what it had begun waits again
            for root in self._ours:
                await self._files.free(str(root))
        looks = await self.look(full=full) if full or self._is_time() else None
        ours = [str(root) for root in sorted(self._ours)]
        self._interrupted = True
        taken = await self._intake.run(ours) if ours else TakenIn()
        self._interrupted = False
        if taken.overtaken:
            self._careful_looks = CAREFUL_LOOKS
        if taken.files:
            return Step(looks, taken, more=True)
        retired = await self._retire_gone()
        strays = 0
        if self._untidy:
            strays = sum([await self._files.tidy(root) for root in ours])
            self._untidy = False
        return Step(looks, taken, retired, strays)

    async def look(self, *, full: bool = False, progress: Callable[[int, int], None] | None = None) -> Looks:
        """Compare every folder with what is known of it; `full` reads all content. `progress(done, all)` counts files read."""
        self._alarmed = False
        full = full or self._clock.monotonic_s() - self._read_s >= self._options.full.total_seconds()
        counts = dict.fromkeys(("files", "added", "changed", "moved", "gone"), 0)
        warnings = {}
        for root in self.roots:
            plan, warning = await self._look_at(root, full, progress)
            if warning:
                warnings[str(root)] = warning
            if plan is not None:
                counts["files"] += len(plan.added) + len(plan.changed) + len(plan.touched) + len(plan.moved) + plan.unchanged
                for name in ("added", "changed", "moved", "gone"):
                    counts[name] += len(getattr(plan, name))
        self._looked_s = self._clock.monotonic_s()
        if full:
            self._read_s = self._looked_s
        # Journals of the dead are read back in the first minutes of a process; after that something stray is rare.
        self._untidy = full or self._careful_looks > 0
        self._careful_looks = max(self._careful_looks - 1, 0)
        return Looks(**counts, warnings=warnings)

    async def drop(self, root: Path) -> int:
        """Watch a folder no more and retire all its files; answers how many, or -1 when another process watches it."""
        lock = self._locks.get(root) or next(iter(self._locks.values()))
        if not lock.take():
            return -1
        return await self._files.drop(str(root))

    def close(self) -> None:
        """Let others watch the folders."""
        for lock in self._locks.values():
            lock.leave()
        self._ours.clear()

    def _is_time(self) -> bool:
        return self._alarmed or self._clock.monotonic_s() - self._looked_s >= self._options.quick.total_seconds()

    async def _look_at(
        self, root: Path, full: bool, progress: Callable[[int, int], None] | None
    ) -> tuple[Plan | None, str]:  # fmt: skip
        if not self._locks[root].take():
            self._ours.discard(root)
            return None, ELSEWHERE
        if root not in self._ours:
            await self._files.free(str(root))
            self._ours.add(root)
        known = await self._files.known(str(root))
        tree = await anyio.to_thread.run_sync(self._rules.walk, root)
        warning = _warning(known, tree)
        if tree.missing or (not tree.files and known):
            await self._files.seen(str(root), full=False, warning=warning)
            self._gone.pop(root, None)
            return None, warning
        plan = compare(known, tree, await self._hashes(root, known, tree, full, progress))
        await self._files.note(str(root), plan)
        self._gone[root] = plan.gone
        await self._files.seen(str(root), full=full, warning=warning)
        return plan, warning

    async def _hashes(
        self, root: Path, known: Sequence[Row], tree: Tree, full: bool, progress: Callable[[int, int], None] | None
    ) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        paths = to_read(known, tree, full=full)
        for number, path in enumerate(paths, 1):
            size = tree.files[path].size
            if size > self._options.most_bytes:
                found[path] = too_large(size)
            elif (digest := await anyio.to_thread.run_sync(_hash, root / path)) is not None:
                found[path] = digest
            if progress is not None:
                progress(number, len(paths))
        return found

    async def _retire_gone(self) -> int:
        """Retire what a look found to be gone, if it still is, and the folder is still there."""
        count = 0
        for root in list(self._gone):
            waiting = self._gone.pop(root)
            if not waiting:
                continue
            for file_id in waiting:
                if await anyio.to_thread.run_sync(_holds_something, root):
                    count += await self._files.retire(file_id)
        return count


def _warning(known: Sequence[Row], tree: Tree) -> str:
    if tree.missing:
        return MISSING
    if not tree.files and known:
        return EMPTIED
    said = []
    if tree.unreadable:
        said.append(f"{len(tree.unreadable)} folders cannot be read, and what is in them is kept as it was.")
    if tree.odd:
        said.append(f"{tree.odd} names are no text and were passed over.")
    return " ".join(said)


def _hash(path: Path) -> bytes | None:
    """The file's SHA-256; None when it is gone; a stand-in when it cannot be read, so that it is tried and seen to fail."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while data := file.read(READ_BYTES):
                digest.update(data)
    except FileNotFoundError:
        return None
    except OSError as error:
        return hashlib.sha256(f"unreadable: {error.errno}".encode()).digest()
    return digest.digest()


def _holds_something(root: Path) -> bool:
    """Whether the folder is there, and not as one that is not mounted."""
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
