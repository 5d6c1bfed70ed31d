"""The two losses that such watchers are known for cannot happen: a file marked as taken in although it was not, and an old
version gone before the new one was in. A failure is let in at every step; then the folder is watched again, and all is well.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.support import index_agrees
from tests.watch.support import Vault
from thoth_substrate.db.pool import Tx
from thoth_substrate.errors import DatabaseUnavailable, JournalFull
from thoth_substrate.imports.documents import read_document
from thoth_substrate.model.clock import PinnedClock
from thoth_substrate.model.documents import Document
from thoth_substrate.model.slice import Ack, Event
from thoth_substrate.perceive.record import EMPTY, OWN_CONTEXT
from thoth_substrate.watch import intake
from thoth_substrate.watch.intake import BATCH_BYTES, HARMLESS, INCOMPLETE, NOT_STORED, SLOW, Due, within

ROOMS = ("thoth_substrate.watch", "thoth_substrate.fade")


class Killed(Exception):
    """The process ends here."""


@contextmanager
def killed_at(statement: int) -> Iterator[list[str]]:
    """Let the watcher die at so many of its statements; the flusher beside it goes on. Answers the statements run by then."""
    run: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("fetch", "execute"):
            patch.setattr(Tx, name, _deadly(getattr(Tx, name), statement, run))
        yield run


def _deadly(method: Any, statement: int, run: list[str]) -> Any:
    async def call(self: Tx, query: Any, *arguments: Any) -> Any:
        if query.package in ROOMS:
            if len(run) >= statement:
                raise Killed(query.name)
            run.append(query.name)
        return await method(self, query, *arguments)

    return call


def is_whole(vault: Vault) -> None:
    """Whatever is called live is stored, all of it, and findable; nothing is live twice."""
    wrong = vault.rows(
        """
        select f.path, f.state from thoth.substrate_files f
        where f.state = 'live' and (
            f.sha256 <> f.seen_sha256 or exists (
                select from unnest(f.slice_ids) u(slice_id)
                left join thoth.substrate_slices s using (slice_id)
                where s.slice_id is null or s.forgotten or s.text = ''
            )
        )
        """
    )
    assert wrong == []


async def test_a_change_is_taken_in_or_not_wherever_it_is_killed(vault: Vault, clock: PinnedClock) -> None:
    """The old version answers until the new one does; and a new start brings the new one, once."""
    done = False
    for statement in itertools.count():
        old, new = f"oldword{statement}x", f"newword{statement}x"
        vault.write("note.md", f"# Note\n{old}")
        await vault.settles()
        assert vault.answers(old) == ["note.md"]
        vault.write("note.md", f"# Note\n{new}\n\n# More\n" + "and more " * 400)
        vault.watch.alarm()
        with killed_at(statement) as run:
            try:
                while (await vault.watch.step()).more:
                    pass
                done = True
            except Killed:
                pass
        await vault.searchable()
        is_whole(vault)
        live = vault.files().get("note.md") == "live" and vault.rows("select version from thoth.substrate_files")
        answering = [word for word in (old, new) if vault.answers(word)]
        assert answering, (statement, run)  # never neither
        if live and "live" not in run:
            assert vault.answers(old) == ["note.md"]
        vault.again()
        await vault.settles()
        is_whole(vault)
        assert vault.files() == {"note.md": "live"}
        assert (vault.answers(old), vault.answers(new)) == ([], ["note.md"]), (statement, run)
        if done:
            break
    assert statement > 15, "it was killed at every statement of the way"
    index_agrees(vault.sql)


async def test_a_deletion_is_whole_wherever_it_is_killed(vault: Vault) -> None:
    for statement in range(14):
        vault.write("stay.md", "stayword")
        vault.write("note.md", f"goneword{statement}x")
        await vault.settles()
        (vault.root / "note.md").unlink()
        vault.watch.alarm()
        with killed_at(statement) as run, pytest.MonkeyPatch.context():
            try:
                while (await vault.watch.step()).more:
                    pass
            except Killed:
                assert len(run) == statement
        is_whole(vault)
        vault.again()
        await vault.settles()
        assert vault.files() == {"stay.md": "live"}
        assert vault.answers(f"goneword{statement}x") == []


async def test_what_is_not_stored_in_time_is_not_called_live(vault: Vault, clock: PinnedClock) -> None:
    async def never(_timeout_s: float) -> bool:
        return False

    vault.write("a.txt", "walrus")
    await vault.settles()
    good = vault.ports
    vault.again(replace(good, durable=never))
    vault.write("a.txt", "ostrich")
    (step, *_) = await vault.settles()
    assert (step.taken.live, step.taken.waiting) == (0, 1)
    assert vault.files() == {"a.txt": "queued"}
    assert vault.error("a.txt") == NOT_STORED
    assert vault.answers("walrus") == ["a.txt"]
    clock.advance(timedelta(minutes=2))
    vault.again(good)
    await vault.settles()
    assert (vault.answers("walrus"), vault.answers("ostrich")) == ([], ["a.txt"])


async def test_what_is_acknowledged_and_never_stored_is_not_called_live(vault: Vault, clock: PinnedClock) -> None:
    """The acknowledgement is not believed: the database is asked."""
    good = vault.ports
    lost: list[Event] = []

    def forgetful(event: Event) -> Ack:
        if str(event.external_id).endswith("/2"):
            lost.append(event)
            return Ack(vault.perceiver._ids.next(clock.now()))
        return good.perceive(event)

    vault.again(replace(good, perceive=forgetful))
    vault.write("a.md", "# One\n" + "first " * 200 + "\n# Two\n" + "second " * 200)
    (step, *_) = await vault.settles()
    assert (step.taken.live, step.taken.failed, len(lost)) == (0, 1, 1)
    assert (vault.files(), vault.error("a.md")) == ({"a.md": "failed"}, INCOMPLETE)
    await vault.settles()
    assert vault.files() == {"a.md": "failed"}  # it waits for its time
    clock.advance(timedelta(minutes=1))
    vault.again(good)
    await vault.settles()
    assert vault.files() == {"a.md": "live"}
    assert len(vault.live("a.md")) == 2
    assert vault.answers("second") == ["a.md", "a.md"] or vault.answers("second") == ["a.md"]


async def test_a_full_journal_is_nobodys_failure(vault: Vault, clock: PinnedClock) -> None:
    def full(_event: Event) -> Ack:
        raise JournalFull("no room")

    good = vault.ports
    vault.again(replace(good, perceive=full))
    vault.write("a.txt", "alpha")
    await vault.settles()
    assert (vault.files(), vault.error("a.txt")) == ({"a.txt": "queued"}, "no room")
    assert vault.rows("select attempts from thoth.substrate_files") == [(0,)]
    clock.advance(timedelta(minutes=1))
    vault.again(good)
    await vault.settles()
    assert vault.answers("alpha") == ["a.txt"]


async def test_a_file_that_kills_its_reader_does_not_keep_the_others_out(vault: Vault, clock: PinnedClock) -> None:
    """faults: one poisoned item that fails identically forever."""

    def poisoned(name: str, content: bytes) -> Document:
        if b"poison" in content:
            raise Killed(name)
        return read_document(name, content)

    vault.again(replace(vault.ports, read=poisoned))
    vault.write("0.txt", "poison")
    for number in range(1, 6):
        vault.write(f"{number}.txt", f"good{number}")
    vault.watch.alarm()
    for _ in range(12):
        try:
            step = await vault.watch.step()
        except Killed:
            continue
        if not step.more:
            clock.advance(timedelta(minutes=5))
    assert {path for path, state in vault.files().items() if state == "live"} == {f"{n}.txt" for n in range(1, 6)}
    assert vault.files()["0.txt"] in ("queued", "ingesting")


async def test_a_late_journal_of_an_attempt_that_was_overtaken_leaves_nothing(vault: Vault) -> None:
    """Killed after perceiving, changed meanwhile, and only then replayed: what came late belongs to no version."""
    held: list[Event] = []
    good = vault.ports

    def keeping(event: Event) -> Ack:
        held.append(event)
        raise JournalFull("killed here")

    vault.write("a.txt", "overtaken words")
    vault.again(replace(good, perceive=keeping))
    await vault.settles()
    vault.write("a.txt", "newest words")
    vault.again(good)
    await vault.settles()
    for event in held:
        good.perceive(event)
    assert await good.durable(20)
    await vault.searchable()
    assert vault.answers("overtaken") == ["a.txt"]
    steps = await vault.settles()
    assert sum(step.strays for step in steps) == 1
    assert (vault.answers("overtaken"), vault.answers("newest")) == ([], ["a.txt"])


async def test_a_file_that_changes_while_it_is_read_is_taken_in_as_it_is_then(vault: Vault) -> None:
    good = vault.ports
    changed: list[Path] = []

    def slow(name: str, content: bytes) -> Document:
        if not changed:
            changed.append(vault.write("a.txt", "second words"))
        return read_document(name, content)

    vault.again(replace(good, read=slow))
    vault.write("a.txt", "first words")
    await vault.settles()
    await vault.settles()
    assert (vault.answers("first"), vault.answers("second")) == ([], ["a.txt"])
    assert vault.files() == {"a.txt": "live"}


async def test_an_attempt_that_was_overtaken_changes_nothing(vault: Vault) -> None:
    """While one version is being stored, the next look finds another: the first is no longer anybody's."""
    good = vault.ports
    looked: list[bool] = []

    async def looking(timeout_s: float) -> bool:
        if not looked:
            looked.append(True)
            vault.write("a.txt", "second words")
            await vault.watch.look()
        return await good.durable(timeout_s)

    vault.again(replace(good, durable=looking))
    vault.write("a.txt", "first words")
    steps = await vault.settles()
    assert sum(step.taken.overtaken for step in steps) == 1
    assert (vault.answers("first"), vault.answers("second")) == ([], ["a.txt"])


