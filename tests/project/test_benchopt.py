"""The benchmark in the layout of benchopt: every solver finds the least norm; benchopt is not in the lock."""

import importlib.util
import sys
import types

import numpy as np
import pytest
from harness import ROOT

FOLDER = ROOT / "benchmarks/benchopt"
# Norm, name of a file, parameters, iterations, and the gap that is allowed: what the method reaches.
SOLVERS = [
    ("fro", "attnsvm", {}, None, 1e-12),
    ("fro", "conic", {"solver": "CLARABEL"}, None, 1e-6),
    ("fro", "conic", {"solver": "SCS"}, None, 1e-3),
    ("fro", "linear_svc", {}, 10_000, 0.05),
    ("fro", "dual_ascent", {}, 2_000, 1e-3),
    ("fro", "quadratic", {"solver": "daqp"}, None, 1e-11),
    ("fro", "quadratic", {"solver": "quadprog"}, None, 1e-11),
    ("fro", "quadratic", {"solver": "piqp"}, None, 1e-9),
    ("fro", "quadratic", {"solver": "proxqp"}, None, 1e-9),
    ("nuc", "attnsvm", {}, None, 1e-9),
    ("nuc", "conic", {"solver": "CLARABEL"}, None, 1e-6),
    ("nuc", "semidefinite", {"solver": "clarabel"}, None, 1e-8),
    ("nuc", "semidefinite", {"solver": "scs"}, None, 1e-7),
    ("nuc", "semidefinite", {"solver": "cvxopt"}, None, 1e-7),
]
# The packages that are not in the lock: their solvers are tried where they are installed.
PACKAGES = {"daqp": "daqp", "quadprog": "quadprog", "piqp": "piqp", "proxqp": "proxsuite", "cvxopt": "cvxopt"}


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


def given(load, norm):
    dataset = load(FOLDER / "datasets/planted.py").Dataset()
    (dataset.n, dataset.T, dataset.d), dataset.seed = dataset.parameters["n, T, d"][0], 0
    objective = load(FOLDER / "objective.py").Objective()
    objective.norm = norm
    objective.set_data(**dataset.get_data())
    return objective


@pytest.mark.parametrize(("norm", "name", "parameters", "iterations", "allowed"), SOLVERS)
def test_a_solver_reaches_the_gap_that_is_allowed(load, norm, name, parameters, iterations, allowed):
    if parameters.get("solver") in PACKAGES:
        pytest.importorskip(PACKAGES[parameters["solver"]])
    objective, solver = given(load, norm), load(FOLDER / f"solvers/{name}.py").Solver()
    vars(solver).update(parameters)
    problem = objective.get_objective()
    assert not getattr(solver, "skip", lambda **_: (False, ""))(**problem)[0]
    solver.set_objective(**problem)
    solver.run(iterations)
    found = objective.evaluate_result(**solver.get_result())
    assert 0 <= found["value"] <= allowed
    assert found["margin"] == pytest.approx(found["largest_margin"], rel=allowed + 1e-12)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_the_value_is_the_share_of_the_norm_that_is_too_much(load, norm):
    """The same W is as good at any scale; another one is worse by what its norm, at margin one, is longer."""
    objective = given(load, norm)
    c, best = objective.constraints, objective.best.W
    assert objective.evaluate_result(W=1.3 * best)["value"] == pytest.approx(0.0, abs=1e-9)
    W = best + 1e-3 * np.random.default_rng(1).normal(size=best.shape)
    sizes = [np.linalg.norm(A, norm) / c.apply(A).min() for A in (best, W)]
    assert sizes[1] > (1 + 1e-6) * sizes[0]
    assert objective.evaluate_result(W=W)["value"] == pytest.approx(1 - sizes[0] / sizes[1], rel=1e-4)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_what_does_not_separate_has_no_gap(load, norm):
    objective = given(load, norm)
    assert objective.evaluate_result(**objective.get_one_result())["value"] == 1.0
    right = np.random.default_rng(0).normal(size=(10, 10))
    assert objective.evaluate_result(W=right)["value"] == 1.0


@pytest.mark.parametrize("name", ["dual_ascent", "linear_svc", "quadratic", "semidefinite"])
def test_a_solver_of_one_norm_skips_the_other(load, name):
    problem = given(load, "fro" if name == "semidefinite" else "nuc").get_objective()
    solver = load(FOLDER / f"solvers/{name}.py").Solver()
    solver.solver = None
    assert solver.skip(**problem)[0]


def test_every_solver_of_the_folder_is_tried():
    assert {path.stem for path in (FOLDER / "solvers").glob("*.py")} == {name for _, name, *_ in SOLVERS}


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
