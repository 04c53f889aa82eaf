"""The data are the official data: same seed, same draw order, same bits, whatever the batch."""

import numpy as np
import pytest
import torch

from attnsvm.draws import draw, gaussian
from attnsvm.experiments.multi_token.problems import relu
from attnsvm.problems import Problems

FIELDS = ("tokens", "queries", "labels", "head", "seeds")
SHAPES = [(6, 8, 10), (5, 5, 1), (15, 5, 20)]  # n, T, d of the published experiments


def official(seed, n, T, d):
    """The official draws, written out of the notebooks' table: float32 throughout, float64 at the very end."""
    g = torch.Generator().manual_seed(seed)
    v = torch.randn(d, generator=g)
    Y = torch.tensor([1.0 if y > 0 else -1.0 for y in torch.randn(n, generator=g)])
    X, Z = torch.randn(n, T, d, generator=g), torch.randn(n, d, generator=g)
    X, Z = (x / x.norm(dim=-1, keepdim=True) for x in (X, Z))
    return {"tokens": X.double(), "queries": Z.double(), "labels": Y.double(), "head": (v / v.norm()).double()}


@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_draws_are_the_official_ones_bit_for_bit(n, T, d):
    seeds = [0, 1, 3, 99, 12345]
    batch = draw(gaussian, seeds, n, T, d)
    assert batch.seeds.tolist() == seeds
    for k, seed in enumerate(seeds):
        for field, value in official(seed, n, T, d).items():
            mine = getattr(batch, field)[k]
            assert mine.dtype == np.float64
            assert mine.shape == tuple(value.shape)
            assert (mine == value.numpy()).all(), (seed, field)


def test_first_draws_have_their_recorded_values():
    """Catches a changed stream in torch. 1e-6: float32 draws, whose last bits may differ between processors."""
    p = draw(gaussian, [7], 6, 8, 10)
    recorded = {
        (-0.0443990156, 0.2377729267, 0.2863716185): p.head[0],
        (-0.0247669742, -0.0069614472, 0.0517040789): p.tokens[0, 0, 0],
        (0.7730579972, -0.4978131056, -0.1232357845): p.tokens[0, 0, 1],
        (0.1195678338, 0.1239965558, -0.4838453531): p.queries[0, 0],
    }
    for literal, mine in recorded.items():
        np.testing.assert_allclose(mine[:3], literal, rtol=0, atol=1e-6)
    assert p.labels[0].tolist() == [1, 1, 1, 1, 1, 1]


def test_both_labels_are_drawn():
    labels = draw(gaussian, range(200), 6, 2, 2).labels
    assert set(np.unique(labels)) == {-1.0, 1.0}
    # 1200 fair signs: five standard deviations of the mean are 0.144
    assert abs(labels.mean()) < 0.144


@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_an_instance_depends_on_its_seed_alone(n, T, d):
    batch = draw(gaussian, [5, 4, 5, 17], n, T, d)
    alone = draw(gaussian, iter([17]), n, T, d)
    for field in FIELDS:
        values = getattr(batch, field)
        assert (values[3] == getattr(alone, field)[0]).all(), field
        assert (values[0] == values[2]).all(), field
    assert (batch.tokens[0] != batch.tokens[1]).any()


@pytest.mark.parametrize(("n", "T", "d"), SHAPES)
def test_an_empty_batch_keeps_the_shapes_and_types(n, T, d):
    empty, one = draw(gaussian, [], n, T, d), draw(gaussian, [1], n, T, d)
    assert len(empty) == 0
    for field in FIELDS:
        a, b = getattr(empty, field), getattr(one, field)
        assert a.shape == (0, *b.shape[1:])
        assert a.dtype == b.dtype


@pytest.mark.parametrize("index", [slice(1, 3), np.array([3, 0]), np.array([True, False, True, False]), slice(0, 0)])
def test_a_slice_takes_every_field_along(index):
    batch = draw(relu, [2, 4, 6, 8], 3, 4, 5)
    part = batch[index]
    expected = np.array([2, 4, 6, 8])[index].tolist()
    assert len(part) == len(expected)
    redrawn = draw(relu, expected, 3, 4, 5)
    for field in FIELDS:
        assert np.array_equal(getattr(part, field), getattr(redrawn, field)), field


def test_arrays_hold_everything_and_give_the_batch_back():
    batch = draw(gaussian, [3, 1], 2, 3, 4)
    arrays = batch.arrays()
    assert set(arrays) == set(FIELDS)
    again = Problems.from_arrays(arrays)
    assert all(getattr(again, f) is getattr(batch, f) for f in FIELDS)
