"""What doctor asks of this machine and of the settings: folders, disk, and settings that contradict each other."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thoth_substrate.settings import Settings
from thoth_substrate.views.check import Check, bad, ok, warn
from thoth_substrate.views.words import size

LEAST_FREE_BYTES = 1 << 30
SCARCE_FREE_BYTES = 5 << 30
LEAST_BUDGET_TOKENS = 100


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that Thoth writes to: why it cannot (empty when it can), and the bytes free on its disk."""

    path: Path
    refusal: str
    free_bytes: int


def look_at(path: Path) -> Folder:
    """Try to write into `path` (it is made when missing); nothing of the attempt remains."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"thoth")
        refusal = ""
    except OSError as error:
        refusal = error.strerror or str(error)
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    return Folder(path, refusal, shutil.disk_usage(there).free)


def folder_check(name: str, folder: Folder, *, embedded: bool) -> Check:
    """Whether there is a place for the journal and, when it is embedded, the database. Pure."""
    if folder.refusal:
        says = f"{folder.path} cannot be written ({folder.refusal}): what is perceived has no journal to survive in."
        return bad(name, says, "export THOTH_HOME=/a/folder/that/can/be/written")
    holds = "the journal and the embedded database" if embedded else "the journal"
    says = f"{folder.path}, for {holds}; {size(folder.free_bytes)} free."
    if folder.free_bytes < LEAST_FREE_BYTES:
        return bad(name, f"{says} That is nearly nothing: PostgreSQL stops when the disk is full.", f"df -h {folder.path}")
    if folder.free_bytes < SCARCE_FREE_BYTES:
        return warn(name, f"{says} That is little.", f"df -h {folder.path}")
    return ok(name, says)


def contradictions(settings: Settings) -> list[Check]:
    """Settings that each may be set and together cannot mean what was meant. Pure."""
    found = [warn("settings", says, do) for says, do in _contradictions(settings)]
    return found or [ok("settings", "Nothing contradicts itself.")]


def _contradictions(chosen: Settings) -> Iterator[tuple[str, str]]:
    if chosen.recall_embed_budget_ms > chosen.recall_deadline_ms:
        yield (
            f"Embedding a question may take {chosen.recall_embed_budget_ms} ms and the whole recall"
            f" {chosen.recall_deadline_ms} ms: nothing would be left for looking.",
            "set THOTH_RECALL_EMBED_BUDGET_MS below THOTH_RECALL_DEADLINE_MS",
        )
    if chosen.recall and not chosen.sentinel:
        yield (
            "Recall is on and the Sentinel off: nothing new can be recalled unless another process runs one.",
            "unset THOTH_SUBSTRATE_SENTINEL",
        )
    if chosen.embed_provider not in ("none", "auto") and not chosen.embedder:
        yield (
            f"THOTH_EMBED_PROVIDER is {chosen.embed_provider} and the embedder is off: this process makes no vectors.",
            "unset THOTH_SUBSTRATE_EMBEDDER",
        )
    if chosen.embed_provider == "local" and (chosen.embed_model or chosen.embed_dimensions):
        yield (
            "THOTH_EMBED_MODEL and THOTH_EMBED_DIMENSIONS mean nothing to the bundled model.",
            "unset them, or set THOTH_EMBED_PROVIDER",
        )
    if chosen.flush_batch_rows > chosen.buffer_rows:
        yield (
            "A batch holds more slices than the buffer: batches are never full.",
            "set THOTH_FLUSH_BATCH_ROWS below THOTH_BUFFER_ROWS",
        )
    if chosen.slice_max_bytes > chosen.journal_max_bytes:
        yield "The longest slice is longer than the whole journal: it would always be refused.", "raise THOTH_JOURNAL_MAX_BYTES"
    if chosen.recall_floor == "off" and chosen.recall_floor_shift:
        yield (
            "THOTH_RECALL_FLOOR_SHIFT moves a floor that is switched off.",
            "unset one of THOTH_RECALL_FLOOR, THOTH_RECALL_FLOOR_SHIFT",
        )
    if chosen.recall_budget_tokens < LEAST_BUDGET_TOKENS:
        yield (
            f"A block of {chosen.recall_budget_tokens} tokens has hardly room for its own fences and one line.",
            f"set THOTH_RECALL_BUDGET_TOKENS to {LEAST_BUDGET_TOKENS} or more (1500 by default)",
        )
