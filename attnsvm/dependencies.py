"""Which modules of a package some code needs, found from its import statements without running any of it."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def module_files(module: str, function: str | None = None) -> list[str]:
    """The files of this package that `module` needs, relative to the repository, sorted; its own file included.

    Args:
        module: dotted name, such as "attnsvm.plots.svm_rank".
        function: in `module` and its siblings, count only the imports outside all functions and inside functions or
            methods of this name; every other module so reached counts whole.
    """
    siblings = module.rpartition(".")[0] + "."
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            narrow = name == module or (siblings.count(".") > 1 and name.startswith(siblings))
            todo += _imports(name, function if narrow else None)
    files = {_file(name) for name in seen}
    return sorted(str(path.relative_to(ROOT)) for path in files)


def _file(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def _exists(module: str) -> bool:
    return _file(module).exists()


@cache
def _imports(module: str, function: str | None) -> frozenset[str]:
    """Modules of this package imported by `module`, with the packages that contain them."""
    package = module.split(".")[0]
    found = set()
    for node in _statements(ast.parse(_file(module).read_text()), function):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    found = {name for name in found if name.split(".")[0] == package and _exists(name)}
    return frozenset(found | {name.rsplit(".", k)[0] for name in found for k in range(1, name.count(".") + 1)})


def _statements(node: ast.AST, function: str | None):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and (function not in (None, child.name) or child.name == "__getattr__"):
            continue  # a package's lazy attributes are no part of importing it
        yield child
        yield from _statements(child, function if not isinstance(child, ast.FunctionDef) else None)
