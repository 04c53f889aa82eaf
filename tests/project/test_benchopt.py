"""The benchmark in the layout of benchopt: every solver finds the largest margin; benchopt is not in the lock."""

import importlib.util
import sys
import types

import numpy as np
import pytest
from harness import ROOT

FOLDER = ROOT / "benchmarks/benchopt"
# Name of a file, parameters, iterations, and the share of the margin that may be lacking: what the method reaches.
SOLVERS = [
    ("attnsvm", {}, None, 1e-12),
    ("conic", {"solver": "CLARABEL"}, None, 1e-6),
    ("conic", {"solver": "SCS"}, None, 1e-3),
    ("conic", {"solver": "OSQP"}, None, 1e-3),
    ("linear_svc", {}, 10_000, 0.05),
    ("dual_ascent", {}, 2_000, 1e-3),
]


@pytest.fixture
def load(monkeypatch):
    """A function: the module of a file, with empty classes in the place of benchopt's."""
    fake = types.ModuleType("benchopt")
    for name in ("BaseObjective", "BaseDataset", "BaseSolver"):
        setattr(fake, name, type(name, (), {}))
    monkeypatch.setitem(sys.modules, "benchopt", fake)

    def read(path):
        made = importlib.util.spec_from_file_location(f"benchopt_{path.stem}", path)
        module = importlib.util.module_from_spec(made)
        made.loader.exec_module(module)
        return module

    return read


def given(load):
    dataset = load(FOLDER / "datasets/planted.py").Dataset()
    (dataset.n, dataset.T, dataset.d), dataset.seed = dataset.parameters["n, T, d"][0], 0
    objective = load(FOLDER / "objective.py").Objective()
    objective.set_data(**dataset.get_data())
    return objective


@pytest.mark.parametrize(("name", "parameters", "iterations", "lacking"), SOLVERS)
def test_a_solver_reaches_the_margin_that_is_proved(load, name, parameters, iterations, lacking):
    objective, solver = given(load), load(FOLDER / f"solvers/{name}.py").Solver()
    vars(solver).update(parameters)
    problem = objective.get_objective()
    assert not getattr(solver, "skip", lambda **_: (False, ""))(**problem)[0]
    solver.set_objective(**problem)
    solver.run(iterations)
    found = objective.evaluate_result(**solver.get_result())
    assert found["value"] <= lacking
    assert found["margin"] == pytest.approx(found["largest_margin"], rel=lacking + 1e-12)


def test_what_does_not_separate_lacks_all_of_the_margin(load):
    objective = given(load)
    assert objective.evaluate_result(**objective.get_one_result())["value"] == 1.0
    right = np.random.default_rng(0).normal(size=(10, 10))
    assert objective.evaluate_result(W=right)["value"] > 1.0


def test_every_solver_of_the_folder_is_tried():
    assert {path.stem for path in (FOLDER / "solvers").glob("*.py")} == {name for name, *_ in SOLVERS}


def test_a_head_is_read_from_a_file_of_arrays(load, tmp_path):
    rng = np.random.default_rng(0)
    tokens, queries, W = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 6)), rng.normal(size=(5, 6))
    dataset = load(FOLDER / "datasets/head.py").Dataset()
    dataset.path = None
    assert dataset.skip()[0]
    dataset.path = tmp_path / "head.npz"
    np.savez(dataset.path, tokens=tokens, queries=queries, W=W)
    chosen = dataset.get_data()["selected"]
    assert all((tokens[i] @ W @ queries[i]).argmax() == chosen[i] for i in range(3))
