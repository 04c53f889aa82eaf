"""The code each stage depends on, found from imports alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from attnsvm.pipeline.dependencies import module_files
from attnsvm.experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("problems", "descent", "svm", "measures")
NARROW = ("attnsvm.experiments",)
STARTS_FROM_SOLUTIONS = {"cone", "regularisation_path"}  # their descent begins at the SVM directions
TRAINS_NOTHING = {"svm_rank", "feasibility", "regularisation_path"}


def stage_files(experiment, stage):
    modules = "attnsvm.pipeline.stages", f"attnsvm.experiments.{experiment}"
    return {file for module in modules for file in module_files(module, stage, NARROW)}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_solvers_are_an_input_of_what_solves_only(experiment):
    for stage in STAGES:
        solves = stage == "svm" or (stage == "descent" and experiment in STARTS_FROM_SOLUTIONS)
        assert ("attnsvm/svm/nuclear.py" in stage_files(experiment, stage)) == solves


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_engine_is_an_input_of_what_trains_only(experiment):
    for stage in STAGES:
        trains = stage == "descent" and experiment not in TRAINS_NOTHING
        assert ("attnsvm/descent.py" in stage_files(experiment, stage)) == trains


def test_a_helper_that_a_function_calls_brings_its_imports(tmp_path, monkeypatch):
    """Through another function, a method and another module, by name; what is not called brings nothing."""
    files = {
        "pack/__init__.py": "",
        "pack/a.py": "from pack.lab import base\n\ndef go(x):\n    return base.first(x)\n\n"
        "def stop():\n    import pack.never\n",
        "pack/lab/__init__.py": "",
        "pack/lab/base.py": "class B:\n    def second(self):\n        import pack.deep\n\n"
        "def first(x):\n    return B().second()\n\ndef other():\n    import pack.never\n",
        "pack/deep.py": "",
        "pack/never.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("attnsvm.pipeline.dependencies.ROOT", tmp_path)
    found = module_files("pack.a", "go", ("pack.lab",))
    assert set(found) == set(files) - {"pack/never.py"}
    assert "pack/deep.py" not in module_files("pack.a", "stop", ("pack.lab",))


def test_a_plot_depends_on_no_other_plot_and_on_no_experiment():
    files = module_files("attnsvm.plots.svm_rank")
    assert "attnsvm/plots/svm_rank.py" in files
    assert "attnsvm/plots/style.py" in files
    assert not any("experiments" in name or "multi_token" in name for name in files)


def test_the_static_answer_covers_what_really_gets_imported():
    """Import a module for real, in a fresh interpreter, and compare with the files the static search found."""
    module = "attnsvm.svm.solver"
    program = f"import sys, {module}; print(*sorted(n for n in sys.modules if n.split('.')[0] == 'attnsvm'))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {str(Path(*name.split("."))) for name in run.stdout.split()}
    found = {name.removesuffix("/__init__.py").removesuffix(".py") for name in module_files(module)}
    assert found == loaded


def test_finding_dependencies_imports_nothing_heavy():
    program = "import sys; from attnsvm.pipeline.dependencies import module_files as f; f('attnsvm.pipeline.stages'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "cvxpy", "numpy", "pandas"} & set(run.stdout.split())
