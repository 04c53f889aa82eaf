"""What the numbers of a stage depend on: the modules it imports, by what they do and not by when they were written.

Found from the source without running any of it. Every import in a module counts, wherever it stands. Comments,
docstrings and the layout of the source do not: they cannot change a number.
"""

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attnsvm.files import FORMAT
from attnsvm.pipeline.sources import Source, read

ROOT = Path(__file__).resolve().parents[2]


@cache
def module_files(*modules: str) -> tuple[str, ...]:
    """The files of this package that `modules` need, relative to the repository, sorted; their own files included."""
    seen: set[str] = set()
    todo = {parent for module in modules for parent in _with_packages(module)}
    while todo:
        seen |= todo
        todo = {needed for module in todo for needed in _imports(module)} - seen
    return tuple(sorted(filter(None, map(_file, seen))))


@cache
def digest(*modules: str, texts: tuple[str, ...] = ()) -> str:
    """A hash of the code that `modules` run, of other files, and of the format in which stages pass files on.

    Raises:
        UserError: a module is not Python.
    """
    total = hashlib.sha256(f"format {FORMAT}\n".encode())
    for file in module_files(*modules):
        total.update(f"{file}\0{_source(file).digest}\n".encode())
    for file in texts:
        total.update(f"{file}\0{hashlib.sha256((ROOT / file).read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


@cache
def _source(file: str) -> Source:
    return read(ROOT, file)


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of this package that `module` imports, with the packages that contain them."""
    if not _file(module):  # a folder without __init__.py
        return frozenset()
    package = module if _file(module).endswith("/__init__.py") else module.rpartition(".")[0]
    found: set[str] = set()
    for level, source, names in _source(_file(module)).imports:
        above = package.rsplit(".", level - 1)[0] if level else ""
        whole = ".".join(filter(None, [above, source]))
        found |= {whole, *(f"{whole}.{name}" for name in names)}
    own = module.partition(".")[0]
    known = {name for name in found if name.partition(".")[0] == own and _file(name)}
    return frozenset(parent for name in known for parent in _with_packages(name))


def _with_packages(module: str) -> Iterable[str]:
    """A module and the packages that contain it, whose code runs when it is imported."""
    parts = module.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


@cache
def _file(module: str) -> str:
    """The source of a module or package, relative to the repository; "" where there is none."""
    base = module.replace(".", "/")
    found = f"{base}/__init__.py" if os.path.isdir(f"{ROOT}/{base}") else f"{base}.py"
    return found if os.path.exists(f"{ROOT}/{found}") else ""
