"""Under which run-time role each query runs, read from the code: `async with db.tenant(…) as tx` and where that tx goes.

A transaction may be handed on (`unindex(tx, …)`) and so may a query (`_fetch(tenant, _FLUSH)`): both are followed from
function to function until nothing new is learnt. An agent's `apply` is given its tenant's transaction by the frame.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.house.source import Module, functions, modules

ROLES = {"tenant": "thoth_app", "worker": "thoth_worker", "owner": "none"}
RUNS = ("fetch", "fetch_one", "execute")
CREW = "thoth_workers.crew."
# A recall's steps may share their tenant's transaction, so that it is not begun in the block that hands it out.
SHARED = {"tx": "tenant"}
# Handed to the watcher as a port, and called in its tenant's transaction.
PORTS = {("thoth_substrate.fade.retire", "relabel")}

Key = tuple[str, str]  # of a query: package and name. Of a function: module and name
Value = tuple[str, Key | str]  # ("query", …) or ("role", …)


@dataclass(slots=True)
class _Function:
    """What one function does with transactions and queries, by the names it has for them."""

    parameters: list[str]
    named: dict[str, set[Value]] = field(default_factory=lambda: defaultdict(set))
    runs: list[tuple[str, str]] = field(default_factory=list)
    hands_on: list[tuple[Key, int | str, str]] = field(default_factory=list)


def roles() -> dict[Key, set[str]]:
    """The roles each query is seen to run under; a query that no transaction runs is absent."""
    known = _functions()
    changed = True
    while changed:
        changed = False
        for function in known.values():
            for callee, slot, name in function.hands_on:
                if callee in known and (parameter := _parameter(known[callee], slot)):
                    before = len(known[callee].named[parameter])
                    known[callee].named[parameter] |= function.named[name]
                    changed |= len(known[callee].named[parameter]) > before
    found: dict[Key, set[str]] = defaultdict(set)
    for function in known.values():
        for transaction, query in function.runs:
            for kind, what in function.named[query]:
                if kind == "query" and not isinstance(what, str):
                    found[what] |= {str(role) for of, role in function.named[transaction] if of == "role"}
    return {key: seen for key, seen in found.items() if seen}


def constants() -> Iterator[tuple[Key, str]]:
    """Every query with the name that its module gives it."""
    for module in modules():
        yield from ((key, name) for name, key in _constants(module))


def _functions() -> dict[Key, _Function]:
    named = {module.name: dict(_constants(module)) for module in modules()}
    contexts = {name: role for module in modules() for name, role in _contexts(module)}
    contexts |= {name: ROLES[opened] for name, opened in SHARED.items()}
    return {
        (module.name, node.name): _look(module, node, named, contexts) for module in modules() for node in functions(module.tree)
    }


def _look(
    module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef, constants: dict[str, dict[str, Key]], contexts: dict[str, str]
) -> _Function:
    arguments = node.args
    seen = _Function([argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)])
    imported = _imports(module)
    for name, key in constants[module.name].items():
        seen.named[name].add(("query", key))
    if (module.name.startswith(CREW) and node.name == "apply") or (module.name, node.name) in PORTS:
        seen.named["tx"].add(("role", ROLES["tenant"]))
    for name, (home, original) in imported.items():
        if original in constants.get(home, {}):
            seen.named[name].add(("query", constants[home][original]))
    _walk(node, seen, {}, (module, imported, contexts))
    return seen


def _walk(node: ast.AST, seen: _Function, scope: dict[str, str], known: tuple[Module, dict[str, Key], dict[str, str]]) -> None:
    """Note what is run and handed on below `node`. Two blocks of one function may call their transactions alike."""
    module, imported, contexts = known
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, (ast.AsyncWith, ast.With)):
            opened = {name: f"{name}@{child.lineno}" for name, _ in _opened(child, contexts)}
            for name, role in _opened(child, contexts):
                seen.named[opened[name]].add(("role", role))
            inner = scope | opened
        if isinstance(child, ast.Call):
            _note(child, seen, inner, module, imported)
        _walk(child, seen, inner, known)


def _note(call: ast.Call, seen: _Function, scope: dict[str, str], module: Module, imported: dict[str, Key]) -> None:
    called = ast.unparse(call.func)
    before, _, last = called.rpartition(".")
    if last in RUNS and call.args:
        seen.runs.append((scope.get(before, before), ast.unparse(call.args[0])))
    callee = imported.get(called, (module.name, last) if before in ("", "self", "cls") else ("", ""))
    slots: list[tuple[int | str, ast.expr]] = [*enumerate(call.args)]
    slots += [(str(one.arg), one.value) for one in call.keywords]
    for slot, value in slots:
        written = ast.unparse(value)
        seen.hands_on.append((callee, slot, scope.get(written, written)))


def _parameter(function: _Function, slot: int | str) -> str | None:
    if isinstance(slot, str):
        return slot if slot in function.parameters else None
    positional = [name for name in function.parameters if name not in ("self", "cls")]
    return positional[slot] if slot < len(positional) else None


def _opened(node: ast.AST, contexts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Names that one `async with` binds to a transaction, and the role it has."""
    for item in node.items if isinstance(node, (ast.AsyncWith, ast.With)) else ():
        if isinstance(item.context_expr, ast.Call) and item.optional_vars is not None:
            called = ast.unparse(item.context_expr.func).rpartition(".")[2]
            if role := ROLES.get(called) or contexts.get(called):
                yield ast.unparse(item.optional_vars), role


def _contexts(module: Module) -> Iterator[tuple[str, str]]:
    """Context managers that hand out a transaction of their own, by name."""
    if module.name == "thoth_substrate.db.pool":
        return
    for node in functions(module.tree):
        if any("contextmanager" in ast.unparse(decorator) for decorator in node.decorator_list):
            opened = dict(pair for inner in ast.walk(node) for pair in _opened(inner, {}))
            for inner in ast.walk(node):
                if isinstance(inner, ast.Yield) and inner.value is not None and (role := opened.get(ast.unparse(inner.value))):
                    yield node.name, role


def _constants(module: Module) -> Iterator[tuple[str, Key]]:
    """`_NAME = query(__package__, "name", …)` at the top of a module."""
    for node in module.tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if target is not None and isinstance(value, ast.Call) and ast.unparse(value.func) == "query":
            yield ast.unparse(target), (module.package, ast.literal_eval(value.args[1]))


def _imports(module: Module) -> dict[str, Key]:
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
