"""What the modules of training may import, and where. A job depends on what its modules import."""

import ast
from pathlib import Path

import pytest

from attnsvm import training

MODULES = sorted(Path(training.__file__).parent.glob("*.py"))
BELOW = {"errors", "problems", "inputs", "norms", "selection", "directions"}


def imported(path):
    """Full names of the modules that a file imports: a package's member counts as a module of its own."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "expected absolute imports"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_imports_point_down_and_stand_at_the_top(path):
    ours = [name.split(".") for name in imported(path) if name.split(".")[0] == "attnsvm"]
    assert {name[1] for name in ours} <= BELOW | {"training"}
    at_top = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    everywhere = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert len(at_top) == len(everywhere)


def test_what_needs_no_engine_imports_none():
    """An experiment that reads steps or the log alone shall not hang on the kernels."""
    for name in ("steps", "log", "spans"):
        roots = {root.split(".")[0] for root in imported(Path(training.__file__).with_name(f"{name}.py"))}
        assert not roots & {"torch", "numba"}, name
