"""Habits of the house that a machine can see. The reasons stand in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.house.source import ROOT, Module, calls, functions, modules, modules_of_tests, statements

NETS = ("thoth_substrate/substrate.py", "workers/thoth_workers/loop.py")
LONGEST_FUNCTION_LINES = 60
LONGEST_FILE_LINES = 450
SLEEPS = ("time.sleep", "asyncio.sleep", "anyio.sleep", "trio.sleep", "sleep")
CLOCKS = ("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns")
THE_CLOCK = "thoth_substrate/model/clock.py"
ALIKE = ("register", "recognises")  # a command's way into the CLI; whether a file is of a reader's format
SETTINGS = "thoth_substrate/settings.py"
SCRIPT_OF_A_HOST = "thoth_substrate/integrations/claude_code/hooks/session.py"  # runs where Thoth need not be installed


def test_a_file_can_be_held_in_the_head() -> None:
    assert [f"{module.path}" for module in modules() if module.text.count("\n") > LONGEST_FILE_LINES] == []


def test_a_function_can_be_held_in_the_head() -> None:
    assert _where(lambda module: (node for node in functions(module.tree) if _lines(node) > LONGEST_FUNCTION_LINES)) == []


def test_only_the_two_nets_catch_everything() -> None:
    def caught(module: Module) -> Iterator[ast.AST]:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and _catches_all(node) and not _passes_on(node):
                yield node

    assert _where(caught, but=NETS) == []


def test_only_settings_read_the_environment() -> None:
    """A variable read elsewhere would be missing from the pages."""
    doors = ("os.environ", "os.getenv", "os.environb")
    assert (
        _where(lambda module: (n for n in ast.walk(module.tree) if _written(n) in doors), but=[SETTINGS, SCRIPT_OF_A_HOST]) == []
    )


def test_the_time_is_asked_of_the_one_clock() -> None:
    assert _where(lambda module: (call for call, name in calls(module.tree) if name in CLOCKS), but=[THE_CLOCK]) == []


def test_nothing_is_left_unfinished() -> None:
    marks = re.compile(rf"\b({'|'.join(('TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'))})\b")
    assert [str(module.path) for module in modules() if marks.search(module.text)] == []
    raised = "NotImplemented"
    assert (
        _where(lambda module: (n for n in ast.walk(module.tree) if isinstance(n, ast.Raise) and raised in _written(n.exc))) == []
    )


def test_what_is_public_says_what_it_is_for() -> None:
    assert [str(module.path) for module in modules() if not ast.get_docstring(module.tree)] == []
    assert _where(lambda module: (node for node in _public(module.tree) if not ast.get_docstring(node))) == []


def test_a_test_waits_for_what_happens_and_never_for_time() -> None:
    """A turn of the loop (0 s) and a pause between two looks at a condition are no waiting for time."""

    def slept(module: Module) -> Iterator[ast.AST]:
        polls = {call for node in ast.walk(module.tree) if isinstance(node, ast.While) for call, _ in calls(node)}
        for call, name in calls(module.tree):
            if name in SLEEPS and call not in polls and not (isinstance(call.args[0], ast.Constant) and call.args[0].value == 0):
                yield call

    assert [place for module in modules_of_tests() for place in map(module.place, slept(module))] == []


def test_no_file_names_a_machine_or_a_registry() -> None:
    places = re.compile("|".join(("/wor" + "k/", "/far" + "m/", "/roo" + "t/", "pypi.org" + "/simple", "registry" + ".npmjs")))
    named = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in _text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="ignore").split("\n"), 1)
        if places.search(line)
    ]
    assert not named


def _text_files() -> Iterator[pathlib.Path]:
    kept = ("thoth_substrate", "workers", "migrations", "tests", "docs", "bench")
    for folder in kept:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in (".py", ".sql", ".md", ".toml", ".yml", ".yaml", ".txt", ".json", ".jsonl"):
                yield path
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".lock")


def _where(look: Callable[[Module], Iterable[ast.AST]], but: Sequence[str] = ()) -> list[str]:
    """The places in the modules that `look` finds fault with."""
    return [module.place(node) for module in modules() if str(module.path) not in but for node in look(module)]


def _written(node: ast.AST | None) -> str:
    return ast.unparse(node) if isinstance(node, (ast.Attribute, ast.Name, ast.Call)) else ""


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _catches_all(node: ast.ExceptHandler) -> bool:
    return node.type is None or bool(_names(node.type) & {"Exception", "BaseException"})


def _passes_on(node: ast.ExceptHandler) -> bool:
    """Tidies up and raises the same again."""
    last = node.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _names(node: ast.expr) -> set[str]:
    return {ast.unparse(part) for part in (node.elts if isinstance(node, ast.Tuple) else [node])}


def _public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public classes and functions at the top of a module. The row of a statement is explained by the statement; and what is
    called alike in every file of a room, or is one line, speaks by its name.
    """
    unsaid = {query.row.__name__ for query in statements().values() if query.row is not None} | set(ALIKE)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            brief = not isinstance(node, ast.ClassDef) and len(node.body) == 1
            if not (brief or node.name.startswith("_") or node.name in unsaid):
                yield node
