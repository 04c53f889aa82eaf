"""Block pivoting on the Gram matrix: the answer of the active set, and no answer where there is none."""

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm.svm import separation, solve
from attnsvm.svm.methods.block_pivoting import Options, least_norm
from attnsvm.svm.methods.choice import ACTIVE_SET, LAGRANGIAN, PIVOTING, SIZES


def problem(n, T, d, seed=0):
    return separation(*gaussian(seed, n, T, d))


@pytest.mark.parametrize("shape", [(20, 4, 8), (10, 31, 16), (60, 6, 16), (100, 4, 16)])
@pytest.mark.parametrize("seed", range(3))
def test_it_finds_what_the_active_set_finds(shape, seed):
    c = problem(*shape, seed)
    W, dual = least_norm(c)
    other = solve(c, method=ACTIVE_SET)
    assert other.solved
    np.testing.assert_allclose(W, other.W, rtol=0, atol=1e-13 * np.linalg.norm(W))
    np.testing.assert_array_equal(np.flatnonzero(dual), np.flatnonzero(other.dual))
    np.testing.assert_allclose(c.adjoint(dual), W, rtol=0, atol=1e-12 * np.linalg.norm(W))
    assert solve(c).method == PIVOTING


def test_a_change_of_one_row_at_a_time_ends_too():
    c = problem(20, 4, 8)
    W, _ = least_norm(c, Options(ridges=(0.0,), patience=0, pivots=1000))
    np.testing.assert_allclose(W, least_norm(c)[0], rtol=0, atol=1e-13 * np.linalg.norm(W))


def test_without_an_answer_the_other_methods_go_on():
    small, large = problem(30, 4, 3), problem(60, 5, 4)
    assert least_norm(small) is None
    assert least_norm(large) is None
    assert SIZES.pivoting <= len(small) < SIZES.never_formed <= len(large) < SIZES.lagrangian
    for c, method in ((small, ACTIVE_SET), (large, LAGRANGIAN)):
        answer = solve(c)
        assert (answer.status.value, answer.method) == ("infeasible", method)


def test_a_row_of_zeros_is_left_to_others():
    rng = np.random.default_rng(0)
    tokens, queries = rng.standard_normal((20, 4, 8)), rng.standard_normal((20, 8))
    tokens[0, 1] = tokens[0, 0]
    assert least_norm(separation(tokens, queries, np.zeros(20, dtype=int))) is None


def test_pivots_that_come_to_no_end_give_no_answer():
    assert least_norm(problem(20, 4, 8), Options(pivots=1)) is None
