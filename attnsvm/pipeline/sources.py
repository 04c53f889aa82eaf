"""What one source file does and what it imports, remembered by its bytes from one run to the next.

Parsing every module takes a third of a second, and each run of Snakemake asks. The memory is a file among the compiled
modules; its keys are hashes of this module and of the source, so that no date and no other version can mislead it.
"""

import ast
import atexit
import hashlib
import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from attnsvm.errors import UserError

MEMORY = Path(__file__).parent / "__pycache__" / "sources.json"
MOST = 2000  # files and former versions of files that are remembered
OWN = hashlib.sha256(Path(__file__).read_bytes()).digest()


class Source(NamedTuple):
    """What a file of Python code is.

    Attributes:
        digest: a hash of its syntax tree without docstrings.
        imports: (level, module, names) of every import statement, wherever it stands; `import a.b` is (0, "a.b", []).
    """

    digest: str
    imports: list[tuple[int, str, list[str]]]


def read(root: Path, name: str) -> Source:
    """The source file `name` under `root`, parsed unless its bytes are remembered.

    Raises:
        UserError: it is not Python.
    """
    content = (root / name).read_bytes()
    key = hashlib.sha256(OWN + content).hexdigest()
    known = _remembered()
    if key not in known:
        known[key] = _parsed(name, content)
        _remember_at_the_end()
    return Source(*known[key])


def code_digest(source: str) -> str:
    """A hash of what a module does: of its syntax tree without docstrings."""
    return _digest(_that_runs(ast.parse(source)))


def _parsed(name: str, content: bytes) -> Source:
    try:
        tree = _that_runs(ast.parse(content.decode("utf-8")))
    except (SyntaxError, UnicodeDecodeError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else "not UTF-8 text"
        raise UserError(f"{name}{line}: this is not Python ({reason})") from error
    imports: list[tuple[int, str, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.level, node.module or "", [alias.name for alias in node.names]))
    return Source(_digest(tree), imports)


def _digest(tree: ast.Module) -> str:
    return hashlib.sha256(repr(_canonical(tree)).encode()).hexdigest()


def _that_runs(tree: ast.Module) -> ast.Module:
    """The tree without `if TYPE_CHECKING:`, which nothing runs: what is imported there changes no number."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [kept for item in value for kept in _parts_that_run(item)])
    return tree


def _parts_that_run(item) -> list:
    checks = isinstance(item, ast.If) and isinstance(item.test, ast.Name) and item.test.id == "TYPE_CHECKING"
    return item.orelse if checks else [item]


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


@cache
def _remembered() -> dict:
    try:
        known = json.loads(MEMORY.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


@cache
def _remember_at_the_end() -> None:
    atexit.register(_write)


def _write() -> None:
    """Keep what is known now; a folder that nobody may write to costs the next run its third of a second."""
    with suppress(OSError):
        MEMORY.parent.mkdir(exist_ok=True)
        own = MEMORY.with_name(f"{MEMORY.name}.{os.getpid()}")
        own.write_text(json.dumps(dict([*_remembered().items()][-MOST:])), "utf-8")
        own.replace(MEMORY)
