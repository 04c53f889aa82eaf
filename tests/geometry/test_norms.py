"""Norms against their definitions: duality by brute force, steepest directions, cvxpy's own value."""

import cvxpy
import numpy as np
import pytest

from attnsvm.geometry import get

NAMES = ["fro", "nuc", "spectral", "l1", "linf", "l1.75", "l3"]
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
def test_value_is_the_value_of_the_cvxpy_expression(name):
    norm = get(name)
    for M in MATRICES:
        W = cvxpy.Variable(M.shape)
        W.value = M
        assert np.isclose(norm.value(M), norm.expression(W).value, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_value_and_dual_take_batches(name):
    norm = get(name)
    batch = RNG.normal(size=(2, 5, 3, 4))
    for function in (norm.value, norm.dual):
        single = [[function(M) for M in row] for row in batch]
        assert np.allclose(function(batch), single, rtol=1e-13)


@pytest.mark.parametrize("name", ["fro", "nuc", "spectral"])
def test_unitarily_invariant_norms_are(name):
    norm, Q = get(name), np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    assert norm.unitarily_invariant
    assert np.isclose(norm.value(Q @ MATRICES[0]), norm.value(MATRICES[0]), rtol=1e-12)


def test_entrywise_norms_are_not_unitarily_invariant():
    assert not any(get(name).unitarily_invariant for name in ("l1", "linf", "l3"))


@pytest.mark.parametrize("name", ["frobenius", "l", "l1.0", "l0.5", "lx", "linfinity", "", None, 2])
def test_an_unknown_norm_is_refused(name):
    with pytest.raises(ValueError, match=r"norm: expected one of fro, nuc, spectral, l1, linf or 'l<p>'"):
        get(name)
