"""Token selection on flipped labels: coordinates against vectors, gradients, new inputs against drawn ones."""

import numpy as np
from by_hand import descended
from running import Quiet, smoke_settings

from attnsvm.analysis.probabilities import softmax
from attnsvm.data.bartlett import lower
from attnsvm.data.cells import Cell
from attnsvm.experiments.literature.benign_selection import problems as drawing
from attnsvm.experiments.literature.benign_selection.descent import descend, descent
from attnsvm.experiments.literature.benign_selection.layer import classes, with_signals
from attnsvm.experiments.literature.benign_selection.measures import (
    correct,
    measures,
    on_new,
    on_training,
    since_fitted,
)


def small(n=4, T=3, d=30, seeds=(0, 1)):
    return drawing.problems(Cell(n, T, d, seeds), {"flips": 0.5})


def test_the_factor_of_an_lq_decomposition_is_drawn_as_it_is_distributed():
    stream = np.random.default_rng(0)
    own = np.array([lower(stream, 3, 9) for _ in range(4000)])
    vectors = stream.normal(size=(4000, 3, 9))
    grams = [M @ M.swapaxes(1, 2) for M in (own, vectors)]
    for moment in (np.mean, np.std):
        np.testing.assert_allclose(*(moment(G, axis=0) for G in grams), atol=0.25)


def test_signals_are_where_the_code_puts_them():
    tokens = with_signals(np.zeros((2, 3, 4)), np.array([1.0, -1.0]), 10.0, 0.1)
    np.testing.assert_array_equal(tokens[0, :, :2], [[10, 0], [1, 0], [0, 1]])
    np.testing.assert_array_equal(tokens[1, :, :2], [[0, 10], [0, 1], [1, 0]])


def test_flips_are_the_first_inputs_of_each_class():
    problems = small(n=8)
    np.testing.assert_array_equal(problems.labels[0], [-1, -1, 1, 1, 1, 1, -1, -1])
    np.testing.assert_array_equal(classes(8), [1, 1, 1, 1, -1, -1, -1, -1])


def test_steps_follow_the_gradient_of_the_logistic_loss():
    problems = small()
    tokens = with_signals(problems.tokens[0], classes(4), 2.0, 0.1)
    values, labels, k = tokens @ problems.head[0], problems.labels[0], tokens.shape[-1]
    start = np.random.default_rng(1).normal(size=(k, k)) / k

    def loss(W, p):
        return np.log1p(np.exp(-labels * (softmax(tokens @ (W @ p)) * values).sum(1))).mean()

    W, p = descended(loss, (start, np.zeros(k)), 0.5)
    (first, (u, q)) = descend(tokens, values, labels, start, 0.5, [0, 2])
    assert not first[0].any()
    np.testing.assert_allclose(u, W @ p, atol=1e-8)
    np.testing.assert_allclose(q, p, atol=1e-8)


def test_descent_in_coordinates_is_descent_on_the_vectors():
    """W₀ and tokens of 40 numbers, in orthonormal bases of the tokens and of W₀ᵀ times the tokens."""
    stream = np.random.default_rng(2)
    tokens, W = stream.normal(size=(4, 3, 40)), stream.normal(size=(40, 40)) / 10
    labels, values = np.array([1.0, 1, -1, -1]), stream.normal(size=(4, 3))
    P = np.linalg.qr(tokens.reshape(12, 40).T)[0]
    R = np.linalg.qr(W.T @ P)[0]
    (wide,) = descend(tokens, values, labels, W, 0.3, [30])
    (narrow,) = descend(tokens @ P, values, labels, P.T @ W @ R, 0.3, [30])
    np.testing.assert_allclose(narrow[0], P.T @ wide[0], atol=1e-10)
    np.testing.assert_allclose(R @ narrow[1], wide[1], atol=1e-10)


def test_new_inputs_are_taken_for_what_drawn_vectors_would_be():
    """The same layer on vectors of d numbers, many first W: of W p, what lies outside the span is normal."""
    d, k, count, stream = 25, 8, 40_000, np.random.default_rng(3)
    u, p = stream.normal(size=k), 4 * stream.normal(size=k)
    found = on_new(np.random.default_rng(4), count, Cell(2, 3, d, (0,)), u[None], p[None], 3.0, 0.1)
    true, head = classes(count), np.append([1, -1], np.zeros(d - 2)) / np.sqrt(2) / 3.0
    tokens = with_signals(stream.normal(size=(count, 3, d)), true, 3.0, 0.1)
    outside = stream.normal(size=(200, d - k)) * np.linalg.norm(p) / np.sqrt(3 * d)
    each = zip(np.array_split(np.arange(count), 200), outside, strict=True)
    right = np.concatenate([correct(tokens[i], np.append(u, rest), head, true[i]) for i, rest in each])
    np.testing.assert_allclose(found["error"], 1 - right.mean(), atol=0.01)
    assert 0.02 < found["error"][0] < 0.98


def test_copies_of_the_training_noise_are_told_from_what_was_fitted():
    problems = small(n=8)
    k = problems.tokens.shape[-1]
    found = on_training(problems, 0, np.zeros((1, k)), 1000.0, 0.1)
    assert found["flips fitted"] == 0.0  # all tokens alike: the signal decides
    assert found["copies"] == found["copies of flips"] == 0.0


def test_gains_count_from_the_first_time_all_labels_are_fitted():
    values = {
        "fitted": np.array([[0, 1, 0, 1], [0, 0, 0, 0]]),
        "error": np.array([[0.4, 0.3, 0.2, 0.1]] * 2),
        "signal": np.array([[0.1, 0.2, 0.3, 0.6]] * 2),
    }
    found = since_fitted(values)
    np.testing.assert_allclose(found["error since"], [[-0.2], [np.nan]])
    np.testing.assert_allclose(found["signal since"], [[0.4], [np.nan]])


def test_runs_that_never_fit_are_counted():
    settings = smoke_settings("benign_selection")
    (cell,) = drawing.cells(settings["problems"])
    batch = drawing.problems(cell, settings["problems"])
    trained = descent(batch, settings["descent"], Quiet())
    found = measures(cell, batch, trained, {}, settings["measures"])
    lengths = [settings["descent"]["published_size"], *settings["descent"]["sizes"]]
    assert len(found.outcomes) == len(cell.seeds) * len(lengths)
    fitted = found.instances[found.instances["quantity"] == "fitted"].groupby(["run", "size", "seed"])["value"].max()
    said = found.outcomes.set_index("outcome").index.value_counts()
    for (run, size), ever in fitted.groupby(level=[0, 1]):
        for word, count in (("fitted", int(ever.sum())), ("never fitted", int((1 - ever).sum()))):
            assert said.get(f"{run}, {size:g}: {word}", 0) == count
