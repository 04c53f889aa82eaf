"""The steepest direction of the compiled loops: against that of arrays, and where terms differ beyond floats."""

import numpy as np
import pytest
from numba import njit

from attnsvm import geometry
from attnsvm.batch import LANES
from attnsvm.batch.arithmetic import OPTIONS
from attnsvm.batch.slopes import memory_of, sloping
from attnsvm.training.optimisers.steepest import compiled, steepest_direction

NAMES = (*geometry.NAMES, "l1.75", "l3")


@njit(**OPTIONS)
def descended(norm, slope, memory):
    steepest_direction(norm, slope, memory)
    return memory.direction


def directions(name, left, right, logs):
    """(LANES, d, e) for the gradients Σ_i exp(logs_i) left_i right_iᵀ."""
    slope = sloping(left, right, logs)
    return np.moveaxis(descended(compiled(geometry.get(name)), slope, memory_of(slope, 0, 0)), -1, 0)


def terms(n, d, e, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d, LANES)), rng.normal(size=(n, e, LANES)), rng.normal(size=(n, LANES))


def sums(left, right, logs):
    return np.einsum("ial,ibl,il->lab", left, right, np.exp(logs))


@pytest.mark.parametrize("shape", [(3, 5, 4), (6, 3, 5), (1, 2, 7), (4, 1, 3)])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_that_of_the_matrix(name, shape):
    given = terms(*shape)
    steepest = geometry.get(name).steepest
    expected = np.array([steepest(matrix) for matrix in sums(*given)])
    # 1e-8: the smallest singular values are down to 1e-4 of the largest
    np.testing.assert_allclose(directions(name, *given), expected, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_the_size_of_the_gradient_does_not_count(name):
    left, right, logs = terms(3, 5, 4)
    near = directions(name, left, right, logs)
    for far in (-5000.0, 5000.0):
        # 1e-11: a logarithm near 5000 has a rounding error of 1e-12
        np.testing.assert_allclose(directions(name, left, right, logs + far), near, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_gradient_there_is_no_direction(name):
    left, right, logs = terms(3, 5, 4)
    for given in ((0 * left, right, logs), (left, 0 * right, logs)):
        assert not directions(name, *given).any()


def test_a_row_counts_fully_however_small_it_is_beside_others():
    """Row 3 has terms of exp(−2000) at most, row 4 of exp(−5000); inputs without a query have no part."""
    left, right, _ = terms(4, 5, 3)
    left[0, 3:], left[1, 4] = 0.0, 0.0
    logs = np.repeat([[-100.0], [-2000.0], [-5000.0], [0.0]], LANES, axis=1)
    right[3] = 0.0
    S = directions("rowmax", left, right, logs)
    np.testing.assert_allclose(np.linalg.norm(S, axis=2), 1.0, rtol=1e-14)
    for row, term in ((0, 0), (1, 0), (2, 0), (3, 1), (4, 2)):
        alone = np.sign(left[term, row])[:, None] * (right[term] / np.linalg.norm(right[term], axis=0)).T
        np.testing.assert_allclose(S[:, row], alone, atol=1e-14)


def test_within_a_row_terms_add_up_in_its_own_unit():
    left, right, logs = terms(4, 5, 3)
    left[0, 2:] = 0.0
    logs[0] += 3000.0
    below = sums(left[1:], right[1:], logs[1:])[:, 2:]
    S = directions("rowmax", left, right, logs)
    np.testing.assert_allclose(S[:, 2:], below / np.linalg.norm(below, axis=2, keepdims=True), atol=1e-13)


def test_the_longest_row_alone_moves():
    left, right, logs = terms(3, 5, 4)
    S, lengths = directions("rowsum", left, right, logs - 4000.0), np.linalg.norm(sums(left, right, logs), axis=2)
    assert ((np.abs(S) > 0).any(2) == (lengths == lengths.max(1, keepdims=True))).all()
