"""Every public error is drawn in the tree, raised somewhere and tested somewhere, and its docstring is a sentence."""

from __future__ import annotations

import ast

import pytest

from tests.house.source import modules, modules_of_tests
from tests.house.write_docs import public_errors
from thoth_substrate import errors
from thoth_substrate.errors import ThothError

ERRORS = list(public_errors())
LEAVES = [
    kind
    for kind in ERRORS
    if kind.__subclasses__() == [] or (kind is not ThothError and kind.__name__ not in ("DatabaseError", "AccessError"))
]
RAISED = {
    ast.unparse(node.exc.func)
    for module in modules()
    for node in ast.walk(module.tree)
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
}
TESTED = {
    node.id
    for module in modules_of_tests()
    if "house" not in module.path.parts
    for node in ast.walk(module.tree)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
}


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_speaks_to_the_operator(kind: type[ThothError]) -> None:
    assert f"{kind.__name__} " in f"{errors.__doc__} ".replace("\n", " ")
    assert (kind.__doc__ or "").endswith(".")
    assert kind.exit_code in (1, 2, 3)


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_an_error_is_raised_and_tested(kind: type[ThothError]) -> None:
    assert kind.__name__ in RAISED
    assert kind.__name__ in TESTED
