"""What does it cost to watch a vault, and does exactly its live versions answer, whatever befalls it?

    python -m bench.vault [--dsn DSN] [--notes 2000] [--pdfs 50] [--changes 400] [--kills 4] [--docs DIR]

2,000 notes and 50 PDF files with known facts, and the READMEs of the packages installed here. They are taken in, then edited,
moved, deleted and replaced under a running `thoth watch` that is killed (SIGKILL) again and again. At the end every live
version must answer once, and nothing else: `wrongs` must be empty. Told are the times of the first look, of one that finds
nothing changed, of one that reads everything, and how long a change took to be live.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from bench import report
from bench.place import place
from tests.watch.generated import Generated, answering

THOTH = Path(sys.executable).with_name("thoth")
MOST_WAIT_S = 900.0
LIVE = "select count(*) from thoth.substrate_files where state = 'live'"
WAITING = "select count(*) from thoth.substrate_files where state in ('queued', 'ingesting')"


@dataclass(slots=True)
class Figures:
    """Seconds of each part, counts, and what is wrong."""

    notes: int = 0
    documents: int = 0
    slices: int = 0
    first_s: float = 0.0
    unchanged_s: float = 0.0
    full_s: float = 0.0
    change_s: float = 0.0
    befell: dict[str, int] = field(default_factory=dict)
    killed: int = 0
    wrongs: list[str] = field(default_factory=list)


class Bench:
    """One vault on one database."""

    def __init__(self, root: Path, dsn: str, home: Path) -> None:
        self.vault = Generated(root)
        self.figures = Figures()
        bare = {name: value for name, value in os.environ.items() if not name.startswith(("THOTH_", "OPENAI_", "DATABASE_URL"))}
        given = {"DATABASE_URL": dsn, "THOTH_HOME": str(home), "THOTH_EMBED_PROVIDER": "none", "THOTH_WATCH_QUICK_S": "5"}
        self._env = {**bare, **given}
        self._log = home.with_name("watch.log")
        self._process: subprocess.Popen[bytes] | None = None
        self._sql = psycopg.connect(dsn, autocommit=True)

    def run(self, notes: int, pdfs: int, changes: int, kills: int, docs: Path | None) -> Figures:
        """All parts, in order."""
        self.vault.make(notes, pdfs)
        self.figures.notes = notes + pdfs
        self.figures.documents = readmes(self.vault.root / "docs") if docs is None else copied(docs, self.vault.root / "docs")
        self.figures.first_s = self._killed_first(kills // 2)
        self.figures.unchanged_s = self._once()
        self._under_load(changes, kills - kills // 2)
        self._once()
        self.figures.full_s = self._once("--full")
        self.figures.change_s = self._one_change()
        self._judge()
        self._sql.close()
        return self.figures

    def _killed_first(self, kills: int) -> float:
        """The first look, with its process killed on the way; seconds of work in all."""
        began = time.monotonic()
        for number in range(kills):
            with self._following() as process:
                self._until(LIVE, (number + 1) * self.figures.notes // (kills + 2))
                process.kill()
                self.figures.killed += 1
        self._once()
        return round(time.monotonic() - began, 1)

    def _under_load(self, changes: int, kills: int) -> None:
        share = changes // (kills + 1)
        for _ in range(kills):
            with self._following() as process:
                self._until(LIVE, 1)
                before = self._one("select coalesce(max(seen_at), 'epoch') from thoth.substrate_files")
                self.vault.befall(share)
                self._until("select count(*) from thoth.substrate_files where seen_at > %s", 1, before)
                process.kill()
                self.figures.killed += 1
        self.vault.befall(share)
        self.figures.befell = dict(self.vault.befell)

    def _one_change(self) -> float:
        """From the write to live, with the events of the file system."""
        with self._following() as process:
            self._until("select count(*) from thoth.substrate_agents where agent = 'watcher' and heartbeat_at is not null", 1)
            time.sleep(5)  # until it listens
            path = next(path for path in sorted(self.vault.now) if path.endswith(".md"))
            version = "select version from thoth.substrate_files where path = %s and state = 'live'"
            before = self._one(version, path)
            began = time.monotonic()
            self.vault._write(path)
            self._until(version, before + 1, path)
            took = time.monotonic() - began
            self._until("select 1 - count(*) from thoth.substrate_pending", 1)
            self._until("select 1 - count(*) from thoth.substrate_unindexed", 1)
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        return round(took, 2)

    def _judge(self) -> None:
        found, wanted = answering(self._sql, self.vault)
        self.figures.wrongs += [f"answers and must not, or twice: {pair}" for pair in sorted((found - wanted).elements())[:20]]
        self.figures.wrongs += [f"must answer and does not: {pair}" for pair in sorted((wanted - found).elements())[:20]]
        self.figures.slices = self._one("select sum(cardinality(slice_ids)) from thoth.substrate_files")
        failed = self._sql.execute("select path, error from thoth.substrate_files where state = 'failed'").fetchall()
        self.figures.wrongs += [f"failed: {path}: {error}" for path, error in failed]

    def _once(self, *words: str) -> float:
        began = time.monotonic()
        subprocess.run(
            [THOTH, "watch", str(self.vault.root), "--once", *words], env=self._env, check=False, capture_output=True,
            timeout=MOST_WAIT_S,
        )  # fmt: skip
        return round(time.monotonic() - began, 1)

    def _following(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [THOTH, "watch", str(self.vault.root)], env=self._env, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        return self._process

    def _one(self, question: str, *arguments: Any) -> Any:
        row = self._sql.execute(question.encode(), arguments).fetchone()
        return row[0] if row else None

    def _until(self, question: str, least: int, *arguments: Any) -> None:
        until = time.monotonic() + MOST_WAIT_S
        while (self._one(question, *arguments) or 0) < least:
            if time.monotonic() > until or (self._process and self._process.poll() is not None):
                log = self._log.read_text(encoding="utf-8", errors="replace")[-3000:]
                raise RuntimeError(f"{question} stayed under {least}; the watcher said:\n{log}")
            time.sleep(0.05)


def readmes(target: Path) -> int:
    """The READMEs of every package installed here, as their metadata has them, and what else they bring in Markdown."""
    packages = Path(sysconfig.get_paths()["purelib"])
    count = 0
    for about in sorted(packages.glob("*.dist-info/METADATA")):
        _, _, words = about.read_text(encoding="utf-8", errors="replace").partition("\n\n")
        if words.strip():
            count += _put(target / about.parent.name.removesuffix(".dist-info") / "README.md", words.encode())
    for page in sorted([*packages.glob("*/**/*.md"), *packages.glob("*/**/*.rst")]):
        count += _put(target / page.relative_to(packages), page.read_bytes())
    return count


def copied(source: Path, target: Path) -> int:
    """A tree of documents as it is."""
    shutil.copytree(source, target)
    return sum(path.is_file() for path in target.rglob("*"))


def _put(path: Path, content: bytes) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dsn")
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--pdfs", type=int, default=50)
    parser.add_argument("--changes", type=int, default=400)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--docs", type=Path, help="a tree of documents instead of the READMEs of what is installed")
    given = parser.parse_args()
    with place(given.dsn) as where:
        root = where.home / "vault"
        figures = Bench(root, where.dsn, where.home / "home").run(given.notes, given.pdfs, given.changes, given.kills, given.docs)
        told = {name: getattr(figures, name) for name in Figures.__dataclass_fields__}
        line = (
            f"vault: {figures.notes + figures.documents} files in {figures.slices} slices taken in within {figures.first_s} s"
            f" (killed {figures.killed} times in all), unchanged {figures.unchanged_s} s, all read {figures.full_s} s, a change"
            f" live after {figures.change_s} s; {len(figures.wrongs)} wrongs"
        )
        report.write("vault", {"machine": report.machine(where.version), "figures": told}, line)
    if figures.wrongs:
        sys.exit("\n".join(figures.wrongs))


if __name__ == "__main__":
    main()
