"""What one source file does and what it imports, remembered by its bytes from one run to the next.

Parsing every module takes a third of a second, and each run of Snakemake asks.
"""

import ast
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from attnsvm.pipeline.hashes.cache import recall
from attnsvm.system import lazy
from attnsvm.system.errors import UserError

PARSED_BY = Path(__file__).read_bytes() + Path(lazy.__file__).read_bytes()


class Source(NamedTuple):
    """What a file of Python code is; of its imports those from the package that it belongs to.

    Attributes:
        digest: a hash of its syntax tree without docstrings.
        imports: [path, name, tails] of every import statement, wherever it stands: the path that it says, a relative
            one with its dots; the name that it binds; what is used of it. `from a import b` and `b.c(1)` are
            ["a.b", "b", ["c.*"]]. The * says that from there on nothing is known: with `b(1)` the tail is "*".
        exports: {name: path} of what it imports for type checkers alone, see attnsvm.system.lazy.
        words: the strings in it that could be the name of a module; of ".name" without the dot.
        chooses: whether it imports its own modules by names that it works out: import_module(f"{__name__}.{word}").
        files: the strings in it that could be the name of a file with an ending.
    """

    digest: str
    imports: list[list]
    exports: dict[str, str]
    words: list[str]
    chooses: bool
    files: list[str]


def read(root: Path, name: str, package: str = "") -> Source:
    """The source file `name` under `root`, parsed unless its bytes are remembered; "": a folder without __init__.py.

    Args:
        package: to which it belongs; "": that of its first folder.

    Raises:
        UserError: it is not Python.
    """
    if not name:
        return Source("", [], {}, [], False, [])
    content, package = (root / name).read_bytes(), package or Path(name).parts[0].removesuffix(".py")
    try:
        return Source(*recall((PARSED_BY, package.encode(), content), lambda: _parsed(name, package, content)))
    except (RecursionError, MemoryError) as error:
        raise UserError(f"{name}: this is nested too deeply for Python") from error


def _parsed(name: str, package: str, content: bytes) -> list:
    try:
        whole = ast.parse(content.decode("utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        number = getattr(error, "lineno", None)
        line = f", line {number}" if number else ""
        reason = error.msg if isinstance(error, SyntaxError) else "not UTF-8 text"
        raise UserError(f"{name}{line}: this is not Python ({reason})") from error
    exports = {own: ".".join(path) for own, path in lazy.exported(whole).items()}
    tree = _that_runs(whole)
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    words = sorted(word for word in (string.removeprefix(".") for string in strings) if word.isidentifier())
    files = sorted(string for string in strings if re.fullmatch(r"[\w-]+(\.\w+)+", string))
    digest = hashlib.sha256(repr(_canonical(tree)).encode()).hexdigest()
    return [digest, _imports(tree, package), exports, words, _chooses(tree), files]


def _imports(tree: ast.Module, package: str) -> list[list]:
    """`imports` of a module of `package`, see `Source`."""
    used: dict[str, set[str]] = {}
    for name, tail in _chains(tree):
        used.setdefault(name, set()).add(tail)
    found = []
    for node, in_class in _statements(tree):
        for alias in node.names:
            before = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
            path = f"{before}{'.' if before.strip('.') else ''}{alias.name}"
            if not path.startswith(".") and path.partition(".")[0] != package:
                continue
            name, start = alias.asname or alias.name, path
            if isinstance(node, ast.Import) and not alias.asname:  # `import a.b` loads a.b and binds a
                found.append([path, "", []])
                name = start = package
            tails = used.get(name, set()) | ({"*"} if in_class else set())  # a class hands on what it imports
            found.append([start, name, sorted(tails)])
    return [one for k, one in enumerate(found) if one not in found[:k]]


def _chooses(tree: ast.Module) -> bool:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    importing = (node for node in calls if ast.unparse(node.func).endswith(("import_module", "__import__")))
    return any(isinstance(at, ast.Name) and at.id == "__name__" for node in importing for at in ast.walk(node))


def _statements(tree: ast.Module) -> Iterable[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Every import statement, and whether it stands in a class."""
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    inside = {node for owner in classes for node in ast.walk(owner)}
    return [(node, node in inside) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _chains(tree: ast.Module) -> Iterable[tuple[str, str]]:
    """(a, "b.c.*") for every `a.b.c` in a module, and (a, "*") for every `a` alone."""
    inside = set()
    for node in ast.walk(tree):  # from the outside in
        tail, at = ["*"], node
        while isinstance(at, ast.Attribute):
            inside.add(at.value)
            tail.append(at.attr)
            at = at.value
        if isinstance(at, ast.Name) and node not in inside:
            yield at.id, ".".join(reversed(tail))


def _that_runs(tree: ast.Module) -> ast.Module:
    """The tree without `if TYPE_CHECKING:`, which nothing runs: what is imported there changes no number."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [kept for item in value for kept in _parts_that_run(item)])
    return tree


def _parts_that_run(item) -> list:
    return item.orelse if isinstance(item, ast.If) and lazy.for_type_checkers(item) else [item]


def _canonical(node) -> object:
    """The tree as nested tuples; empty fields are left out, since Python's versions differ in them."""
    if isinstance(node, ast.AST):
        fields = ((name, _canonical(_without_docstring(node, name, value))) for name, value in ast.iter_fields(node))
        return type(node).__name__, *((name, value) for name, value in fields if value not in (None, ()))
    if isinstance(node, list):
        return tuple(_canonical(item) for item in node)
    return node if node is None else (type(node).__name__, repr(node))


def _without_docstring(node: ast.AST, name: str, value):
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = isinstance(node, owners) and name == "body" and ast.get_docstring(node, clean=False) is not None
    return value[1:] if documented else value
