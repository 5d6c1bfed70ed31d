"""A file's life: taken in, changed, moved, deleted. Live is only what is stored, and what is live answers once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.watch.support import Vault
from thoth_substrate.fade.pin import pin
from thoth_substrate.watch.watch import ELSEWHERE, EMPTIED, MISSING, Watch


async def test_a_file_is_taken_in_with_where_it_stands(vault: Vault) -> None:
    vault.write("work/plans/ship.md", "---\ntitle: The ship\ntags: [sea]\n---\n# Hull\nMade of oak. See [[Sails]].\n")
    steps = await vault.settles()
    assert sum(step.taken.live for step in steps) == 1
    assert vault.files() == {"work/plans/ship.md": "live"}
    (metadata,) = vault.rows("select metadata from thoth.substrate_slices")[0]
    assert metadata["folders"] == ["work", "work/plans"]
    assert (metadata["path"], metadata["title"], metadata["kind"]) == ("work/plans/ship.md", "The ship", "markdown")
    assert (metadata["links"], metadata["tags"], metadata["headings"]) == (["Sails"], ["sea"], ["Hull"])
    assert vault.answers("oak") == ["work/plans/ship.md"]
    assert vault.rows("select stream from thoth.substrate_slices join thoth.substrate_streams using (stream_id)") == [
        ("thoth.world.file",)
    ]


async def test_an_unchanged_file_costs_nothing(vault: Vault) -> None:
    vault.write("a.txt", "alpha")
    await vault.settles()
    before = vault.rows("select slice_id from thoth.substrate_slices")
    for full in (False, True):
        (step,) = await vault.settles(full=full)
        assert step.did == 0
    os.utime(vault.root / "a.txt", (1_800_000_000, 1_800_000_000))  # touched, and the same
    (step,) = await vault.settles()
    assert step.did == 0
    assert vault.rows("select slice_id from thoth.substrate_slices") == before


async def test_a_new_version_takes_the_place_of_the_old(vault: Vault) -> None:
    vault.write("port.md", "The port is fivefourthreetwo.")
    await vault.settles()
    (old,) = vault.live("port.md")
    await pin(vault.db, "default", old)
    vault.write("port.md", "The port is fivefourthreethree.")
    steps = await vault.settles()
    assert sum(step.taken.live for step in steps) == 1
    assert vault.answers("fivefourthreetwo") == []
    assert vault.answers("fivefourthreethre") == ["port.md"]  # stemmed
    assert vault.rows("select metadata ->> 'retired' from thoth.substrate_slices where slice_id = %s", old) == [
        ("replaced by a newer version of its file",)
    ]
    assert vault.rows("select version, previous_sha256 is not null from thoth.substrate_files") == [(2, True)]


async def test_what_was_before_may_come_again(vault: Vault) -> None:
    """The same content once more is a version of its own: its first slices were retired."""
    for content in ("alpha", "beta", "alpha"):
        vault.write("a.txt", content)
        await vault.settles()
    assert vault.answers("alpha") == ["a.txt"]
    assert vault.answers("beta") == []


async def test_a_moved_file_keeps_its_slices(vault: Vault) -> None:
    vault.write("a/old.md", "Something about llamas.")
    await vault.settles()
    before = vault.live("a/old.md")
    (vault.root / "b").mkdir()
    (vault.root / "a/old.md").rename(vault.root / "b/new.md")
    steps = await vault.settles()
    assert [step.looks.moved for step in steps if step.looks] == [1]
    assert sum(step.taken.files + step.retired for step in steps) == 0
    assert vault.live("b/new.md") == before
    assert vault.answers("llama") == ["b/new.md"]
    assert vault.rows("select metadata -> 'folders' from thoth.substrate_slices") == [(["b"],)]


async def test_a_file_moved_onto_another_takes_its_place(vault: Vault) -> None:
    vault.write("draft.md", "The final words are zebra.")
    vault.write("paper.md", "The first words are yak.")
    await vault.settles()
    (vault.root / "draft.md").replace(vault.root / "paper.md")
    await vault.settles()
    assert vault.files() == {"paper.md": "live"}
    assert vault.answers("zebra") == ["paper.md"]
    assert vault.answers("yak") == []


async def test_a_deleted_file_is_retired_and_may_come_back(vault: Vault) -> None:
    vault.write("keep.txt", "kept")
    vault.write("gone.txt", "walrus")
    await vault.settles()
    (vault.root / "gone.txt").unlink()
    steps = await vault.settles()
    assert sum(step.retired for step in steps) == 1
    assert vault.files() == {"keep.txt": "live"}
    assert vault.answers("walrus") == []
    vault.write("gone.txt", "walrus")
    await vault.settles()
    assert vault.answers("walrus") == ["gone.txt"]


async def test_files_of_one_content_are_both_live(vault: Vault) -> None:
    for path in ("one.txt", "two.txt"):
        vault.write(path, "the same narwhal")
    await vault.settles()
    assert vault.answers("narwhal") == ["one.txt", "two.txt"]
    (vault.root / "one.txt").unlink()
    await vault.settles()
    assert vault.answers("narwhal") == ["two.txt"]


async def test_a_folder_that_is_gone_or_empty_keeps_what_was_taken_in(vault: Vault, tmp_path: Path) -> None:
    """faults: a disk that is not mounted shows an empty folder, or none."""
    vault.write("a.txt", "okapi")
    await vault.settles()
    away = tmp_path / "elsewhere"
    vault.root.rename(away)
    (step,) = await vault.settles()
    assert step.looks is not None
    assert step.looks.warnings == {str(vault.root): MISSING}
    vault.root.mkdir()
    (step,) = await vault.settles(full=True)
    assert step.looks is not None
    assert step.looks.warnings == {str(vault.root): EMPTIED}
    assert vault.answers("okapi") == ["a.txt"]
    assert vault.rows("select warning from thoth.substrate_roots") == [(EMPTIED,)]
    vault.root.rmdir()
    away.rename(vault.root)
    (step,) = await vault.settles()
    assert (step.did, vault.files()) == (0, {"a.txt": "live"})
    assert vault.rows("select warning from thoth.substrate_roots") == [("",)]


async def test_a_folder_is_dropped_when_one_says_so(vault: Vault) -> None:
    vault.write("a.txt", "okapi")
    await vault.settles()
    assert await vault.watch.drop(vault.root) == 1
    assert vault.answers("okapi") == []
    assert vault.rows("select count(*) from thoth.substrate_roots") == [(0,)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list every folder")
async def test_what_cannot_be_listed_is_kept(vault: Vault) -> None:
    vault.write("open/a.txt", "okapi")
    vault.write("shut/b.txt", "tapir")
    await vault.settles()
    shut = vault.root / "shut"
    shut.chmod(0)
    try:
        (step,) = await vault.settles()
        assert step.retired == 0
    finally:
        shut.chmod(0o700)
    assert vault.answers("tapir") == ["shut/b.txt"]


async def test_one_process_watches_a_folder_at_a_time(vault: Vault) -> None:
    vault.write("a.txt", "okapi")
    await vault.settles()
    second = Watch(vault.db, vault.home, "default", [vault.root], vault.ports)
    step = await second.step()
    assert step.looks is not None
    assert step.looks.warnings == {str(vault.root): ELSEWHERE}
    assert await second.drop(vault.root) == -1
    vault.watch.close()
    step = await second.step(full=True)
    assert step.looks is not None
    assert step.looks.files == 1
    second.close()


async def test_another_installation_has_files_of_its_own(vault: Vault, tmp_path: Path) -> None:
    """Two machines with a folder of one name: what the other has is not gone from here."""
    vault.write("a.txt", "okapi")
    await vault.settles()
    (vault.root / "a.txt").rename(vault.root / "b.txt")
    other = Watch(vault.db, tmp_path / "other home", "default", [vault.root], vault.ports)
    await other.step()
    await other.step()
    other.close()
    await vault.searchable()
    assert vault.answers("okapi") == ["a.txt", "b.txt"]
