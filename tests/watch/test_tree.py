"""Which files are looked at, and what became of them: the rules of a folder, and the comparison with what is known."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID

import pytest

from thoth_substrate.watch.compare import Row, compare, to_read
from thoth_substrate.watch.place import RootLock, installation
from thoth_substrate.watch.tree import Looked, Rules, Tree, lies_in


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def seen(root: Path, *exclude: str) -> set[str]:
    return set(Rules(exclude).walk(root).files)


def test_hidden_and_unfinished_things_are_passed_over(tmp_path: Path) -> None:
    put(
        tmp_path,
        "a.md",
        "b/c.txt",
        ".git/config",
        ".hidden.md",
        "node_modules/x/readme.md",
        "a.md~",
        "big.iso.part",
        "~$doc.docx",
    )
    assert seen(tmp_path) == {"a.md", "b/c.txt"}
    assert seen(tmp_path, "*.txt") == {"a.md"}
    assert ".hidden.md" in seen(tmp_path, "!.hidden.md")


def test_gitignore_holds_below_its_folder_and_the_inner_one_wins(tmp_path: Path) -> None:
    put(tmp_path, "a.log", "keep.log", "sub/a.log", "sub/b.md", "build/out.md", "other/build/out.md")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/build/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!a.log\nb.md\n")
    assert seen(tmp_path) == {"keep.log", "sub/a.log", "other/build/out.md"}


def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(root, "in.md", "dir/a.md")
    put(outside, "secret.md", "more/b.md")
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "outdir").symlink_to(outside, target_is_directory=True)
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "dangling.md").symlink_to(root / "nothing")
    (root / "alias.md").symlink_to(root / "dir" / "a.md")
    assert seen(root) == {"in.md", "dir/a.md", "alias.md"}


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe")
    assert seen(tmp_path) == {"a.md"}


def test_names_that_are_no_text_are_counted(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_text("x")
    except OSError:
        pytest.skip("this file system takes no such names")
    tree = Rules().walk(tmp_path)
    assert (set(tree.files), tree.odd) == ({"a.md"}, 1)


def test_a_folder_in_another_is_watched_once(tmp_path: Path) -> None:
    assert list(lies_in([tmp_path / "a", tmp_path, tmp_path / "b", tmp_path])) == [tmp_path]


def row(number: int, path: str, content: bytes, state: str = "live") -> Row:
    return Row(UUID(int=number), path, state, 1, 1, content, content if state == "live" else None)


def tree(**files: int) -> Tree:
    return Tree({path: Looked(1, mtime) for path, mtime in files.items()})


def test_only_what_may_have_changed_is_read() -> None:
    rows = [row(1, "same", b"s"), row(2, "later", b"l")]
    assert to_read(rows, tree(same=1, later=2, new=1), full=False) == ["later", "new"]
    assert to_read(rows, tree(same=1, later=2, new=1), full=True) == ["same", "later", "new"]


def test_what_became_of_each_file() -> None:
    rows = [row(n, path, path.encode()) for n, path in enumerate(("same", "touched", "changed", "moved", "gone"), 1)]
    plan = compare(
        rows, tree(same=1, touched=2, changed=2, target=1, new=1),
        {"touched": b"touched", "changed": b"other", "target": b"moved", "new": b"new"},
    )  # fmt: skip
    assert [one.file_id.int for one in plan.touched] == [2]
    assert [(one.file_id.int, one.sha256) for one in plan.changed] == [(3, b"other")]
    assert [(one.file_id.int, one.path) for one in plan.moved] == [(4, "target")]
    assert [one.path for one in plan.added] == ["new"]
    assert ([one.int for one in plan.gone], plan.unchanged) == ([5], 1)


def test_of_two_copies_that_moved_each_is_moved_once_and_a_third_is_new() -> None:
    rows = [row(1, "a", b"same"), row(2, "b", b"same")]
    plan = compare(rows, tree(c=1, d=1, e=1), dict.fromkeys("cde", b"same"))
    assert sorted(one.file_id.int for one in plan.moved) == [1, 2]
    assert len(plan.added) == 1
    assert plan.gone == []


def test_a_file_that_was_never_live_is_not_moved() -> None:
    plan = compare([row(1, "a", b"x", "failed")], tree(b=1), {"b": b"x"})
    assert ([one.path for one in plan.added], [one.int for one in plan.gone]) == (["b"], [1])


def test_what_cannot_be_looked_into_is_not_gone() -> None:
    unreadable = Tree({"a": Looked(1, 1)}, unreadable=["shut"])
    assert compare([row(1, "a", b"a"), row(2, "shut/b", b"b"), row(3, "shutter", b"c")], unreadable, {}).gone == [UUID(int=3)]
    assert compare([row(1, "x", b"a")], Tree(unreadable=[""]), {}).gone == []


def test_an_installation_keeps_its_name_and_a_folder_its_one_watcher(tmp_path: Path) -> None:
    assert installation(tmp_path) == installation(tmp_path) != installation(tmp_path / "other")
    one, two = (RootLock(tmp_path, "t", tmp_path / "root") for _ in range(2))
    assert one.take()
    assert one.take()
    assert not two.take()
    assert RootLock(tmp_path, "another tenant", tmp_path / "root").take()
    one.leave()
    assert two.take()
    two.leave()
