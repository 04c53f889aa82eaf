"""The part of a module that one of its functions needs, run without the rest.

A plan asks a problems.py for its grid alone. That needs no NumPy, which Snakemake does not bring: `cells` and the
definitions behind it are taken from the source, in other modules of this package too. A package that is not installed
is missed by what uses it, not by what names it. Line numbers in an error are those of the file.
"""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from attnsvm.pipeline.hashes.dependencies import file_of, path_of

PACKAGE = "attnsvm"


class Missing:
    """What stands for a package that is not installed, until something of it is used."""

    def __init__(self, error: ModuleNotFoundError):
        self._error = error

    def __getattr__(self, name: str):
        raise self._error

    def __call__(self, *given, **named):
        raise self._error


class Bare(ast.NodeTransformer):
    """Functions without annotations: one such as np.ndarray needs NumPy when it is defined."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


def function(module: str, name: str) -> Callable:
    """A function of a module of this package; of one that is imported already, its own.

    Raises:
        AttributeError: the module has no such name.
        Exception: whatever the statements behind it raise; ModuleNotFoundError for a package that they use.
    """
    return getattr(sys.modules[module], name) if module in sys.modules else _taken(module, name)


@cache
def _taken(module: str, name: str) -> Any:
    """What a name of a module is bound to, see `function`."""
    path = path_of(file_of(module))
    tree = ast.parse(path.read_text("utf-8"), str(path))
    behind = _behind(tree.body, name)
    space: dict = {
        "__name__": module,
        "__package__": module.rpartition(".")[0],
        "__file__": str(path),
        "__builtins__": __builtins__,
    }
    for statement in tree.body:
        if _binds(statement) & behind:
            _run(statement, behind, module, path, space)
    if name not in space:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return space[name]


def _run(statement: ast.stmt, behind: set[str], module: str, path: Path, space: dict) -> None:
    """One statement at the top of a module; of an import from this package, the names that are needed."""
    if isinstance(statement, ast.ImportFrom) and (statement.module or "").partition(".")[0] == PACKAGE:
        needed = {alias.name: alias.asname or alias.name for alias in statement.names}
        for name, own in needed.items():
            if own in behind:
                try:
                    space[own] = _imported(str(statement.module), name)
                except ModuleNotFoundError as error:
                    space[own] = Missing(error)
        return
    code = compile(ast.Module([Bare().visit(statement)], []), str(path), "exec")
    try:
        exec(code, space)
    except ModuleNotFoundError as error:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            raise
        space.update(dict.fromkeys(_binds(statement), Missing(error)))


def _imported(module: str, name: str) -> object:
    if file_of(f"{module}.{name}"):
        return import_module(f"{module}.{name}")
    if module in sys.modules or file_of(module).endswith("__init__.py"):
        return getattr(import_module(module), name)
    return _taken(module, name)


def _behind(body: list[ast.stmt], wanted: str) -> set[str]:
    """`wanted` and the names at the top of the module that it needs."""
    bound = [(_binds(statement), statement) for statement in body]
    seen: set[str] = set()
    todo = {wanted}
    while todo:
        seen |= todo
        nodes = (node for own, statement in bound if own & todo for node in ast.walk(statement))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        todo = {name for own, _ in bound for name in own} & used - seen
    return seen


def _binds(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, and those whose value it may change: `TABLE.add(...)`, `@TABLE.add`."""
    found: set[str] = set()
    whole = [statement] if isinstance(statement, ast.FunctionDef | ast.ClassDef) else ast.walk(statement)
    for node in whole:
        match node:
            case ast.Import() | ast.ImportFrom():
                found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            case ast.FunctionDef() | ast.ClassDef():
                found |= {node.name, *map(_root, node.decorator_list)}
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case ast.Expr():
                found.add(_root(node.value))
            case ast.Assign():
                found |= {*map(_root, node.targets)}
            case ast.AugAssign():
                found.add(_root(node.target))
    return found - {""}


def _root(node: ast.expr) -> str:
    """The name at the left of a call, an attribute or an item; "" where there is none."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
