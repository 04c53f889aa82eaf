"""The package's layers, drawn from its imports: none points upward, and siblings know nothing of one another."""

import ast
import re
from functools import cache
from pathlib import Path

from harness import ROOT, run_python

from attnsvm.pipeline import cards, modules

# From the bottom up. What stands on one line may not import each other.
ROOT_ROOM = "attnsvm"  # the package itself
LIBRARY = (
    ("system",),
    (ROOT_ROOM,),
    ("batch",),
    ("geometry",),
    ("data",),
    ("analysis",),
    ("training", "svm"),
    ("plots", "inspect"),
)
LAYERS = (
    *LIBRARY,
    ("audit",),
    ("pipeline.hashes",),
    ("experiments",),
    ("pipeline",),
    ("pipeline.running", "pipeline.setup"),
    ("pipeline.cluster",),
    ("publish.documents",),
    ("publish.exchange", "publish.paper"),
    ("publish.site",),
    ("command",),
)
WORDS = {"__init__"}
HEIGHT = {room: height for height, rooms in enumerate(LAYERS) for room in rooms}
FILES = sorted(path.relative_to(ROOT) for path in (ROOT / "attnsvm").rglob("*.py"))
TEMPLATE = Path("attnsvm/pipeline/setup/template")  # text for a new experiment, and so on the floor of the experiments
HEAVY = ("torch", "cvxpy")
OPTIONAL = {"attnsvm.svm.methods.conic", "attnsvm.svm.estimator"}
EMPTY = Path("attnsvm/publish/__init__.py")


def room(path):
    """Where a file belongs."""
    if TEMPLATE in path.parents:
        return "experiments"
    first, second = (part.removesuffix(".py") for part in (*path.parts, "")[1:3])
    inner = f"{first}.{second}"
    return ROOT_ROOM if first in WORDS or path == EMPTY else inner if inner in HEIGHT else first


@cache
def imported(path):
    """The dotted names that a file imports, wherever the statement stands; with a package's members each their own.

    What it imports for type checkers alone does not count: a package that offers names imports them late.
    """
    own = (path.parent / "x").parts[:-1]
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    tree.body = [node for node in tree.body if not ast.unparse(node).startswith("if TYPE_CHECKING:")]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(own[: len(own) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, [above, node.module]))
            found += [f"{source}.{alias.name}" for alias in node.names]
    return tuple(found)


def of_the_package(path):
    """The files of this package that a file imports."""
    for name in imported(path):
        parts = name.split(".")
        while parts[0] == "attnsvm" and len(parts) > 1:
            base = Path(*parts)
            if (ROOT / base).with_suffix(".py").exists():
                yield base.with_suffix(".py")
                break
            if (ROOT / base / "__init__.py").exists():
                yield base / "__init__.py"
                break
            parts.pop()


@cache
def edges():
    """(file, file that it imports), for the whole package."""
    return {(path, other) for path in FILES for other in of_the_package(path) if other != path}


def test_every_file_has_a_layer():
    assert {room(path) for path in FILES} == set(HEIGHT)
    assert {path.stem for path in FILES if len(path.parts) == 2} == WORDS | {"command"}


def test_no_import_points_upward():
    upward = [f"{path} imports {other}" for path, other in sorted(edges()) if HEIGHT[room(path)] < HEIGHT[room(other)]]
    assert not upward, "\n".join(upward)


def test_siblings_do_not_import_each_other():
    crossed = [
        f"{path} imports {other}"
        for path, other in sorted(edges())
        if HEIGHT[room(path)] == HEIGHT[room(other)] and room(path) != room(other)
    ]
    assert not crossed, "\n".join(crossed)


def test_the_library_knows_no_pipeline_and_imports_where_snakemake_is_not_installed():
    """In an interpreter that finds no snakemake."""
    library = {path for path in FILES if room(path) in {name for rooms in LIBRARY for name in rooms}}
    above = [f"{path} imports {other}" for path, other in sorted(edges()) if path in library and other not in library]
    assert not above, "\n".join(above)
    modules = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in sorted(library)]
    program = "import sys\nsys.modules |= dict.fromkeys(('snakemake', 'torch', 'cvxpy'))\n"
    tried = [
        name for name in modules if name.split(".")[1:2] not in (["inspect"], ["training"]) and ".methods" not in name
    ]
    run_python(program + "\n".join(f"import {name}" for name in tried if name not in OPTIONAL))


