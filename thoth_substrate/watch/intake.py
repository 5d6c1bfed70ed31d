"""Taking files in: claim, read, perceive, wait until it is stored, and only then call it live and retire what was before.

The last step is one transaction that finds every section of the new version in the database, or changes nothing. So a file
is never called live of which something is missing, and the old version never goes before the new one is in.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from uuid import UUID, uuid4

import anyio
import anyio.to_thread

from thoth_substrate.db.again import again
from thoth_substrate.db.pool import Database
from thoth_substrate.db.queries import Query, query
from thoth_substrate.errors import BadInput, JournalFull
from thoth_substrate.model.documents import Document, Origin, events
from thoth_substrate.model.slice import Event
from thoth_substrate.watch.files import LiveSlices
from thoth_substrate.watch.ports import Ports

BATCH_FILES = 32
BATCH_BYTES = 32 << 20
DURABLE_TIMEOUT_S = 60.0
READ_LIMIT_S = 120.0  # what takes longer to be understood is given up, its thread left behind
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(hours=1)
NO_MODEL_WAIT = timedelta(minutes=10)
REASON_CHARS = 500
REPLACED = "replaced by a newer version of its file"
NOTHING_LEFT = "its file holds nothing any more"
NO_VISION = "a picture: it waits for a model that sees (THOTH_AUX_MODEL_WATCHER)"
SLOW = "it takes too long to read"
NOT_STORED = "PostgreSQL took nothing in time; what was read is kept and tried again"
UNREAD = "it could not be read"
INCOMPLETE = "not all of it was stored"
HARMLESS = frozenset(("own context", "empty"))  # why nothing of a section is kept although nothing is wrong


@dataclass(frozen=True, slots=True)
class Due:
    file_id: UUID
    attempts: int
    size: int


@dataclass(frozen=True, slots=True)
class Claimed:
    file_id: UUID
    root: str
    path: str
    version: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Stored:
    external_id: str
    slice_id: UUID


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What a batch did, as counts. `files` were claimed; `overtaken` changed while they were read, and wait again."""

    files: int = 0
    live: int = 0
    slices: int = 0
    skipped: int = 0
    failed: int = 0
    waiting: int = 0
    overtaken: int = 0
    bytes: int = 0

    def __add__(self, other: TakenIn) -> TakenIn:
        return TakenIn(*(getattr(self, name) + getattr(other, name) for name in TakenIn.__dataclass_fields__))


@dataclass(slots=True)
class _Attempt:
    """A file on its way: what was read of it, and what is to be found in the database before it is live."""

    row: Claimed
    digest: bytes = b""
    size: int = 0
    document: Document | None = None
    events: list[Event] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    error: str = ""
    waits: str = ""  # for something that is not the file's fault

    @property
    def source(self) -> str:
        return f"file:{self.row.file_id}"


_DUE = query(__package__, "due", Due)
_CLAIMED = query(__package__, "claimed", Claimed)
_HELD = query(__package__, "held", LiveSlices)
_STORED = query(__package__, "stored", Stored)
_LIVE: Query[None] = query(__package__, "live")
_SKIPPED: Query[None] = query(__package__, "skipped")
_PUT_OFF: Query[None] = query(__package__, "put_off")


