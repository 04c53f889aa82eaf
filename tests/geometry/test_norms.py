"""Norms against their definitions: duality by brute force, steepest directions, cvxpy's value and maximiser."""

import cvxpy
import numpy as np
import pytest
from harness import run_python

from attnsvm import geometry
from attnsvm.geometry import get
from attnsvm.svm import checker
from attnsvm.svm.enclosures import Matrix

NAMES = (*geometry.NAMES, "l1.75", "l3")
RNG = np.random.default_rng(0)
MATRICES = [RNG.normal(size=shape) for shape in ((3, 4), (4, 3), (1, 5), (2, 2))]


@pytest.mark.parametrize("name", NAMES)
def test_holder_inequality_and_its_equality_at_the_steepest_direction(name):
    norm = get(name)
    for M in MATRICES:
        best = norm.steepest(M)
        assert np.isclose(norm.value(best), 1.0, rtol=1e-12)
        assert np.isclose((M * best).sum(), norm.dual(M), rtol=1e-12)
        for _ in range(200):
            W = RNG.normal(size=M.shape)
            assert (M * W).sum() <= norm.dual(M) * norm.value(W) * (1 + 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_steepest_direction_is_what_a_conic_solver_finds_in_the_ball(name):
    norm = get(name)
    for M in MATRICES:
        W = cvxpy.Variable(M.shape)
        problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(cvxpy.multiply(M, W))), [norm.expression(cvxpy, W) <= 1])
        accuracy = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)
        best = problem.solve(solver=cvxpy.CLARABEL, **accuracy)
        assert np.isclose(best, norm.dual(M), rtol=1e-7)
        assert np.isclose((M * norm.steepest(M)).sum(), best, rtol=1e-7)
        np.testing.assert_allclose(norm.steepest(M), W.value, atol=1e-4)  # the square root of what the values agree to


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_defines_the_same_norm_and_the_same_dual(name):
    norm = get(name)
    for M in MATRICES:
        for value, bound in ((norm.value(M), name), (norm.dual(M), checker.dual_of(name))):
            above = Matrix(M).norm(bound)
            assert value * (1 - 1e-15) <= above <= value * (1 + 1e-12)


def test_row_by_row_every_row_is_divided_by_its_length_whatever_its_size():
    M = np.array([[3e200, 4e200], [0.0, 0.0], [-5e-200, 12e-200]])
    np.testing.assert_allclose(get("rowmax").steepest(M), [[0.6, 0.8], [0, 0], [-5 / 13, 12 / 13]], rtol=1e-15)
    longest = get("rowsum").steepest(np.array([[3.0, 0.0], [0.0, 0.0], [3.0, 4.0]]))
    np.testing.assert_allclose(longest, [[0, 0], [0, 0], [0.6, 0.8]], rtol=1e-15)


def test_the_hybrid_norm_takes_the_last_column_apart():
    M = np.array([[3.0, 0.0, -7.0], [0.0, 4.0, 1.0]])
    norm = get("hybrid")
    assert norm.value(M) == 7.0
    assert norm.value(M * [1, 1, 0.1]) == 4.0
    assert norm.dual(M) == 3.0 + 4.0 + 7.0 + 1.0
    np.testing.assert_allclose(norm.steepest(M), [[1, 0, -1], [0, 1, 1]], atol=1e-15)
    assert norm.value(M[:, -1:]) == 7.0
    np.testing.assert_array_equal(norm.steepest(M[:, -1:]), [[-1], [1]])


@pytest.mark.parametrize("name", [name for name in NAMES if get(name).block_power])
def test_the_norm_of_a_block_diagonal_matrix_is_the_p_norm_of_those_of_its_blocks(name):
    norm = get(name)
    whole, row, column = np.zeros((13, 20)), 0, 0
    values = []
    for block in (*MATRICES[:3], 3 * MATRICES[1], 0 * MATRICES[2]):
        d, e = block.shape
        whole[row : row + d, column : column + e] = block
        row, column = row + d, column + e
        values.append(norm.value(block))
    assert np.isclose(norm.value(whole), np.linalg.norm(values, norm.block_power), rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_value_and_dual_take_batches(name):
    norm = get(name)
    batch = RNG.normal(size=(2, 5, 3, 4))
    for function in (norm.value, norm.dual):
        single = [[function(M) for M in row] for row in batch]
        assert np.allclose(function(batch), single, rtol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_unitarily_invariant_norms_are_and_the_others_are_not(name):
    norm, rng = get(name), np.random.default_rng(1)  # RNG has been used by another number of tests before
    Q, R = (np.linalg.qr(rng.normal(size=(size, size)))[0] for size in (3, 4))
    M = MATRICES[0] * [1, 1, 1, 9]  # the hybrid norm sees the rows of the last column alone
    for turned, invariant in ((Q @ M, norm.unitarily_invariant), (M @ R, norm.right_invariant)):
        apart = abs(norm.value(turned) / norm.value(M) - 1)
        assert apart < 1e-12 if invariant else apart > 1e-3


@pytest.mark.parametrize("name", ["frobenius", "l", "lp", "base", "__init__", None, ["fro"]])
def test_an_unknown_norm_is_refused_with_the_names_of_those_there_are(name):
    names = r"fro, hybrid, l1, linf, nuc, rowmax, rowsum, spectral, or l<p> with a number p, as in l1\.75"
    with pytest.raises(ValueError, match=f"norm: expected one of {names}, got "):
        get(name)


@pytest.mark.parametrize("name", ["l1.0", "l0.5", "l101"])
def test_a_p_out_of_range_is_refused(name):
    with pytest.raises(ValueError, match=r"norm: expected p of l<p> from 1\.01 to 100, got "):
        get(name)


PROGRAM = """
import sys
import numpy as np
for name in sys.argv[1:]:
    from attnsvm import geometry
    norm = geometry.get(name)
    norm.value(np.eye(3)), norm.dual(np.eye(3)), norm.steepest(np.eye(3))
    ours = [name for name in sys.modules if name.startswith("attnsvm")]
    print(*(name for name in ours if name.startswith("attnsvm.geometry.")), "numba" in sys.modules)
    for name in ours:
        del sys.modules[name]
"""


def test_a_norm_brings_its_own_file_alone_and_its_values_no_compiler():
    """Import for real, in a fresh interpreter: what a job depends on is what it imports."""
    files = [*geometry.NAMES, "lp", "lp"]
    assert run_python(PROGRAM, *NAMES).splitlines() == [f"attnsvm.geometry.{file} False" for file in files]
