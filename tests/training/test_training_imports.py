"""What the modules of training may import, and where. A job depends on what its modules import."""

import ast
from pathlib import Path

from attnsvm import training

HOME = Path(training.__file__).parent
MODULES = sorted(path for path in HOME.rglob("*.py") if path.name != "__init__.py")  # those offer names only
HOW_CALLED = {HOME / "rules/calls.py", HOME / "rules/stepper.py"}
RULES = {path for path in MODULES if path.parent == HOME / "rules"} - HOW_CALLED
BELOW = {"errors", "caches", "architecture", "geometry", "data", "analysis"}


def imported(path):
    """Full names of the modules that a file imports: a package's member counts as a module of its own."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "expected absolute imports"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_imports_point_down_and_stand_at_the_top():
    for path in MODULES:
        ours = [name.split(".") for name in imported(path) if name.split(".")[0] == "attnsvm"]
        assert {name[1] for name in ours} <= BELOW | {"training"}, path
        tree = ast.parse(path.read_text())
        late = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom) and n not in tree.body]
        assert [ast.unparse(n) for n in late] in ([], ["from attnsvm.training import on_device"]), path


def test_what_needs_no_engine_imports_none():
    """An experiment that reads logs or spans alone shall not hang on the kernels."""
    for name in ("log", "spans"):
        roots = {root.split(".")[0] for root in imported(HOME / f"{name}.py")}
        assert not roots & {"torch", "numba"}, name


def of_rules(path):
    """The files of rules/ that a file imports."""
    return {name.split(".")[3] for name in imported(path) if name.startswith("attnsvm.training.rules.")}


def test_an_edit_of_one_rule_concerns_only_who_uses_it():
    """No engine names a rule but gradient descent, which all run, and `joint`, the norm of a stack; no wrapper does."""
    assert {"steepest", "adam", "mirror", "momentum"} <= {path.stem for path in RULES}
    engines = set(MODULES) - RULES - {HOME / "runs.py"}
    assert set().union(*map(of_rules, engines)) == {"protocol", "calls", "stepper", "gradient_descent", "joint"}
    for path in RULES:
        uses_another = {"steepest", "mirror"}  # "fro" is gradient descent, and mirror descent has the published ε
        assert of_rules(path) <= {"protocol"} | ({"gradient_descent"} if path.stem in uses_another else set()), path
