"""The data are the official data: same seed, same draw order, same bits, whatever the batch."""

import numpy as np
import pytest
import torch

from attnsvm import draws
from attnsvm.draws import draw
from attnsvm.problems import Problems

FIELDS = ("tokens", "queries", "labels", "head", "seeds")
SHAPES = {  # n, T, d of the published experiments, and one more where the shape is free
    "gaussian": [(6, 8, 10), (5, 5, 1), (15, 5, 20)],
    "relu": [(3, 4, 4), (3, 4, 10)],
    "trajectories": [(2, 3, 2)],
    "hyperplanes": [(2, 5, 2)],
}
CASES = [(name, *shape) for name, shapes in SHAPES.items() for shape in shapes]


def official(name, seed, n, T, d):
    """The official draws, written out of the notebooks' table: float32 throughout, float64 at the very end."""
    g = torch.Generator().manual_seed(seed)

    def randn(*shape):
        return torch.randn(*shape, generator=g)

    def unit(x):
        return x / x.norm(dim=-1, keepdim=True)

    def signs():
        return torch.tensor([1.0 if y > 0 else -1.0 for y in randn(n)])

    if name == "gaussian":
        v = randn(d)
        head, Y, X, Z = v / v.norm(), signs(), unit(randn(n, T, d)), unit(randn(n, d))
    elif name == "relu":
        V = randn(d, d)
        head, X, Y, Z = V / V.norm(), unit(randn(n, T, d)), signs(), unit(randn(n, d))
    elif name == "trajectories":
        v = randn(d)
        head, Y, X = v / v.norm(), torch.ones(n), 0.3 * randn(n, T, d)
        X[0] += torch.tensor([-1.0, 0.0])
        X[1] += torch.tensor([1.0, 0.0])
        Z = unit(randn(n, d))
    else:
        v = randn(d)
        head, Y, X = v / v.norm(), torch.ones(n), 0.5 * randn(n, T, d)
        X[0, 0] = torch.tensor([1.0, 0.5])
        X[1, 0] = torch.tensor([1.0, -0.5])
        X[:, 1:] += torch.tensor([-1.0, 0.0])
        Z = unit(randn(n, d))
    return {"tokens": X.double(), "queries": Z.double(), "labels": Y.double(), "head": head.double()}


@pytest.mark.parametrize(("name", "n", "T", "d"), CASES)
def test_draws_are_the_official_ones_bit_for_bit(name, n, T, d):
    seeds = [0, 1, 3, 99, 12345]
    batch = draw(getattr(problems, name), seeds, n, T, d)
    assert batch.seeds.tolist() == seeds
    for k, seed in enumerate(seeds):
        for field, value in official(name, seed, n, T, d).items():
            mine = getattr(batch, field)[k]
            assert mine.dtype == np.float64
            assert mine.shape == tuple(value.shape)
            assert (mine == value.numpy()).all(), (seed, field)


LITERALS = [  # generator, seed, shape; head, tokens (0, 0) and (0, 1), query 0 (first entries each); labels
    (
        "gaussian", 7, (6, 8, 10),
        [-0.0443990156, 0.2377729267, 0.2863716185],
        [-0.0247669742, -0.0069614472, 0.0517040789],
        [0.7730579972, -0.4978131056, -0.1232357845],
        [0.1195678338, 0.1239965558, -0.4838453531],
        [1, 1, 1, 1, 1, 1],
    ),
    (
        "relu", 1, (3, 4, 4),
        [-0.4038261771, -0.1985868216, -0.1731091440],
        [-0.4534857273, -0.7552504539, 0.4551578760],
        [0.6279806495, 0.1772926897, -0.4808815718],
        [-0.1162392870, 0.6984092593, -0.2081802487],
        [1, -1, 1],
    ),
    (
        "trajectories", 1, (2, 3, 2),
        [0.9273199439, 0.3742696643],
        [-0.9814968109, 0.1863951981],
        [-1.1355718374, -0.0498390720],
        [0.8450113535, 0.5347483754],
        [1, 1],
    ),
    (
        "hyperplanes", 3, (2, 5, 2),
        [0.9771237969, 0.2126714289],
        [1.0, 0.5],
        [-0.1897246242, -0.7983540297],
        [-0.5391289592, -0.8422232270],
        [1, 1],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "seed", "shape", "head", "first", "second", "query", "labels"), LITERALS)
def test_first_draws_have_their_recorded_values(name, seed, shape, head, first, second, query, labels):
    """Catches a changed stream in torch. 1e-6: float32 draws, whose last bits may differ between processors."""
    p = draw(getattr(problems, name), [seed], *shape)
    k = len(head)
    found = p.head.ravel()[:k], p.tokens[0, 0, 0, :k], p.tokens[0, 0, 1, :k], p.queries[0, 0, :k]
    for mine, literal in zip(found, (head, first, second, query), strict=True):
        np.testing.assert_allclose(mine, literal, rtol=0, atol=1e-6)
    assert p.labels[0].tolist() == labels


def test_both_labels_are_drawn():
    labels = draw(problems.gaussian, range(200), 6, 2, 2).labels
    assert set(np.unique(labels)) == {-1.0, 1.0}
    # 1200 fair signs: five standard deviations of the mean are 0.144
    assert abs(labels.mean()) < 0.144


@pytest.mark.parametrize(("name", "n", "T", "d"), CASES)
def test_an_instance_depends_on_its_seed_alone(name, n, T, d):
    generate = getattr(problems, name)
    batch = draw(generate, [5, 4, 5, 17], n, T, d)
    alone = draw(generate, iter([17]), n, T, d)
    for field in FIELDS:
        values = getattr(batch, field)
        assert (values[3] == getattr(alone, field)[0]).all(), field
        assert (values[0] == values[2]).all(), field
    assert (batch.tokens[0] != batch.tokens[1]).any()


@pytest.mark.parametrize(("name", "n", "T", "d"), CASES)
def test_an_empty_batch_keeps_the_shapes_and_types(name, n, T, d):
    empty, one = draw(getattr(problems, name), [], n, T, d), draw(getattr(problems, name), [1], n, T, d)
    assert len(empty) == 0
    for field in FIELDS:
        a, b = getattr(empty, field), getattr(one, field)
        assert a.shape == (0, *b.shape[1:])
        assert a.dtype == b.dtype


@pytest.mark.parametrize("index", [slice(1, 3), np.array([3, 0]), np.array([True, False, True, False]), slice(0, 0)])
def test_a_slice_takes_every_field_along(index):
    batch = draw(problems.relu, [2, 4, 6, 8], 3, 4, 5)
    part = batch[index]
    expected = np.array([2, 4, 6, 8])[index].tolist()
    assert len(part) == len(expected)
    redrawn = draw(problems.relu, expected, 3, 4, 5)
    for field in FIELDS:
        assert np.array_equal(getattr(part, field), getattr(redrawn, field)), field


def test_arrays_hold_everything_and_give_the_batch_back():
    batch = draw(problems.gaussian, [3, 1], 2, 3, 4)
    arrays = batch.arrays()
    assert set(arrays) == set(FIELDS)
    again = Problems.from_arrays(arrays)
    assert all(getattr(again, f) is getattr(batch, f) for f in FIELDS)
