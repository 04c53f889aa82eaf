"""What the numbers of a stage depend on: the modules it imports, by what they do and not by when they were written.

    Plan.code      which modules a job runs            (pipeline/plan.py)
    digest         all modules that these import       (here)
    read           what one of them does and imports   (hashes/sources.py)

Found from the source without running any of it. Every import in a module counts, wherever it stands. A name that a
package only offers (attnsvm.system.lazy) is followed to the module that defines it; the others do not count.
Where a package itself is handed on, all that it offers does. Of a package that imports its modules by name
those count whose name is a string in it or in the experiment. A file beside a module, no Python, counts if its name is
a string in the module. Comments, docstrings and the layout of the source do not: they cannot change a number. What all
this does not see is found when a job runs (`job_records.running`).
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from attnsvm.pipeline.hashes.sources import Source, read
from attnsvm.system import lazy

ROOT = Path(__file__).resolve().parents[3]
# The folder of the Snakefile: the clone, or with an installed package the working copy that `attnsvm deploy` wrote.
HOME = ROOT if (ROOT / "Snakefile").is_file() else Path.cwd()
USERS = "experiments"  # the folder in it with a user's own; its modules are read as parts of the package of that name
SCRIPTS = "workflow/scripts/"
OF_HOME = (f"{USERS}/", SCRIPTS)
FORMAT = 3  # of block files: another number makes every stage run again
EXPERIMENTS = ".experiments."
NO_STAGES = ("figure.py", "claims.py")  # of an experiment
DEEPEST = 20  # dots in a path: after `from pack.name import name` in pack the path of the name leads on for ever


class Imported(NamedTuple):
    """What the import statements of a module reach, or one dotted path in them.

    Attributes:
        modules: those that the path goes through, packages included.
        names: "package.name = module.name" for every name that is taken through a module that only imported it.
        paths: where such a name leads, still to be followed; after a *, where every name of the module leads.
    """

    modules: set[str]
    names: set[str]
    paths: set[str]


@cache
def digest(*modules: str, texts: tuple[str, ...] = ()) -> str:
    """A hash of the code that `modules` run, of other files, and of the format in which stages pass files on.

    Raises:
        UserError: a module is not Python.
    """
    total = hashlib.sha256(f"format {FORMAT}\n".encode())
    behind = _behind(*modules)
    for file, does in sorted({file_of(module): _source(module).digest for module in behind}.items()):
        total.update(f"{file}\0{does}\n".encode())
    for name in sorted({name for module in behind for name in _imported(module).names}):
        total.update(f"{name}\n".encode())
    for file in (*sorted(set().union(*map(_beside, behind))), *texts):
        total.update(f"{file}\0{_says(file)}\n".encode())
    return total.hexdigest()


@cache
def module_files(*modules: str) -> tuple[str, ...]:
    """The files of this package that `modules` need, relative to the repository, sorted; their own files included."""
    behind = _behind(*modules)
    sources = {file for module in behind if (file := file_of(module))}
    return tuple(sorted(sources.union(*map(_beside, behind))))


def _says(file: str) -> str:
    """The hash of a file that is no module; of a script of the workflow, that of its code."""
    if file.startswith(SCRIPTS):
        return read(_root(file), file).digest
    return hashlib.sha256(path_of(file).read_bytes()).hexdigest()


@cache
def _beside(module: str) -> frozenset[str]:
    """The files in the folder of a module that are named in it and are no Python."""
    folder = file_of(module).rpartition("/")[0]
    named = (f"{folder}/{name}" for name in _source(module).files if not name.endswith(".py"))
    return frozenset(file for file in named if folder and path_of(file).is_file())


@cache
def file_of(module: str) -> str:
    """The source of a module or package, relative to the repository or to `HOME`; "" where there is none."""
    base = _base(module)
    file = f"{base}/__init__.py" if path_of(base).is_dir() else f"{base}.py"
    return file if path_of(file).exists() else ""


def path_of(file: str) -> Path:
    """Where a file of this repository lies, one of a user's experiments, or one of the workflow."""
    return _root(file) / file


def _root(file: str) -> Path:
    return HOME if file.startswith(OF_HOME) else ROOT


def _base(module: str) -> str:
    """The path of a module without its ending: of a user's experiment that below `HOME`."""
    _, found, own = module.partition(f"attnsvm{EXPERIMENTS}")
    theirs = found and (HOME / USERS / own.partition(".")[0]).is_dir()
    return f"{USERS}/{own}".replace(".", "/") if theirs else module.replace(".", "/")


