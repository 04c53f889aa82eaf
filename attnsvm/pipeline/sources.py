"""What one source file does and what it imports, remembered by its bytes from one run to the next.

Parsing every module takes a third of a second, and each run of Snakemake asks.
"""

import ast
import hashlib
from pathlib import Path
from typing import NamedTuple

from attnsvm.errors import UserError
from attnsvm.pipeline.memory import Memory, key_of

OWN = Path(__file__).read_bytes()
MEMORY = Memory("sources.json")


class Source(NamedTuple):
    """What a file of Python code is.

    Attributes:
        digest: a hash of its syntax tree without docstrings.
        imports: [level, module, names] of every import statement, wherever it stands; `import a.b` is [0, "a.b", []].
    """

    digest: str
    imports: list[list]


def read(root: Path, name: str) -> Source:
    """The source file `name` under `root`, parsed unless its bytes are remembered.

    Raises:
        UserError: it is not Python.
    """
    content = (root / name).read_bytes()
    return Source(*MEMORY.recall(key_of(OWN, content), lambda: _parsed(name, content)))


def code_digest(source: str) -> str:
    """A hash of what a module does: of its syntax tree without docstrings."""
    return _digest(_that_runs(ast.parse(source)))


def _parsed(name: str, content: bytes) -> list:
    try:
        tree = _that_runs(ast.parse(content.decode("utf-8")))
    except (SyntaxError, UnicodeDecodeError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else "not UTF-8 text"
        raise UserError(f"{name}{line}: this is not Python ({reason})") from error
    imports: list[list] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [[0, alias.name, []] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append([node.level, node.module or "", [alias.name for alias in node.names]])
    return [_digest(tree), imports]


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