async def test_a_database_that_goes_away_in_the_middle_is_waited_for(vault: Vault) -> None:
    good = vault.ports

    async def away(_tx: Tx, *_: Any) -> object:
        raise DatabaseUnavailable("gone")

    vault.write("a.txt", "alpha")
    await vault.settles()
    vault.again(replace(good, retire=away))
    vault.write("a.txt", "beta")
    vault.watch.alarm()
    with pytest.raises(DatabaseUnavailable):
        await vault.watch.step()
    await vault.searchable()
    assert vault.answers("alpha") == ["a.txt"]
    assert vault.files() == {"a.txt": "ingesting"}
    vault.again(good)
    await vault.settles()
    assert (vault.answers("alpha"), vault.answers("beta")) == ([], ["a.txt"])


def test_what_is_harmless_to_leave_out_is_what_perceiving_says() -> None:
    assert {EMPTY.reason, OWN_CONTEXT.reason} == HARMLESS


async def test_a_file_that_is_never_done_is_given_up_and_the_others_go_on(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "READ_LIMIT_S", 0.2)
    done = threading.Event()

    def endless(name: str, content: bytes) -> Document:
        if b"endless" in content:
            done.wait(30)
        return read_document(name, content)

    vault.again(replace(vault.ports, read=endless))
    vault.write("a.txt", "endless")
    vault.write("b.txt", "quagga")
    await vault.settles()
    done.set()
    assert vault.files() == {"a.txt": "failed", "b.txt": "live"}
    assert vault.error("a.txt") == SLOW


def test_files_that_are_held_in_memory_together_are_bounded() -> None:
    due = [Due(UUID(int=n), 0, BATCH_BYTES // 2) for n in range(4)]
    assert within(due) == [UUID(int=0), UUID(int=1)]
    assert within([Due(UUID(int=9), 0, BATCH_BYTES * 2)]) == [UUID(int=9)]
    assert within([]) == []
