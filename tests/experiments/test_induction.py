"""The copying task, its rows in numpy, what the margin of the top gains by a row, and the circuit that forms."""

import numpy as np
import pandas as pd
import pytest

from attnsvm.analysis.directions import correlation
from attnsvm.data.copying import dimension
from attnsvm.data.draws import draw
from attnsvm.experiments.beyond.induction.ends import answer_place, composed_by, gains, half, in_the_limit, rows_at
from attnsvm.experiments.beyond.induction.measures import formed, of_long
from attnsvm.experiments.beyond.induction.model import given, model
from attnsvm.experiments.beyond.induction.problems import some_inputs
from attnsvm.experiments.beyond.induction.svm import distinct, of_run, same
from attnsvm.experiments.beyond.induction.task import every_input, symbols_of
from attnsvm.svm.constraints import sequence
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.start import draw_initial, uniform
from attnsvm.training.tape.descent import descend
from attnsvm.training.tape.node import Node

T = 4


@pytest.fixture(scope="module")
def problems():
    return draw(some_inputs, range(2), 12, T, dimension(T))


def weights(problems, scale=1.0):
    d = problems.tokens.shape[-1]
    return scale * draw_initial("induction", problems.seeds, uniform((2, d, d), d))


def test_the_answer_stands_behind_the_first_place_of_the_last_symbol(problems):
    inputs = every_input(T)
    assert len(inputs) == len(set(map(tuple, inputs))) == 12
    symbols, place = symbols_of(problems.tokens), answer_place(problems.tokens)
    assert sorted(map(tuple, symbols[0])) == sorted(map(tuple, inputs))
    for row, at in zip(symbols[0], place[0], strict=True):
        assert row[at - 1] == row[-1]
        assert at < T - 1
        assert list(row[:-1]).count(row[at]) == 1


def test_the_rows_in_numpy_make_the_loss_of_the_tape(problems):
    W, rate = weights(problems, 3.0), 0.5
    inputs = given(problems.tokens)
    nodes = {name: Node(x) for name, x in inputs.items()}
    trained = {"W1": Node(W[:, 0] / rate, weight=True), "W2": Node(W[:, 1], weight=True)}
    p = np.exp(rows_at(problems.tokens, W).top)
    seen = (p[..., None] * problems.tokens).sum(2)[..., : T - 1]
    right = np.take_along_axis(seen, inputs["answers"].astype(int), 2)[..., 0]
    wanted = (np.log(np.exp(seen).sum(-1)) - right).mean(-1)
    np.testing.assert_allclose(model(T, rate)(trained, nodes).value, wanted, rtol=1e-12)


def test_the_gain_of_a_token_is_the_slope_of_the_margin(problems):
    """Against differences of Σ λ⟨y_α − y_j, W y_T⟩, which is of degree two in the probabilities: they are exact."""
    X, rng = problems.tokens, np.random.default_rng(3)
    W, dual = rng.normal(size=(2, X.shape[-1], X.shape[-1])), rng.uniform(size=X.shape[:3])
    place = answer_place(X)
    dual[np.arange(T) == place[..., None]] = 0.0
    p = np.exp(rows_at(X, weights(problems)).below)

    def margin(p):
        Y = composed_by(X, p)
        logits = ((Y[:, :, -1:] @ W[:, None].swapaxes(-1, -2)) * Y).sum(-1)
        return (dual * (np.take_along_axis(logits, place[..., None], 2) - logits)).sum((1, 2))

    found = gains(X, composed_by(X, p), W, dual)
    for i, q, t in ((0, 1, 0), (3, 2, 1), (5, 3, 2), (7, 3, 3)):
        step = np.zeros(p.shape)
        step[:, i, q, t] = 0.5
        np.testing.assert_allclose(found[:, i, q, t], margin(p + step) - margin(p - step), rtol=1e-9)


def test_constraints_of_inputs_that_begin_alike_are_the_same(problems):
    X = problems.tokens[0]
    asked = sequence(X, np.maximum(np.arange(T) - 1, 0) * np.ones((12, 1), dtype=int), causal=True)
    numbers = same(asked)
    for number in range(numbers.max() + 1):
        left, right = asked.left[numbers == number], asked.right[numbers == number]
        assert (left == left[0]).all()
        assert (right == right[0]).all()
    assert len(distinct(asked)) == numbers.max() + 1 < len(asked)


def test_the_circuit_forms_and_its_layer_below_grows_along_its_svm():
    """Two starts of a quarter of the usual size, all 72 inputs of five tokens."""
    whole = draw(some_inputs, range(2), 72, 5, dimension(5))
    W, kept = weights(whole, 0.25), logarithmic_steps(120, 12)
    first = {"W1": W[:, 0], "W2": W[:, 1]}
    log = descend(model(5, 1.0), first, given(whole.tokens), joint(exact(1.0)), 120, kept)
    run = {"steps": kept, "weights": np.stack([log.weights["W1"], log.weights["W2"]], axis=2)}
    previous, answer, share = formed(whole.tokens, run["weights"][:, -1])
    assert (share == 1.0).all()
    assert min(previous.min(), answer.min()) > 0.99
    assert (formed(whole.tokens, W)[2] < 0.5).all()
    np.testing.assert_allclose(in_the_limit(whole.tokens, run).sum(-1), 1.0)
    answers = of_run(whole, run)
    assert all((answers[rule]["status"] == "solved").all() for rule in answers if rule not in ("gain", "least"))
    growth = run["weights"][:, -1, 0] - run["weights"][np.arange(2), half(run), 0]
    near, far = (1.0 - correlation(growth, answers[rule]["W"]) for rule in ("needed", "answer's row"))
    assert near.max() < 0.03
    assert far.min() > 0.15
    rows = pd.concat(of_long(whole, run, answers, share == 1.0)).set_index("quantity")["value"]
    assert rows["pace"].between(1.8, 2.4).all()  # 2 log‖W‖; the 1 of held rows would be as far as 3
    assert rows["force"].between(0.8, 1.25).all()
    assert (rows["part, other rows, other tokens"] == 0.0).all()
    assert (rows["part, answer's row"] == 1.0).all()
