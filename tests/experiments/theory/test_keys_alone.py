"""A layer that only keys read: its growth where every multiplier is positive, and where one is zero."""

import numpy as np
import pytest
from scipy.special import lambertw

from attnsvm.experiments.beyond.induction.svm import least_multiplier
from attnsvm.svm import separation, solve
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.tape.attention import scores, softmax
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.losses import cross_entropy

# Tokens whose differences from the first one are A_1 and A_2: the second has the multiplier zero, or a positive one.
TOKENS = {"degenerate": [[1, 1], [0, 1], [0, 0]], "strict": [[1, 1], [0, 1], [1.2, 0]]}
U = {"degenerate": [1.0, 0.0], "strict": [1.0, 1.2]}


def model(weights, given):
    """A row of the layer below composes a key of its three tokens; the top compares it with the key zero."""
    key = softmax(scores(given["tokens"], weights["W1"], given["query"])) @ given["keys"]
    top = softmax(scores(given["first"] @ key, weights["W2"], given["one"]))
    return cross_entropy(given["answer"], top @ given["symbols"])


@pytest.fixture(scope="module")
def grown():
    """By name, ‖W‖ and W_1 of its query (K, 2), from zero and from a small key matrix of the top."""
    X = np.array(list(TOKENS.values()), dtype=float)
    S, steps = len(X), np.array([20, 200, 2000])

    def each(x):
        return np.broadcast_to(np.array(x, dtype=float), (S, *np.shape(x)))

    given = {"tokens": X, "query": each([[1, 0]]), "keys": each([[1], [0], [0]]), "first": each([[1], [0]])}
    given |= {"one": each([[1]]), "symbols": each(np.eye(2)), "answer": np.zeros((S, 1), dtype=int)}
    start = {"W1": np.zeros((S, 2, 2)), "W2": np.full((S, 1, 1), 0.1)}
    log = descend(model, start, given, joint(exact(1.0)), 2000, steps)
    W1, W2 = log.weights["W1"], log.weights["W2"]
    return {
        name: (np.hypot(np.linalg.norm(W1[s], axis=(1, 2)), W2[s, :, 0, 0]), W1[s, :, :, 0])
        for s, name in enumerate(TOKENS)
    }


@pytest.mark.parametrize("name", TOKENS)
def test_it_grows_like_twice_the_logarithm_along_its_svm(grown, name):
    R, W = grown[name]
    growth = (W[2] - W[1]) / np.log(R[2] / R[1])
    along = growth @ U[name] / np.dot(U[name], U[name])
    assert along == pytest.approx(2.0, rel=0.02 if name == "strict" else 0.2)


def test_with_positive_multipliers_the_rest_is_bounded(grown):
    R, W = grown["strict"]
    rest = W - 2 * np.log(R)[:, None] * U["strict"]
    assert np.linalg.norm(rest[2] - rest[1]) < 0.05
    A = np.array([[1.0, 0.0], [-0.2, 1.0]])
    np.testing.assert_allclose(A @ U["strict"], 1.0)
    assert np.linalg.solve(A.T, U["strict"]).min() > 1


def test_with_a_multiplier_that_is_zero_the_rest_grows_like_the_logarithm_of_the_logarithm(grown):
    """The second coordinate, which U does not have: log(1 + W(τ)) with τ = R²/2, 1.0 more at each factor of 100."""
    R, W = grown["degenerate"]
    predicted = np.log1p(lambertw(R**2 / 2).real)
    np.testing.assert_allclose(np.diff(W[:, 1]), np.diff(predicted), rtol=0.1)
    assert W[2, 1] - W[0, 1] > 0.7
    away = W / np.linalg.norm(W, axis=1)[:, None] @ [0.0, 1.0]
    assert (np.diff(away) < 0).all()  # the direction is U all the same


@pytest.mark.parametrize(("name", "least"), [("degenerate", 0.0), ("strict", 2 * 1.2 / 2.44)])
def test_the_least_multiplier_of_the_solution(name, least):
    """Of `strict` they are 1.24 and 1.2, which add up to ‖U‖²."""
    asked = separation(np.array([TOKENS[name]], dtype=float), np.array([[1.0, 0.0]]), np.array([0]))
    answer = solve(asked)
    np.testing.assert_allclose(answer.W[:, 0], U[name], atol=1e-9)
    assert least_multiplier(asked, answer) == pytest.approx(least, abs=1e-6)


def test_of_terms_that_depend_on_one_another_the_best_choice_counts():
    """The same token three times: any split of its multiplier is one, and the even split has the largest least part."""
    asked = separation(np.array([[[1, 1], [0, 1], [0, 1], [0, 1.0]]]), np.array([[1.0, 0.0]]), np.array([0]))
    assert least_multiplier(asked, solve(asked)) == pytest.approx(1.0)
