"""What the numbers of a stage depend on: the modules it imports, by what they do and not by when they were written.

Found from the source without running any of it. Every import in a module counts, wherever it stands. Comments,
docstrings and the layout of the source do not: they cannot change a number.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attnsvm.errors import UserError
from attnsvm.files import FORMAT

ROOT = Path(__file__).resolve().parents[2]


@cache
def module_files(*modules: str) -> tuple[str, ...]:
    """The files of this package that `modules` need, relative to the repository, sorted; their own files included."""
    seen: set[str] = set()
    todo = {parent for module in modules for parent in _with_packages(module)}
    while todo:
        seen |= todo
        todo = {needed for module in todo for needed in _imports(module)} - seen
    return tuple(sorted(str(_file(module).relative_to(ROOT)) for module in seen if _file(module).exists()))


@cache
def digest(*modules: str, texts: tuple[str, ...] = ()) -> str:
    """A hash of the code that `modules` run, of other files, and of the format in which stages pass files on."""
    total = hashlib.sha256(f"format {FORMAT}\n".encode())
    for file in module_files(*modules):
        total.update(f"{file}\0{_file_digest(file)}\n".encode())
    for file in texts:
        total.update(f"{file}\0{hashlib.sha256((ROOT / file).read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


@cache
def _file_digest(file: str) -> str:
    return code_digest((ROOT / file).read_text("utf-8"))


def code_digest(source: str) -> str:
    """A hash of what a module does: of its syntax tree without docstrings."""
    return hashlib.sha256(repr(_canonical(ast.parse(source))).encode()).hexdigest()


def _canonical(node) -> object:
    """The tree as nested tuples; empty fields are left out, since Python's versions differ in them."""
    if isinstance(node, ast.AST):
        fields = ((name, _canonical(_without_docstring(node, name, value))) for name, value in ast.iter_fields(node))
        return type(node).__name__, *((name, value) for name, value in fields if value not in (None, ()))
    if isinstance(node, list):
        return tuple(_canonical(item) for item in node)
    return node if node is None else (type(node).__name__, repr(node))


def _without_docstring(node: ast.AST, name: str, value):
    owner = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    return value[1:] if owner and name == "body" and ast.get_docstring(node, clean=False) is not None else value


def _parsed(file: Path) -> ast.Module:
    """The syntax tree of a source file.

    Raises:
        UserError: it is not Python.
    """
    try:
        return ast.parse(file.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else "not UTF-8 text"
        raise UserError(f"{file.relative_to(ROOT)}{line}: this is not Python ({reason})") from error


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of this package that `module` imports, with the packages that contain them."""
    if not _file(module).exists():  # a folder without __init__.py
        return frozenset()
    package = module if _file(module).name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(_parsed(_file(module))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, [above, node.module or ""]))
            found |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
    own = module.partition(".")[0]
    known = {name for name in found if name.partition(".")[0] == own and _file(name).exists()}
    return frozenset(parent for name in known for parent in _with_packages(name))


def _with_packages(module: str) -> Iterable[str]:
    """A module and the packages that contain it, whose code runs when it is imported."""
    parts = module.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


def _file(module: str) -> Path:
    """The source of a module or package; that of a folder of modules does not exist."""
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
