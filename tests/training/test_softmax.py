"""The softmax of arrays: NumPy and PyTorch alike, against long numbers, and its derivative against autograd."""

import mpmath
import numpy as np
import pytest
import torch
from mpmath import mp

from attnsvm.training.softmax import balanced, derivative, relative, softmax


def logits(size, shape=(3, 4, 5), shut=False):
    z = size * np.random.default_rng(0).normal(size=shape)
    if shut:
        z[np.random.default_rng(1).random(shape) < 0.4] = -np.inf
        z[..., 2] = size
    return z


@pytest.mark.parametrize("shut", [False, True])
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_numpy_and_torch_agree(size, shut):
    z = logits(size, shut=shut)
    slope = np.random.default_rng(2).normal(size=z.shape)
    ours, theirs = softmax(z), softmax(torch.from_numpy(z))
    assert np.array_equal(ours.winner, theirs.winner.numpy())
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-13)
    c, other = relative(ours, slope), relative(theirs, torch.from_numpy(slope))
    assert np.array_equal(c, other.numpy())
    np.testing.assert_allclose(balanced(ours, ours.p * c), balanced(theirs, theirs.p * other).numpy(), rtol=1e-12)


@pytest.mark.parametrize("shut", [False, True])
@pytest.mark.parametrize("size", [1.0, 30.0, 300.0])
def test_the_logarithms_keep_their_digits(size, shut):
    z = logits(size, (2, 5), shut)
    at = softmax(z)
    with mp.workdps(30 + int(3 * size)):  # margins of up to six times the size
        for row, logs, behind in zip(z, at.log, at.behind, strict=True):
            inside = row > -np.inf
            exponentials = [mp.exp(x) for x in row[inside].tolist()]
            exact = [mp.log(x / mpmath.fsum(exponentials)) for x in exponentials]
            # The winner's logarithm, too: −exp(−margin), however small.
            np.testing.assert_allclose(logs[inside], [float(x) for x in exact], rtol=1e-12, atol=1e-300)
            assert (logs[~inside] == -np.inf).all()
            assert np.array_equal(behind[inside], row[inside] - row.max())
    assert (at.p[z == -np.inf] == 0).all()


def test_the_first_of_equal_tokens_wins():
    at = softmax(np.array([[1.0, 3.0, 3.0, -np.inf], [0.0, 0.0, 0.0, 0.0]]))
    assert at.winner.tolist() == [[1], [0]]
    np.testing.assert_allclose(at.p[1], 0.25, rtol=1e-15)


def test_the_derivative_is_that_of_autograd():
    z, slope = logits(1.0), np.random.default_rng(2).normal(size=(3, 4, 5))
    made = torch.tensor(z, requires_grad=True)
    (torch.softmax(made, -1) * torch.from_numpy(slope)).sum().backward()
    at = softmax(z)
    c = relative(at, slope)
    found = balanced(at, at.p * (c - (at.p * c).sum(-1, keepdims=True)))
    np.testing.assert_allclose(found, made.grad.numpy(), rtol=1e-12, atol=1e-15)


def test_derivatives_are_balanced_in_the_winner_however_small_the_others():
    """Where the winner's own share, by the usual formula, would be what rounding leaves of one less one."""
    at = softmax(np.array([[0.0, -200.0, -300.0]]))
    assert np.array_equal(balanced(at, np.array([[7.0, 1e-87, 1e-130]])), [[-(1e-87 + 1e-130), 1e-87, 1e-130]])


@pytest.mark.parametrize("shut", [False, True])
@pytest.mark.parametrize("size", [1.0, 30.0, 1e3])
@pytest.mark.parametrize("kind", [np.asarray, torch.from_numpy])
def test_the_derivative_keeps_its_direction_and_its_size(kind, size, shut):
    z, slope = logits(size, (2, 5), shut), np.random.default_rng(2).normal(size=(2, 5))
    direction, log_factor = (np.asarray(x) for x in derivative(softmax(kind(z)), kind(slope)))
    with mp.workdps(30 + int(2 * size)):
        for row, s, ours, log in zip(z, slope.tolist(), direction, log_factor[:, 0], strict=True):
            shares = [mp.exp(x) for x in row.tolist()]
            p = [x / mpmath.fsum(shares) for x in shares]
            mean = mpmath.fdot(p, s)
            exact = [float(a * (b - mean) / mp.exp(float(log))) for a, b in zip(p, s, strict=True)]
            # a difference of logits is known to 1e-16 of their size
            np.testing.assert_allclose(ours, exact, rtol=0, atol=1e-14 + 1e-15 * size)


def test_a_token_alone_has_no_derivative():
    direction, log_factor = derivative(softmax(np.array([[0.0, -np.inf]])), np.array([[1.0, 2.0]]))
    assert (direction == 0).all()
    assert log_factor == -1e300
