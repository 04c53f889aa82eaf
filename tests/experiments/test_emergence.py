"""The gradient by look-up, its mean over names, the laws of the time, and the top's SVM without names."""

from itertools import permutations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from attnsvm.data.copying import embedded
from attnsvm.experiments.beyond.induction.model import given, model
from attnsvm.experiments.beyond.induction.task import carried, every_input, first_place
from attnsvm.experiments.literature.emergence.descent import emerge
from attnsvm.experiments.literature.emergence.measures import law
from attnsvm.experiments.literature.emergence_layers.svm import below, top
from attnsvm.svm.constraints import separation
from attnsvm.svm.solver import solve
from attnsvm.training.stack.lookup import averaged, drawn, forces
from attnsvm.training.tape.descent import gradient
from attnsvm.training.tape.node import Node

N = 5
SETTINGS = {"step": 0.05, "inputs": 12, "limit": 3000}


def weights(seed=0, size=0.3):
    return size * np.random.default_rng(seed).normal(size=(2, 3 * N - 2, 3 * N - 2))


def test_the_gradient_by_look_up_is_that_of_the_tape():
    W, symbols = weights(), drawn(np.random.default_rng(1), N, 2 * (N - 2))
    W[0, 2 * N - 1 :] = W[0, :, 2 * N - 1 :] = 0.0  # nothing reads these
    nodes = {name: Node(of[None], weight=True) for name, of in zip(("W1", "W2"), W, strict=True)}
    inputs = {name: Node(x) for name, x in given(embedded(symbols)[None]).items()}
    terms = gradient(model(N, 1.0)(nodes, inputs), nodes)
    for name, of in zip(nodes, forces(W, symbols)[1], strict=True):
        few = terms[name].few()
        found = np.einsum("sr,sri,srj->sij", np.exp(few.logs), few.left, few.right)[0]
        np.testing.assert_allclose(-of, found, atol=1e-15)


def test_averages_are_over_all_names_and_stay_so():
    W, C, total = weights(), N - 1, 0.0
    for names in permutations(range(C)):
        order = np.concatenate([names, np.arange(C, C + N), C + N + np.array(names)])
        total = total + W[:, order[:, None], order] / 24
    np.testing.assert_allclose(averaged(W, N), total, atol=1e-15)
    every = every_input(N).reshape(N - 2, -1, N).swapaxes(0, 1).reshape(-1, N)  # input k repeats its symbol k
    whole = forces(total, every)
    few = forces(total, drawn(np.random.default_rng(0), N, N - 2))
    assert whole[0] == pytest.approx(few[0])
    np.testing.assert_allclose(whole[1], averaged(few[1], N), atol=1e-15)


def test_the_law_is_the_time_until_half_of_the_rows_have_formed():
    length, half = 40.0, 20.0
    found = solve_ivp(
        lambda _, y: [y[1], (y[0] + np.log(length)) / length],
        (0, 1e3),
        [0.0, 0.0],
        events=[lambda _, y: y[0] - half],
        rtol=1e-10,
        atol=1e-10,
    )
    assert length**2 * found.t_events[0][0] == pytest.approx(law(length, "random"), rel=1e-6)


def test_the_gradient_at_an_even_top_is_that_of_which_the_law_is_made():
    length, q = 48, 24
    W, symbols = np.zeros((2, 142, 142)), drawn(np.random.default_rng(0), length, 46)
    line = 95 + np.arange(47), np.arange(47)  # equal symbols
    given = averaged(forces(W, symbols, given=True)[1][1], length)[line]
    np.testing.assert_allclose(given * length**2, 1.0, atol=0.01)
    W[1][line] = 1.0
    below = forces(W, symbols)[1][0, 47 + q - 2, 47 + q - 1]  # row q, counted from 1, towards the place before
    assert below * length**2 == pytest.approx((1 - 1 / q) / q, rel=0.1)


def test_times_follow_the_rates_and_the_given_layer_its_law():
    symbols, W = drawn(np.random.default_rng(0), 12, 10), np.zeros((2, 34, 34))
    run = {"mean": True, "generator": np.random.default_rng(0), "settings": SETTINGS}
    once = emerge(symbols, W, **run)
    both = emerge(symbols, W, rates=(0.5, 0.5), **run)
    assert both["time"] == pytest.approx(4 * once["time"], rel=0.02)
    assert emerge(symbols, W, given=True, **run)["time"] == pytest.approx(law(12, "below given"), rel=0.15)
    assert np.isnan(emerge(symbols, W, **run | {"settings": SETTINGS | {"limit": 3}})["time"])


def test_the_top_without_names_has_the_norm_of_the_svm_of_all_inputs():
    X = embedded(every_input(N))
    P = np.eye(N)[np.maximum(np.arange(N) - 1, 0)]
    Y = X + P @ (X @ carried(N))
    whole, few = solve(separation(Y, Y[:, -1], first_place(X) + 1)), solve(top(N))
    assert whole.solved
    assert few.solved
    assert np.square(few.W).sum() == pytest.approx(np.square(whole.W).sum(), rel=1e-9)
    assert np.square(solve(below(N)).W).sum() == pytest.approx(sum((q - 1) / q for q in range(2, N + 1)))
