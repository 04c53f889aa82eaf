"""Random numbers against PyTorch's, bit for bit."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from attnsvm.data import streams
from attnsvm.data.streams import Streams, length

SEEDS = [0, 1, 7, 2**31, 2**32 - 1, 2**32 + 5, 2**62 + 3]


def torchs(seed, draws):
    generator = torch.Generator().manual_seed(seed)
    functions = {"uniform": torch.rand, "normal": torch.randn}
    return [functions[name](shape, generator=generator).numpy() for name, shape in draws]


@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_any_number_of_values(name):
    """Fewer than 16, where pairs are kept between draws; 16 and more, whole blocks of 16 and not."""
    draws = [(name, (count,)) for count in (*range(1, 50), 100, 999, 1600, 0, 1)]
    ours = Streams(SEEDS)
    drawn = [getattr(ours, name)(*shape) for name, shape in draws]
    for s, seed in enumerate(SEEDS):
        for mine, theirs in zip(drawn, torchs(seed, draws), strict=True):
            assert mine.dtype == np.float32
            assert np.array_equal(mine[s], theirs)


def test_many_values():
    """A rare rounding would show among a million."""
    for seed in range(3):
        (theirs,) = torchs(seed, [("normal", (400_000,))])
        assert np.array_equal(Streams([seed]).normal(400_000)[0], theirs)


def test_draws_in_any_order():
    generator = np.random.default_rng(0)
    for seed in range(20):
        names = generator.choice(["uniform", "normal"], size=30)
        draws = [(name, tuple(generator.integers(1, 6, size=generator.integers(1, 4)).tolist())) for name in names]
        ours = Streams([seed, seed + 1])
        for mine, theirs in zip([getattr(ours, n)(*shape) for n, shape in draws], torchs(seed, draws), strict=True):
            assert np.array_equal(mine[0], theirs)


def test_no_stream_gives_empty_arrays():
    assert Streams([]).normal(3).shape == (0, 3)
    assert Streams([]).normal(5, 7).shape == (0, 5, 7)
    assert Streams([]).uniform(2, 3).shape == (0, 2, 3)


@pytest.mark.parametrize("size", [*range(1, 40), 48, 64, 100, 127])
def test_length(size):
    x = torch.randn((500, size), generator=torch.Generator().manual_seed(size))
    assert np.array_equal(length(x.numpy()), torch.norm(x, dim=-1, keepdim=True).numpy())
    assert np.array_equal(length(x.numpy())[:20, 0], [torch.norm(row).item() for row in x[:20]])


def test_a_multiply_add_is_rounded_once():
    """Against fractions: among them sums that lie on the middle of two float32 but for a part in 2⁵³."""
    generator = np.random.default_rng(0)
    a, b, c = (generator.normal(size=3000).astype(np.float32) for _ in range(3))
    a[:2] = 1 + 2.0**-12, 1 - 2.0**-12
    b[:2], c[:2] = a[:2], [2.0**-60, -(2.0**-60)]  # a·b lies on a middle, and c says to which side
    ours = streams._multiply_add(a, b, c)
    for x, y, z, mine in zip(a.tolist(), b.tolist(), c.tolist(), ours, strict=True):
        true = Fraction(x) * Fraction(y) + Fraction(z)
        distance = abs(Fraction(float(mine)) - true)
        for neighbour in (np.nextafter(mine, np.float32(-np.inf)), np.nextafter(mine, np.float32(np.inf))):
            assert distance <= abs(Fraction(float(neighbour)) - true)
    assert (a[:2] * b[:2] + c[:2] != ours[:2]).any()  # two roundings go wrong
