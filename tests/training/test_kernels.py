"""What the kernels are handed: the Gram matrix of the x_it z_iᵀ, whole and as the product of its factors."""

import numpy as np
import pytest
import torch

from attnsvm.batch import LANES
from attnsvm.training.kernels import Gram, respond
from attnsvm.training.on_device import FullWeights


@pytest.mark.parametrize(("n", "T", "d"), [(1, 1, 1), (2, 3, 4), (3, 5, 9), (5, 4, 2)])
def test_logits_respond_to_coefficients_as_to_the_move_of_the_weights(n, T, d):
    generator = np.random.default_rng(n)
    tokens, queries, coefficients = (
        generator.normal(size=shape) for shape in ((n, T, d, LANES), (n, d, LANES), (n, T, LANES))
    )
    move = np.einsum("itl,itdl,iel->del", coefficients, tokens, queries)
    expected = np.einsum("itdl,del,iel->itl", tokens, move, queries).reshape(n * T, LANES)
    by_instance = (torch.from_numpy(np.moveaxis(x, -1, 0)) for x in (tokens, queries, np.zeros((d, d, LANES))))
    matrix = np.ascontiguousarray(FullWeights(*by_instance).gram.numpy())
    likeness = np.einsum("idl,jdl->ijl", queries, queries)
    factors = tokens, likeness, np.full((n, d, LANES), np.nan), np.full((d, LANES), np.nan)
    nothing = (np.empty((0,) * (factor.ndim - 1) + (LANES,)) for factor in factors)
    for gram in (Gram(matrix, *nothing), Gram(np.empty((0, 0, LANES)), *factors)):
        out = np.full((n * T, LANES), np.nan)
        respond(gram, coefficients, out)
        # 1e-13: sums of at most n·T·d = 135 products
        assert np.abs(out - expected).max() <= 1e-13 * np.abs(expected).max()
