"""What the solver says of a W that it found: scaled to margin one, and of which rank, with how much doubt."""

import numpy as np
import pytest

from attnsvm import geometry
from attnsvm.svm import separation, solve
from attnsvm.svm.methods.rescaling import rescaled


def two_directions(weak):
    """Two inputs that share no direction: the singular values of the Frobenius solution are 1 and `weak`."""
    tokens = np.zeros((2, 2, 2))
    tokens[0, 0, 0], tokens[1, 0, 1] = 1.0, 1.0 / weak
    return separation(tokens, np.eye(2), np.zeros(2, dtype=int))


@pytest.mark.parametrize(("weak", "ranks"), [(1e-5, (2, 2)), (1e-7, (1, 2)), (5e-9, (1, 2)), (5e-10, (1, 1))])
def test_a_rank_is_proved_as_far_as_the_solution_is_enclosed(weak, ranks):
    """Singular values below the distance to the solution are counted in the rank of W, and prove no rank."""
    solution = solve(two_directions(weak))
    assert solution.solved
    assert (solution.rank_low, solution.rank) == ranks
    assert solution.rank_bound == solution.rank
    assert weak / 10 <= solution.rank_error <= 1e-6 or solution.rank == 2


@pytest.mark.parametrize("norm", ["fro", "nuc"])
@pytest.mark.parametrize("factor", [0.7, 1.0, 3.0])
def test_a_claim_has_margin_one_and_multipliers_of_dual_norm_one(norm, factor):
    rng = np.random.default_rng(0)
    c = separation(rng.standard_normal((3, 4, 6)), rng.standard_normal((3, 6)), np.zeros(3, dtype=int))
    known, measure = solve(c, norm), geometry.get(norm)
    W, dual, gap = rescaled(c, measure, factor * known.W, 2 * factor * known.dual)
    assert c.apply(W).min() == pytest.approx(1, rel=1e-12)
    assert measure.dual(c.adjoint(dual)) == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(W, known.W, rtol=0, atol=1e-9)
    assert gap == pytest.approx(known.gap, abs=1e-9)
