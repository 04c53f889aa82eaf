"""Packages that offer the names of their modules and import each module when one of its names is first used.

The names stand once, as import statements under `if TYPE_CHECKING:` in the package's __init__.py, where people, type
checkers and the search for what a job depends on (attnsvm.pipeline.hashes.dependencies) read them:

    if TYPE_CHECKING:
        from package.module import name as name
    else:
        __getattr__, __dir__ = exports(__name__)
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path


def modules_in(folder: Path) -> list[str]:
    """The names of the modules in a folder; an editor's locks and copies (.#x.py, x copy.py) have no such name."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem.isidentifier() and path.is_file())


def exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for the __init__.py of a package; `__all__` is among what they give.

    Raises:
        AttributeError: from `__getattr__`, the package does not offer the name.
    """

    @cache
    def offered() -> dict[str, tuple[str, str]]:
        import ast  # late: most processes import from the modules themselves

        spec = sys.modules[package].__spec__
        return exported(ast.parse(spec.loader.get_source(package)))

    def __getattr__(name: str) -> object:
        if name == "__all__":
            return sorted(offered())
        if name not in offered():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = offered()[name]
        value = getattr(import_module(module), own)
        setattr(sys.modules[package], name, value)  # the next use finds it there
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *offered(), "__all__"})

    return __getattr__, __dir__


def exported(tree) -> dict[str, tuple[str, str]]:
    """{name: (module, its name there)} of what the syntax tree of a module imports for type checkers, at its top."""
    checked = [node for node in tree.body if for_type_checkers(node)]
    statements = [node for block in checked for node in block.body if type(node).__name__ == "ImportFrom"]
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for node in statements
        if node.module and not node.level
        for alias in node.names
    }


def for_type_checkers(node) -> bool:
    """Whether a node of a syntax tree is `if TYPE_CHECKING:`, whose body never runs."""
    return type(node).__name__ == "If" and getattr(node.test, "id", "") == "TYPE_CHECKING"
