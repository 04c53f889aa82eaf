"""Which modules of a package some code needs, found from its source without running any of it."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = frozenset({"__init__", "__post_init__"})  # run without being named


@cache
def module_files(module: str, function: str | None = None, narrow: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The files of this package that `module` needs, relative to the repository, sorted; its own file included.

    Args:
        module: dotted name, such as "attnsvm.plots.svm_rank".
        function: of `module`, count only what this function needs.
        narrow: packages of whose modules, too, only that is counted.

    What a function needs: the imports outside all functions, and those inside the functions that it calls, directly or
    not. Functions are followed by name: whatever is called like something that a counted function mentions is counted.
    """

    def is_narrow(name: str) -> bool:
        return function is not None and (name == module or name.rpartition(".")[0] in narrow)

    seen, todo, reached = set(), {module}, {function, *ALWAYS}
    while todo:
        seen |= todo
        found, grown = set(), set(reached)
        for name in seen:
            source = _read(name)
            found |= source.outside
            for own in source.functions:
                if not is_narrow(name):
                    found |= own.imports
                elif own.name in reached:
                    found |= own.imports
                    grown |= own.mentions
        todo = found - seen
        if grown != reached:  # more functions are reached: look at every module again
            reached, todo = grown, todo or {module}
    return tuple(sorted(str(_file(name).relative_to(ROOT)) for name in seen))


@dataclass(frozen=True)
class _Function:
    """One function or method, with what is nested in it: its name, what it imports, and the names it mentions."""

    name: str
    imports: frozenset[str]
    mentions: frozenset[str]


@dataclass(frozen=True)
class _Source:
    """A module: its imports outside functions, and its functions."""

    outside: frozenset[str]
    functions: tuple[_Function, ...]


def _file(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


@cache
def _read(module: str) -> _Source:
    functions: list[ast.FunctionDef] = []
    outside = list(_outside_functions(ast.parse(_file(module).read_text()), functions))
    package = module.split(".")[0]
    return _Source(_imports(outside, package), tuple(_function(node, package) for node in functions))


def _outside_functions(node: ast.AST, functions: list):
    """The nodes outside all functions; the functions are appended to `functions`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if child.name != "__getattr__":  # a package's lazy attributes are no part of importing it
                functions.append(child)
        else:
            yield child
            yield from _outside_functions(child, functions)


def _function(node: ast.FunctionDef, package: str) -> _Function:
    inside = list(ast.walk(node))
    own = {child.arg for child in inside if isinstance(child, ast.arg)}
    own |= {child.id for child in inside if isinstance(child, ast.Name) and not isinstance(child.ctx, ast.Load)}
    names = {child.id for child in inside if isinstance(child, ast.Name)} - own
    names |= {child.attr for child in inside if isinstance(child, ast.Attribute)}
    return _Function(node.name, _imports(inside, package), frozenset(names))


def _imports(nodes, package: str) -> frozenset[str]:
    """Modules of this package imported by `nodes`, with the packages that contain them."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    found = {name for name in found if name.split(".")[0] == package and _file(name).exists()}
    return frozenset(found | {name.rsplit(".", k)[0] for name in found for k in range(1, name.count(".") + 1)})
