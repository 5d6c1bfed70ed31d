"""What lies in a watched folder: paths, sizes and times, by the rules of what is looked at. Blocking: call it in a thread."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILE = ".gitignore"
# Hidden things, what tools make, what editors and browsers have not finished. In the syntax of .gitignore.
DEFAULTS = (
    ".*", "node_modules/", "__pycache__/", "venv/", "*.pyc", "*~", "~$*", "*.tmp", "*.swp", "*.swo", "*.part", "*.crdownload",
    "Thumbs.db", "desktop.ini",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Looked:
    """A file as the file system tells of it: size in bytes, time of its last change in ns."""

    size: int
    mtime_ns: int


@dataclass(slots=True)
class Tree:
    """A folder looked through. `missing`: it is not there at all. Below `unreadable` folders nothing is known."""

    files: dict[str, Looked] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    odd: int = 0
    missing: bool = False

    def knows(self, path: str) -> bool:
        """Whether a file that is not among `files` is known to be gone."""
        return not any(folder in ("", path) or path.startswith(f"{folder}/") for folder in self.unreadable)


class Rules:
    """Which files are looked at. `exclude` are patterns as in .gitignore beyond DEFAULTS; `!pattern` takes one back."""

    def __init__(self, exclude: Sequence[str] = ()) -> None:
        self._spec = GitIgnoreSpec.from_lines([*DEFAULTS, *exclude])

    def walk(self, root: Path) -> Tree:
        """Everything in the folder. Never raises for what is in it; links that lead out of it are not followed."""
        tree = Tree()
        if not root.is_dir():
            tree.missing = True
            return tree
        real = os.path.realpath(root)
        waiting: list[tuple[str, list[tuple[str, GitIgnoreSpec]]]] = [("", [("", self._spec)])]
        while waiting:
            folder, specs = waiting.pop()
            try:
                entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda entry: entry.name)
            except OSError:
                if not folder and not root.is_dir():
                    tree.missing = True
                    return tree
                tree.unreadable.append(folder)
                continue
            own = _ignore_file(root, folder)
            specs = [*specs, (folder, own)] if own is not None else specs
            for entry in entries:
                self._take(entry, folder, specs, real, tree, waiting)
        return tree

    def _take(
        self, entry: os.DirEntry[str], folder: str, specs: list[tuple[str, GitIgnoreSpec]], real: str, tree: Tree,
        waiting: list[tuple[str, list[tuple[str, GitIgnoreSpec]]]],
    ) -> None:  # fmt: skip
        path = f"{folder}/{entry.name}" if folder else entry.name
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if _ignored(f"{path}/" if is_folder else path, specs):
                return
            if not _is_text(entry.name):
                tree.odd += 1
            elif is_folder:
                waiting.append((path, specs))
            elif entry.is_symlink() and not _leads_inside(entry.path, real):
                return
            else:
                about = entry.stat()
                if stat.S_ISREG(about.st_mode):
                    tree.files[path] = Looked(about.st_size, about.st_mtime_ns)
        except FileNotFoundError:
            return  # gone since the folder was listed, or a link to nowhere
        except OSError:
            tree.unreadable.append(path)


def _ignore_file(root: Path, folder: str) -> GitIgnoreSpec | None:
    try:
        lines = (root / folder / IGNORE_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
        return GitIgnoreSpec.from_lines(lines)
    except (OSError, ValueError):  # not there; or a pattern that is none
        return None


def _ignored(path: str, specs: list[tuple[str, GitIgnoreSpec]]) -> bool:
    """By the innermost file that says something of it."""
    for folder, spec in reversed(specs):
        said = spec.check_file(path[len(folder) + 1 :] if folder else path).include
        if said is not None:
            return said
    return False


def _leads_inside(link: str, real: str) -> bool:
    target = os.path.realpath(link)
    return target.startswith(real + os.sep) and not os.path.isdir(target)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def lies_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Folders without those that lie in another of them, each by its absolute path, in order."""
    absolute = list(dict.fromkeys(Path(os.path.abspath(path.expanduser())) for path in paths))
    yield from (path for path in absolute if not any(other in path.parents for other in absolute))
