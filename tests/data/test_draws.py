"""The draws are the official draws: same seed, same order, same bits, whatever the batch."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from batches import FIELDS, check_batches

from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw, draw_cell, gaussian, signs
from attnsvm.experiments.own.positional.problems import added, encoded
from attnsvm.experiments.paper.hyperplanes.problems import one_token_apart
from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.experiments.paper.norm_growth.problems import contradicting, equal_scores
from attnsvm.experiments.paper.penalised_head.problems import orthonormal
from attnsvm.experiments.paper.trajectories.problems import two_clouds

# n, T, d of the published experiments, and small ones.
OFFICIAL = {
    gaussian: [(6, 8, 10), (5, 5, 1), (15, 5, 20)],
    relu: [(3, 4, 4), (3, 4, 10)],
    two_clouds: [(2, 3, 2)],
    one_token_apart: [(2, 5, 2)],
}
OURS = {
    encoded: [(6, 8, 10), (2, 3, 5)],
    added: [(6, 8, 10), (2, 3, 5)],
    orthonormal: [(1, 10, 10), (3, 2, 2), (2, 1, 1)],
    equal_scores: [(4, 4, 24), (2, 5, 3), (3, 1, 2)],
    contradicting: [(4, 4, 24), (3, 3, 4), (1, 2, 2)],
}


def cases(shapes):
    return [pytest.param(one, *shape, id=f"{one.__name__}-{shape}") for one in shapes for shape in shapes[one]]


def official(draw_one, g, n, T, d):
    """One instance as a notebook makes it: float32 tensors by field."""
    v = torch.randn((d, d) if draw_one is relu else d, generator=g)
    if draw_one is gaussian:  # the labels come before the tokens
        Y = torch.randn(n, generator=g)
    X = torch.randn(n, T, d, generator=g)
    if draw_one is relu:
        Y = torch.randn(n, generator=g)
    if draw_one is two_clouds:
        X = 0.3 * X + torch.tensor([[[-1.0, 0.0]], [[1.0, 0.0]]])
    elif draw_one is one_token_apart:
        X = 0.5 * X + torch.tensor([-1.0, 0.0])
        X[:, 0] = torch.tensor([[1.0, 0.5], [1.0, -0.5]])
    else:
        X = X / X.norm(dim=-1, keepdim=True)
    Z = torch.randn(n, d, generator=g)
    labels = torch.where(Y > 0, 1.0, -1.0) if draw_one in (gaussian, relu) else torch.ones(n)
    return {"tokens": X, "queries": Z / Z.norm(dim=-1, keepdim=True), "labels": labels, "head": v / v.norm()}


@pytest.mark.parametrize(("draw_one", "n", "T", "d"), cases(OFFICIAL | OURS))
def test_draws_have_their_shapes_types_and_lengths_and_depend_on_their_seed_alone(draw_one, n, T, d):
    check_batches(lambda seeds: draw(draw_one, iter(seeds), n, T, d), n, T, d)
    batch = draw(draw_one, range(4), n, T, d)
    # To float32, in which they are drawn.
    assert np.allclose(np.linalg.norm(batch.queries, axis=-1), 1, rtol=0, atol=1e-6)
    assert np.allclose(np.linalg.norm(batch.head.reshape(4, -1), axis=-1), 1, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("draw_one", "n", "T", "d"), cases(OFFICIAL))
def test_draws_are_the_official_ones_bit_for_bit(draw_one, n, T, d):
    seeds = [0, 1, 3, 99, 12345]
    batch = draw(draw_one, seeds, n, T, d)
    assert batch.seeds.tolist() == seeds
    for k, seed in enumerate(seeds):
        for field, value in official(draw_one, torch.Generator().manual_seed(seed), n, T, d).items():
            mine = getattr(batch, field)[k]
            assert mine.dtype == np.float64
            assert mine.shape == tuple(value.shape)
            assert (mine == value.double().numpy()).all(), (seed, field)


def test_a_label_is_the_sign_of_what_is_drawn():
    drawn = SimpleNamespace(normal=lambda count: np.array([[-1.0, -1e-7, 0.0, 1e-7, 1.0]], dtype=np.float32))
    assert signs(drawn, 5).tolist() == [[-1.0, -1.0, -1.0, 1.0, 1.0]]


def test_a_cell_is_drawn_at_its_shape_and_seeds():
    mine = draw_cell(gaussian, Cell(2, 3, 4, (7, 5)))
    expected = draw(gaussian, [7, 5], 2, 3, 4)
    assert all(np.array_equal(getattr(mine, field), getattr(expected, field)) for field in FIELDS)


def test_arrays_lie_in_the_order_of_their_axes():
    """BLAS rounds by the layout, and a file keeps it: few numbers are drawn column by column, many row by row."""
    for shape in ((1, 2, 3), (1, 10, 10), (6, 8, 20)):
        p = draw(gaussian, range(5), *shape)
        assert all(array.flags.c_contiguous for array in p.arrays().values())
