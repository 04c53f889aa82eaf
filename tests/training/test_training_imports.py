"""What the rules of descent import: a job depends on what its modules import."""

import ast
from pathlib import Path

from attnsvm import training

HOME = Path(training.__file__).parent
MODULES = sorted(path for path in HOME.rglob("*.py") if path.name != "__init__.py")  # those offer names only
HOW_CALLED = {HOME / "optimisers/calls.py", HOME / "optimisers/stepper.py"}
RULES = {path for path in MODULES if path.parent == HOME / "optimisers"} - HOW_CALLED


def of_rules(path):
    """The files of optimisers/ that a file imports."""
    froms = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    names = [f"{node.module}.{alias.name}" for node in froms for alias in node.names]
    return {name.split(".")[3] for name in names if name.startswith("attnsvm.training.optimisers.")}


def test_an_edit_of_one_rule_concerns_only_who_uses_it():
    """No engine names a rule but gradient descent, which all run, and `joint`, the norm of a stack; no wrapper does."""
    assert {"steepest", "adam", "mirror", "schedule"} <= {path.stem for path in RULES}
    engines = set(MODULES) - RULES - {HOME / "runs.py"}
    assert set().union(*map(of_rules, engines)) == {"protocol", "calls", "stepper", "gradient_descent", "joint"}
    for path in RULES:
        uses_another = {"steepest", "mirror"}  # "fro" is gradient descent, and mirror descent has the published ε
        assert of_rules(path) <= {"protocol"} | ({"gradient_descent"} if path.stem in uses_another else set()), path
