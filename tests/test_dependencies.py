"""The code each stage depends on, found from imports alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from attnsvm.dependencies import module_files
from attnsvm.experiments import EXPERIMENTS

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("problems", "descent", "svm", "measures")


def stage_files(experiment, stage):
    return {*module_files("attnsvm.stages", stage), *module_files(f"attnsvm.experiments.{experiment}", stage)}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_solvers_are_an_input_of_the_svm_stage_only(experiment):
    for stage in STAGES:
        assert ("attnsvm/svm/nuclear.py" in stage_files(experiment, stage)) == (stage == "svm")


@pytest.mark.parametrize("experiment", ["trajectories", "local_convergence", "multi_token"])
def test_the_engine_is_an_input_of_the_descent_stage_only(experiment):
    for stage in STAGES:
        assert ("attnsvm/descent.py" in stage_files(experiment, stage)) == (stage == "descent")


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
    program = "import sys; from attnsvm.dependencies import module_files as f; f('attnsvm.stages'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"torch", "cvxpy", "numpy", "pandas"} & set(run.stdout.split())