class Intake:
    """Takes in what waits in the folders of one tenant on one installation."""

    def __init__(self, db: Database, tenant_id: str, host: str, ports: Ports, most_bytes: int) -> None:
        self._db, self._tenant_id, self._host, self._ports, self._most_bytes = db, tenant_id, host, ports, most_bytes

    async def run(self, roots: Iterable[str]) -> TakenIn:
        """One batch. Raises DatabaseError; what was claimed by then is freed by who holds the folder next."""
        claim = uuid4()
        attempts = [_Attempt(row) for row in await self._claim(list(roots), claim)]
        if not attempts:
            return TakenIn()
        for one in attempts:
            await self._read(one)
            self._perceive(one)
        if any(one.expected for one in attempts) and not await self._ports.durable(DURABLE_TIMEOUT_S):
            for one in attempts:
                one.waits = one.waits or NOT_STORED
        done = TakenIn(files=len(attempts), bytes=sum(one.size for one in attempts))
        for one in attempts:
            done += await self._settle(one, claim)
        return done

    async def _claim(self, roots: list[str], claim: UUID) -> list[Claimed]:
        """Some files together, but each alone that was tried before: it may be what broke the others' attempt as well."""
        async with self._db.tenant(self._tenant_id) as tx:
            due = await tx.fetch(_DUE, self._tenant_id, self._host, roots, BATCH_FILES)
            wanted = within([row for row in due if row.attempts < 2]) or [row.file_id for row in due[:1]]
            return await tx.fetch(_CLAIMED, self._tenant_id, wanted, claim) if wanted else []

    async def _read(self, one: _Attempt) -> None:
        path = Path(one.row.root, one.row.path)
        try:
            content, size, at = await anyio.to_thread.run_sync(_content, path, self._most_bytes)
        except OSError as error:
            one.error = f"it cannot be read ({error.strerror or error})"
            return
        one.size = len(content)
        if len(content) > self._most_bytes:
            one.digest = too_large(size)
            one.document = Document("", nothing=f"larger than {self._most_bytes:,} bytes (THOTH_WATCH_FILE_MAX_BYTES)")
            return
        one.digest = hashlib.sha256(content).digest()
        try:
            with anyio.fail_after(READ_LIMIT_S):
                document = await anyio.to_thread.run_sync(self._ports.read, one.row.path, content, abandon_on_cancel=True)
        except TimeoutError:
            one.error = SLOW
            return
        if document.kind == "image":
            await self._see(one, content)
            document = one.document or document
        one.document = document
        if document.sections:
            version = f"{one.row.version}.{one.digest.hex()[:16]}"
            one.events = events(document, Origin(one.row.path, one.source, version, at, {"root": one.row.root}))

    async def _see(self, one: _Attempt, content: bytes) -> None:
        if self._ports.describe is None:
            one.waits = NO_VISION
            return
        seen = await self._ports.describe(one.row.path, content)
        if seen.text:
            one.document = self._ports.described(one.row.path, seen.text)
        elif seen.never:
            one.document = Document("image", nothing=seen.why)
        elif seen.blame:
            one.error = seen.why
        else:
            one.waits = seen.why

    def _perceive(self, one: _Attempt) -> None:
        for event in one.events if not (one.error or one.waits) else ():
            try:
                ack = self._ports.perceive(event)
            except JournalFull as full:
                one.waits = str(full)
                return
            except BadInput as error:
                one.error = str(error)
                return
            if ack.dropped is None:
                one.expected.append(str(event.external_id))
            elif ack.dropped not in HARMLESS:
                one.error = ack.dropped
                return

    async def _settle(self, one: _Attempt, claim: UUID) -> TakenIn:
        if one.waits:
            return await self._put_off(
                one, claim, "queued", one.waits, 0, NO_MODEL_WAIT if one.waits == NO_VISION else FIRST_WAIT
            )
        if one.error or one.document is None:
            return await self._failed(one, claim, one.error or UNREAD)
        document, tenant = one.document, self._tenant_id

        async def once() -> TakenIn | None:
            async with self._db.tenant(tenant) as tx:
                held = await tx.fetch_one(_HELD, tenant, one.row.file_id, claim)
                if held is None:
                    return TakenIn(overtaken=1)
                if not one.expected:
                    why = document.nothing or "nothing in it but what was taken from here"
                    await tx.execute(_SKIPPED, tenant, one.row.file_id, one.digest, document.kind, why)
                    await self._ports.retire(tx, tenant, held.slice_ids, NOTHING_LEFT)
                    return TakenIn(skipped=1)
                stored = {row.external_id: row.slice_id for row in await tx.fetch(_STORED, tenant, one.source, one.expected)}
                if len(stored) < len(one.expected):
                    return None
                slice_ids = [stored[external_id] for external_id in one.expected]
                await tx.execute(_LIVE, tenant, one.row.file_id, one.digest, document.kind, slice_ids)
                await self._ports.retire(tx, tenant, sorted(set(held.slice_ids) - set(slice_ids)), REPLACED)
                return TakenIn(live=1, slices=len(slice_ids))

        return await again(self._db, once) or await self._failed(one, claim, INCOMPLETE)

    async def _failed(self, one: _Attempt, claim: UUID, error: str) -> TakenIn:
        wait = min(FIRST_WAIT * 2 ** min(one.row.attempts - 1, 12), LONGEST_WAIT)
        return await self._put_off(one, claim, "failed", error, one.row.attempts, wait)

    async def _put_off(
        self, one: _Attempt, claim: UUID, state: str, error: str, attempts: int, wait: timedelta
    ) -> TakenIn:  # fmt: skip
        said = error.replace("\x00", "").encode("utf-8", "replace").decode()[:REASON_CHARS]
        async with self._db.tenant(self._tenant_id) as tx:
            moved = await tx.execute(_PUT_OFF, self._tenant_id, one.row.file_id, claim, state, said, attempts, wait)
        if not moved:
            return TakenIn(overtaken=1)
        return TakenIn(failed=1) if state == "failed" else TakenIn(waiting=1)


def within(due: Sequence[Due]) -> list[UUID]:
    """The first files whose sizes together stay within BATCH_BYTES, one at least: they are held in memory together."""
    sizes = accumulate(row.size for row in due)
    return [row.file_id for row, size in zip(due, sizes, strict=True) if size <= BATCH_BYTES] or [row.file_id for row in due[:1]]


def too_large(size: int) -> bytes:
    """What stands for the hash of a file that is too large to be read."""
    return hashlib.sha256(f"too large: {size}".encode()).digest()


def _content(path: Path, most_bytes: int) -> tuple[bytes, int, datetime]:
    """The file's bytes, at most one more than may be, its size, and when it was last changed."""
    with path.open("rb") as file:
        content, about = file.read(most_bytes + 1), os.fstat(file.fileno())
        return content, max(about.st_size, len(content)), datetime.fromtimestamp(about.st_mtime, UTC)
