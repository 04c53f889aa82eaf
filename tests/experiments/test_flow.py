"""Flow on factors: starts aligned with a solution, diagonal factors against derivatives, what a decade leaves."""

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.literature.flow.descent import FAINT, aligned
from attnsvm.experiments.literature.flow.diagonal import as_vector, flow, probabilities
from attnsvm.experiments.literature.flow.measures import over_a_decade


@pytest.fixture(scope="module")
def problems():
    return draw(gaussian, range(3), 2, 3, 5)


def logits(problems, w):
    return np.einsum("sntd,sd,snd->snt", problems.tokens, w, problems.queries)


def loss(problems, w):
    shares = np.exp(logits(problems, w))
    p = shares / shares.sum(-1, keepdims=True)
    values = problems.labels[..., None] * np.einsum("sntd,sd->snt", problems.tokens, problems.head)
    return np.log1p(np.exp(-(p * values).sum(-1))).mean(-1)


def test_a_diagonal_layer_is_that_of_a_vector(problems):
    w = np.random.default_rng(0).normal(size=(3, 5))
    W = np.zeros((3, 5, 5))
    W[:, :, 0] = w
    vectors = as_vector(problems)
    found = np.einsum("sntd,sde,sne->snt", vectors.tokens, W, vectors.queries)
    np.testing.assert_allclose(found, logits(problems, w), atol=1e-6)
    shares = np.exp(logits(problems, w))
    np.testing.assert_allclose(probabilities(problems, w), shares / shares.sum(-1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_a_step_goes_along_the_gradient_of_the_factors_and_is_as_long_as_it_says(problems, count):
    factors = tuple(np.random.default_rng(1).normal(size=(count, 3, 5)))
    slopes = np.zeros((count, 3, 5))
    for f, k in np.ndindex(count, 5):
        moved = [x.copy() for x in factors], [x.copy() for x in factors]
        moved[0][f][:, k] += 1e-5
        moved[1][f][:, k] -= 1e-5
        up, down = (loss(problems, np.prod(x, axis=0)) for x in moved)
        slopes[f, :, k] = (up - down) / 2e-5
    size = np.sqrt((slopes**2).sum((0, 2)))[:, None]
    if count == 2:
        size = size * np.sqrt(sum((x**2).sum(1, keepdims=True) for x in factors))
    expected = np.prod([x - 0.01 / size * s for x, s in zip(factors, slopes, strict=True)], axis=0)
    found = flow(problems, factors, 0.01, np.array([0, 1]))
    np.testing.assert_array_equal(found[:, 0], np.prod(factors, axis=0))
    np.testing.assert_allclose(found[:, 1], expected, atol=1e-6)


def test_diagonal_steps_go_on_where_probabilities_underflow(problems):
    w = flow(problems, tuple(np.random.default_rng(2).normal(size=(2, 3, 5))), 20.0, np.array([1000, 2000]))
    assert (np.abs(w[:, 1]).sum(1) > 1.5 * np.abs(w[:, 0]).sum(1)).all()
    assert (np.sort(probabilities(problems, w[:, 1]), axis=-1)[..., :-1] == 0.0).any()


def test_an_aligned_start_has_the_singular_spaces_of_the_solution_the_size_of_k_and_not_its_direction():
    rng = np.random.default_rng(3)
    W = rng.normal(size=(2, 5, 2)) @ rng.normal(size=(2, 2, 5))
    K, Q = rng.normal(size=(2, 2, 5, 5))
    left, right = aligned({"status": np.array(["solved", "failed"]), "W": W}, K, Q)
    np.testing.assert_array_equal(left[1], K[1])
    np.testing.assert_array_equal(right[1], Q[1])
    assert np.linalg.norm(left[0]) == pytest.approx(np.linalg.norm(K[0]))
    U, values, Vt = np.linalg.svd(W[0])
    middle = U.T @ left[0] @ right[0].T @ Vt.T
    np.testing.assert_allclose(middle, np.diag(np.diag(middle)), atol=1e-12)
    np.testing.assert_allclose(np.diag(middle) / middle[0, 0], [1, 1, FAINT**2, FAINT**2, FAINT**2], atol=1e-12)
    assert values[1] < 0.95 * values[0]


def test_over_a_decade_compares_with_a_tenth_of_the_steps():
    steps = np.array([1, 10, 100, 1000])
    found = over_a_decade(1.0 / steps[None], steps)
    assert np.isnan(found[0, 0])
    np.testing.assert_allclose(found[0, 1:], 0.1)