def code_of(file: str) -> str:
    """A hash of what a source file of this repository does; "" where there is none.

    Raises:
        UserError: it is not Python.
    """
    return read(_root(file), file).digest if file.endswith(".py") and path_of(file).exists() else ""


@cache
def _source(module: str) -> Source:
    file = file_of(module)
    return read(_root(file), file, module.partition(".")[0])


@cache
def _behind(*modules: str) -> frozenset[str]:
    """`modules` and all that they need, as dotted names."""
    seen: set[str] = set()
    todo = {parent for module in modules for parent in _with_packages(module)}
    while todo:
        seen |= todo
        needed = {needed for module in todo for needed in _imported(module).modules}
        todo = (needed | _chosen(seen)) - seen
    return frozenset(seen)


def _with_packages(module: str) -> Iterable[str]:
    """A module and the packages that contain it, whose code runs when it is imported."""
    parts = module.split(".")
    return [".".join(parts[: k + 1]) for k in range(len(parts))]


@cache
def _imported(module: str) -> Imported:
    """What a module imports, with the packages that contain it; every path is followed to its end."""
    todo = {
        ".".join(filter(None, [_absolute(module, path), tail]))
        for path, _, tails in _source(module).imports
        for tail in ("", *tails)
    }
    reached = Imported(set(), set(), set())
    while todo:
        reached.paths.update(todo)
        ways = [_along(path) for path in todo]
        reached.modules.update(*(way.modules for way in ways))
        reached.names.update(*(way.names for way in ways))
        followed = set().union(*(way.paths for way in ways)) - reached.paths
        todo = {path for path in followed if path.count(".") < DEEPEST}
    return reached


@cache
def _along(path: str) -> Imported:
    """One dotted path, from its package up to the first name that is no module."""
    first, *rest = path.split(".")
    module, way = first, Imported({first}, set(), set())
    for k, name in enumerate(rest, 1):
        for offered in _offers(module) if name == "*" else {name} & {*_offers(module)}:
            behind = _offers(module)[offered]
            way.names.add(f"{module}.{offered} = {', '.join(sorted(behind))}")
            way.paths.update(".".join([one, *(rest[k:] or [name])]) for one in behind)
        if name == "*":
            way.paths.update(f"{package}.*" for package in _packages_in(module))
        inside = f"{module}.{name}"
        if not _is_folder(module) or not (file_of(inside) or _is_folder(inside)):
            break
        module = inside
        way.modules.add(module)
    return way


@cache
def _offers(module: str) -> dict[str, set[str]]:
    """{name: paths} of the names that others may take from a module and that it took from elsewhere."""
    source = _source(module)
    offered = {name: {path} for name, path in source.exports.items()}
    for path, name, _ in source.imports:
        offered.setdefault(name, set()).add(_absolute(module, path))
    return offered


def _absolute(module: str, path: str) -> str:
    """The dotted name that a path in `module` means."""
    level = len(path) - len(path.lstrip("."))
    package = module if file_of(module).endswith("/__init__.py") else module.rpartition(".")[0]
    above = package.rsplit(".", level - 1)[0] if level else ""
    return ".".join(filter(None, [above, path[level:]]))


@cache
def _packages_in(module: str) -> list[str]:
    """The packages in a package."""
    return [f"{module}.{path.parent.name}" for path in ROOT.joinpath(*module.split(".")).glob("*/__init__.py")]


@cache
def _is_folder(name: str) -> bool:
    return path_of(_base(name)).is_dir()


def _chosen(modules: set[str]) -> set[str]:
    """Of those packages among `modules` that import their own modules by name, what they or the experiments name."""
    choosing = {module for module in modules if _source(module).chooses}
    if not choosing:
        return set()
    stages = {module.rpartition(".")[0] for module in modules if EXPERIMENTS in module and file_of(module)}
    words = set().union(*map(_words, stages))
    names = {f"{module}.{word}" for module in choosing for word in words.union(_source(module).words)}
    return {name for name in names if file_of(name)}


@cache
def _words(experiment: str) -> set[str]:
    """The strings in all stages of an experiment and in what they take from others: a stage hands names to the next."""
    names = lazy.modules_in(path_of(_base(experiment)))
    todo = {f"{experiment}.{name}" for name in names if f"{name}.py" not in NO_STAGES}
    seen: set[str] = set()
    while todo:
        seen |= todo
        todo = {needed for module in todo for needed in _imported(module).modules if EXPERIMENTS in needed} - seen
    return set().union(*(_source(module).words for module in seen))
