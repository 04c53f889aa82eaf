"""The draws are the official draws: same seed, same order, same bits, whatever the batch."""

import numpy as np
import pytest
import torch
from batches import FIELDS, check_batches

from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw, draw_cell, gaussian

SHAPES = [(6, 8, 10), (5, 5, 1), (15, 5, 20)]  # n, T, d of the published experiments


def check_draws(draw_one, n, T, d):
    """The same of a draw, whose queries and head have length one."""
    check_batches(lambda seeds: draw(draw_one, iter(seeds), n, T, d), n, T, d)
    batch = draw(draw_one, range(4), n, T, d)
    # To float32, in which they are drawn.
    assert np.allclose(np.linalg.norm(batch.queries, axis=-1), 1, rtol=0, atol=1e-6)
    assert np.allclose(np.linalg.norm(batch.head.reshape(4, -1), axis=-1), 1, rtol=0, atol=1e-6)


def check_official_draws(draw_one, official, n, T, d):
    """The draws are those of `official(generator, n, T, d)`: float32 tensors by field, as a notebook makes them."""
    seeds = [0, 1, 3, 99, 12345]
    batch = draw(draw_one, seeds, n, T, d)
    assert batch.seeds.tolist() == seeds
    for k, seed in enumerate(seeds):
        for field, value in official(torch.Generator().manual_seed(seed), n, T, d).items():
            mine = getattr(batch, field)[k]
            assert mine.dtype == np.float64
            assert mine.shape == tuple(value.shape)
            assert (mine == value.double().numpy()).all(), (seed, field)


def check_recorded_draws(p, head, first, second, query, labels):
    """One instance has these first entries of its head, its tokens (0, 0) and (0, 1) and its query 0; and these labels.

    Catches a changed stream in torch. 1e-6: float32 draws, whose last bits may differ between processors.
    """
    k = len(head)
    found = p.head.ravel()[:k], p.tokens[0, 0, 0, :k], p.tokens[0, 0, 1, :k], p.queries[0, 0, :k]
    for mine, literal in zip(found, (head, first, second, query), strict=True):
        np.testing.assert_allclose(mine, literal, rtol=0, atol=1e-6)
    assert p.labels[0].tolist() == labels


def official(g, n, T, d):
    v = torch.randn(d, generator=g)
    Y = torch.tensor([1.0 if y > 0 else -1.0 for y in torch.randn(n, generator=g)])
    X, Z = torch.randn(n, T, d, generator=g), torch.randn(n, d, generator=g)
    X, Z = (x / x.norm(dim=-1, keepdim=True) for x in (X, Z))
    return {"tokens": X, "queries": Z, "labels": Y, "head": v / v.norm()}


@pytest.mark.parametrize("shape", SHAPES)
def test_draws_have_their_shapes_types_and_lengths_and_depend_on_their_seed_alone(shape):
    check_draws(gaussian, *shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_draws_are_the_official_ones_bit_for_bit(shape):
    check_official_draws(gaussian, official, *shape)


def test_first_draws_have_their_recorded_values():
    check_recorded_draws(
        draw(gaussian, [7], 6, 8, 10),
        head=[-0.0443990156, 0.2377729267, 0.2863716185],
        first=[-0.0247669742, -0.0069614472, 0.0517040789],
        second=[0.7730579972, -0.4978131056, -0.1232357845],
        query=[0.1195678338, 0.1239965558, -0.4838453531],
        labels=[1, 1, 1, 1, 1, 1],
    )


def test_both_labels_are_drawn():
    labels = draw(gaussian, range(200), 6, 2, 2).labels
    assert set(np.unique(labels)) == {-1.0, 1.0}
    # 1200 fair signs: five standard deviations of the mean are 0.144
    assert abs(labels.mean()) < 0.144


def test_a_cell_is_drawn_at_its_shape_and_seeds():
    mine = draw_cell(gaussian, Cell(2, 3, 4, (7, 5)))
    expected = draw(gaussian, [7, 5], 2, 3, 4)
    assert all(np.array_equal(getattr(mine, field), getattr(expected, field)) for field in FIELDS)


def test_arrays_lie_in_the_order_of_their_axes():
    """BLAS rounds by the layout, and a file keeps it: few numbers are drawn column by column, many row by row."""
    for shape in ((1, 2, 3), (1, 10, 10), (6, 8, 20)):
        p = draw(gaussian, range(5), *shape)
        assert all(array.flags.c_contiguous for array in p.arrays().values())
