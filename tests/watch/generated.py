"""A vault of notes and PDF files with known facts, what may befall it, and what must answer afterwards."""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

CODE = re.compile(r"code-\d+-v\d+")
_FOLDERS = ("people", "work/plans", "work/logs", "home", "reading/2026")
_WORDS = "river stone lantern harbour velvet copper meadow signal orchard granite winter ribbon".split()
_ANSWERING = """
    select s.metadata ->> 'path', s.text
    from thoth.substrate_slices s
    where not s.forgotten and s.consolidation_state <> 'released' and exists (
        select from thoth.substrate_passages p where p.tenant_id = s.tenant_id and p.slice_id = s.slice_id
    )
"""


def pdf(*pages: str) -> bytes:
    """A PDF file of pages with one line of text each, as small as one can be."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        words = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        stream = f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET".encode("latin-1", "replace")
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R"
        objects.append(f"{page} /Resources << /Font << /F1 3 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


@dataclass
class Generated:
    """The files of a vault. `now` is the code that each path must answer with; every version has a code of its own."""

    root: Path
    seed: int = 7
    now: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    befell: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._numbers = 0

    def make(self, notes: int, pdfs: int) -> None:
        """Write everything."""
        for number in range(notes):
            self._write(f"{_FOLDERS[number % len(_FOLDERS)]}/note {number:04}.md")
        for number in range(pdfs):
            self._write(f"papers/paper {number:03}.pdf")

    def befall(self, count: int) -> None:
        """So many edits, moves, deletions, replacements and new files, each of a file of its own, by chance."""
        paths = self._random.sample(sorted(self.now), min(count, len(self.now)))
        for place, path in enumerate(paths):
            what = ("edit", "move", "delete", "replace", "add")[place % 5]
            self.befell[what] += 1
            if what == "edit":
                self._write(path)
            elif what == "replace":
                self._write(path, aside=True)
            elif what == "move":
                target = f"moved/{place % 7}/{Path(path).stem} {place}{Path(path).suffix}"
                (self.root / target).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).rename(self.root / target)
                self.now[target] = self.now.pop(path)
            elif what == "delete":
                (self.root / path).unlink()
                del self.now[path]
            else:
                self._write(f"added/note {self._numbers:05}.md")

    def _write(self, path: str, *, aside: bool = False) -> None:
        self._numbers += 1
        self.versions[path] = self.versions.get(path, 0) + 1
        code = f"code-{self._numbers}-v{self.versions[path]}"
        self.now[path] = code
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        content = self._content(path, code)
        if aside:  # as editors save: beside it, then in its place
            beside = file.with_name(f".{file.name}.new")
            beside.write_bytes(content)
            os.replace(beside, file)
        else:
            file.write_bytes(content)

    def _content(self, path: str, code: str) -> bytes:
        words = " ".join(self._random.choices(_WORDS, k=40))
        if path.endswith(".pdf"):
            return pdf(f"{words}.", f"The code of this paper is {code}.")
        return f"---\ntags: [generated]\n---\n# {Path(path).stem}\n\n{words}.\n\n## Code\n\nThe code is {code}.\n".encode()


def answering(sql: psycopg.Connection, generated: Generated) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Pairs of path and code: those that answer, and those that must. Equal when all that is live answers once, and no other."""
    found: Counter[tuple[str, str]] = Counter()
    for path, text in sql.execute(_ANSWERING).fetchall():
        for code in CODE.findall(text):
            found[path, code] += 1
    return found, Counter(generated.now.items())
