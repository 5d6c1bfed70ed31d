"""What became of the files of a folder since they were last looked at. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from thoth_substrate.watch.tree import Looked, Tree


@dataclass(frozen=True, slots=True)
class Row:
    """A file as it is known: as it was last seen, and the hash of its live version."""

    file_id: UUID
    path: str
    state: str
    size: int
    mtime_ns: int
    seen_sha256: bytes
    sha256: bytes | None


@dataclass(frozen=True, slots=True)
class Changed:
    """A known file as it was found: with another content, or with the same under another time."""

    file_id: UUID
    looked: Looked
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Added:
    """A file that was not there before."""

    path: str
    looked: Looked
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Moved:
    """A known file under another path, with the content that it had."""

    file_id: UUID
    path: str
    looked: Looked


@dataclass(slots=True)
class Plan:
    """What is to be written down. `touched` have another time and the same content; `gone` are there no more."""

    added: list[Added] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)
    touched: list[Changed] = field(default_factory=list)
    moved: list[Moved] = field(default_factory=list)
    gone: list[UUID] = field(default_factory=list)
    unchanged: int = 0


def to_read(rows: Sequence[Row], tree: Tree, *, full: bool) -> list[str]:
    """Paths whose content has to be looked at: all of them, or those whose size or time is not as it was."""
    known = {row.path: row for row in rows}
    return [
        path
        for path, looked in tree.files.items()
        if full or (row := known.get(path)) is None or (row.size, row.mtime_ns) != (looked.size, looked.mtime_ns)
    ]


def compare(rows: Sequence[Row], tree: Tree, hashes: Mapping[str, bytes]) -> Plan:
    """The plan. `hashes` are of the paths that were read; one that is missing there was unchanged, or went while it was read."""
    plan = Plan()
    known = {row.path: row for row in rows}
    lost = [row for row in rows if row.path not in tree.files and tree.knows(row.path)]
    by_content: dict[bytes, list[Row]] = defaultdict(list)
    for row in lost:
        if row.state == "live" and row.sha256 is not None:
            by_content[row.sha256].append(row)
    moved: set[UUID] = set()
    for path, looked in tree.files.items():
        before, digest = known.get(path), hashes.get(path)
        if before is None:
            if digest is None:
                continue
            same = by_content.get(digest)
            if same:
                one = same.pop(0)
                moved.add(one.file_id)
                plan.moved.append(Moved(one.file_id, path, looked))
            else:
                plan.added.append(Added(path, looked, digest))
        elif digest is None:
            plan.unchanged += 1
        elif digest != before.seen_sha256:
            plan.changed.append(Changed(before.file_id, looked, digest))
        elif (before.size, before.mtime_ns) != (looked.size, looked.mtime_ns):
            plan.touched.append(Changed(before.file_id, looked, digest))
        else:
            plan.unchanged += 1
    plan.gone = [row.file_id for row in lost if row.file_id not in moved]
    return plan
