"""The trajectory figure: its instance, its rows against a reading of the stored arrays."""

import numpy as np
import pytest
from by_hand import NORM

from attnsvm.data.problems import Problems
from attnsvm.experiments.paper.trajectories import measures
from attnsvm.plots.plane import from_afar
from attnsvm.svm import separation, solve
from attnsvm.system.errors import UserError

SMALL = {"problems": {"T": 4, "seed": 1}, "descent": {"steps": 30}}


def test_rows_are_the_points_of_the_plane_that_they_are_named_after(run):
    ((_, s, p, t, _),) = run.each()
    table = run.table
    X, Z, v = p["tokens"][s], p["queries"][s], p["head"][s]
    best = [max(range(4), key=lambda k, tokens=tokens: tokens[k] @ v) for tokens in X]
    tokens = table[table.kind.isin(["token", "optimal_token"])].set_index(["input", "token"])
    assert len(tokens) == 2 * 4
    for i, k in np.ndindex(2, 4):
        row = tokens.loc[(i + 1, k + 1)]
        assert (row.x, row.y) == tuple(X[i, k])
        assert row.kind == ("optimal_token" if k == best[i] else "token")
    for kind, norm in NORM.items():
        W_mm = solve(separation(X, Z, np.array(best)), norm).W
        own = table[table.parametrisation == kind].set_index(["kind", "input"])
        for i in range(2):
            curve = own.loc[("trajectory", i + 1)]
            assert curve.step.tolist() == t[kind]["steps"].tolist() == list(range(31))
            expected = [W @ Z[i] for W in t[kind]["weights"][s]]
            np.testing.assert_allclose(curve[["x", "y"]], expected, rtol=0, atol=1e-14)
            assert np.isnan(curve.angle.iloc[0])  # at the origin
            direction = W_mm @ Z[i]
            cosines = [p @ direction / np.linalg.norm(p) / np.linalg.norm(direction) for p in expected[1:]]
            # Of a solution known to 1e-5, see below: 1e-3 degrees.
            np.testing.assert_allclose(np.cos(np.radians(curve.angle[1:])), cosines, rtol=0, atol=1e-5)
            end = own.loc[[("svm_direction", i + 1)], ["x", "y"]].to_numpy()
            # A solve alone agrees to the root of its gap: 1e-7 of a solution of order one, at a hundredfold.
            np.testing.assert_allclose(end, [100 * W_mm @ Z[i]], rtol=0, atol=1e-3)
    assert set(table.kind) == {"token", "optimal_token", "trajectory", "svm_direction"}


def test_an_instance_without_a_certified_solution_is_refused_by_its_seed(run):
    _, p, t, a = run.cells[0]
    failed = a | {"KQ": a["KQ"] | {"status": np.array(["infeasible"])}}
    with pytest.raises(UserError, match=r"seed 1 has no certified solution for KQ \(infeasible\): choose another"):
        measures.measures(None, Problems.from_arrays(p), t, failed, {})


def test_from_afar_directions_stay_and_distances_become_logarithms():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20, 2)) * np.geomspace(1e-3, 1e6, 20)[:, None]
    drawn = from_afar(points)
    np.testing.assert_allclose(np.hypot(*drawn.T), np.log10(1 + np.hypot(*points.T)), rtol=1e-14)
    np.testing.assert_allclose(np.arctan2(*drawn.T), np.arctan2(*points.T), rtol=0, atol=1e-14)
    assert not from_afar(np.zeros((1, 2))).any()