def test_no_circle_of_files():
    """Packages aside, whose __init__ gathers what its own files make."""
    after = {path: {other for one, other in edges() if one == path and other.name != "__init__.py"} for path in FILES}
    todo = set(FILES)
    while leaves := {path for path in todo if not after[path] & todo}:
        todo -= leaves
    assert not todo, f"a circle: {sorted(map(str, todo))}"


def test_an_experiment_knows_no_path_no_snakemake_and_no_build():
    for path in FILES:
        if room(path) == "experiments":
            roots = {".".join(name.split(".")[:2]) for name in imported(path)}
            assert not roots & {"attnsvm.pipeline", "attnsvm.publish", "attnsvm.system.store"}, path
            assert not {name.split(".")[0] for name in roots} & {"snakemake", "pathlib", "os"}, path


def experiment(path):
    """The folder of the card that a file belongs to; unseen seeds with modules of their own have none."""
    return next((above for above in path.parents if (ROOT / above / "card.yaml").exists()), path.parent)


def test_an_experiment_imports_the_same_stage_of_another_or_nothing_of_it():
    for path, other in edges():
        both = room(path) == room(other) == "experiments" and other.name != "__init__.py"
        if both and experiment(path) != experiment(other):
            assert path.name == other.name, f"{path} imports {other}"


def test_a_stage_imports_at_its_top_what_it_imports():
    """Tables of functions and late imports hide nothing: what a module needs is seen on its first lines."""
    for path in FILES:
        if room(path) == "experiments":
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            kinds = ast.Import | ast.ImportFrom
            late = [node for node in ast.walk(tree) if isinstance(node, kinds) and node not in tree.body]
            assert not late, f"{path}, line {late[0].lineno}: move the import to the top"
            text = (ROOT / path).read_text("utf-8")
            assert "importlib" not in text, path
            assert "__import__" not in text, path


def light_modules():
    names = [f"attnsvm.plots.{path.stem}" for path in FILES if room(path) == "plots" and path.stem != "__init__"]
    for card in cards.every():
        names += [module for part, module in card.modules.items() if part in ("figure", "measures", "claims")]
    return sorted(set(names))


def test_what_is_drawn_or_measured_needs_no_torch_and_no_cvxpy():
    """Import for real, in a fresh interpreter; torch costs a job two seconds."""
    program = f"import sys, attnsvm.pipeline.cards, {', '.join(light_modules())}\nprint(*sys.modules)"
    loaded = {*run_python(program).split()}
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
    assert set(light_modules()) <= loaded


def test_the_checker_shares_no_code_with_the_solvers():
    after = {path: {other for one, other in edges() if one == path} for path in FILES}
    todo, seen = {Path(f"attnsvm/svm/{name}.py") for name in ("checker", "lifted_checker")}, set()
    while todo:
        seen |= todo
        todo = {other for path in todo for other in after[path]} - seen
    solvers = {
        Path("attnsvm/svm/solver.py"),
        Path("attnsvm/svm/lifted.py"),
        *(path for path in FILES if "methods" in path.parts),
    }
    assert len(solvers) > 8
    assert not seen & solvers


def test_a_rule_knows_no_mathematics_and_a_script_is_a_few_lines():
    for path in (ROOT / "workflow/scripts").glob("*.py"):
        assert len(path.read_text().splitlines()) <= 12, path
        assert {name.partition(".")[0] for name in imported(path.relative_to(ROOT))} <= {"attnsvm", "sys"}, path
    wiring = ROOT / "workflow/rules/common.smk"
    assert len(wiring.read_text().splitlines()) <= 92, "what decides belongs into attnsvm/pipeline"
    for path in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]:
        for word in ("numpy", "pandas", "torch", "cvxpy", "attnsvm.svm", "attnsvm.training", "attnsvm.experiments"):
            assert f"import {word}" not in path.read_text(), path
            assert f"from {word}" not in path.read_text(), path


def test_every_rule_has_its_module_and_no_other():
    rules = (ROOT / "workflow/rules").glob("*.smk")
    named = {name for path in rules for name in re.findall(r'\bparams_of\("(\w+)"\)', path.read_text())}
    assert named == {*modules.RUNNERS}
