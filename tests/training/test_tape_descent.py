"""Descent on the tape: step for step that of the compiled loops, by any rule, the same bytes in every batch."""

from functools import partial

import numpy as np
import pytest
from tape_models import TAPE, drawn

from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, adam, exact, joint, plain, schedule, steepest, threads, train
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.descent import descend

RULES = {
    "plain": plain(0.3),
    "sign": steepest("linf", 0.01),
    "spectral": steepest("spectral", 0.1),
    "adam": adam(0.05, 0.9, 0.99),
    "joint": schedule(joint(exact(0.3)), "root"),
}


def one_layer(w, at):
    W = w["W"] if "W" in w else w["K"] @ w["Q"].T
    p = TAPE.softmax(TAPE.scores(at["tokens"], W, at["queries"]))
    return TAPE.logistic(at["labels"], p @ at["tokens"] @ at["head"]), {"p": p}


def angle(a, b):
    """The sine of the angle between the matrices of every instance."""
    a, b = (x.reshape(len(x), -1) / np.linalg.norm(x.reshape(len(x), -1), axis=1, keepdims=True) for x in (a, b))
    return np.linalg.norm(a - b, axis=1).max()


# Factors later amplify an error of 1e-15 in the start to 1e-3, when one token takes over from another.
@pytest.mark.parametrize(("kind", "steps"), [("W", 400), ("KQ", 140)])
def test_one_layer_follows_the_engine(kind, steps):
    problems = draw(gaussian, range(3), 3, 4, 5)
    r = np.random.default_rng(0)
    start = {name: r.normal(size=(3, 5, 5 if kind == "W" else 2)) / 2 for name in kind}
    given = start["W"] if kind == "W" else (start["K"], start["Q"])
    log = train(problems, LinearHead, kind, exact(0.1), steps, 20, start=given, m=2)
    ours = descend(one_layer, start, inputs_of(problems), exact(0.1), steps, 20)
    W = ours.weights["W"] if kind == "W" else ours.weights["K"] @ ours.weights["Q"].swapaxes(-1, -2)
    assert np.array_equal(ours.steps, log.steps)
    assert np.abs(W[:, 1] - log.weights[:, 1]).max() < 1e-12
    assert np.allclose(ours.loss, log.loss, rtol=1e-8)
    assert angle(W[:, -1], log.weights[:, -1]) < 1e-8
    assert np.allclose(ours.seen["p"][:, :, 0], log.probabilities, atol=1e-9)


@pytest.mark.parametrize("name", RULES)
def test_any_rule_moves_any_weights(name):
    """Matrices, a vector and a number; the loss falls."""
    model, weights, inputs = drawn("tanh", S=3)
    weights["s"] = np.ones(3)

    def scaled(w, at):
        return model(TAPE, dict(w, a=w["a"] * w["s"]), at)

    log = descend(scaled, weights, inputs, RULES[name], 30, 30)
    assert {key: x.shape for key, x in log.weights.items()} == {k: (3, 2, *w.shape[1:]) for k, w in weights.items()}
    assert all((x[:, 0] != x[:, 1]).any() for x in log.weights.values())
    assert all(np.array_equal(x[:, 0], weights[key]) for key, x in log.weights.items())
    assert log.loss[:, 1].mean() < log.loss[:, 0].mean()


def test_inputs_may_change_from_step_to_step():
    """Other labels at every step: as so many descents of one step, each from where the last one ended."""
    model, weights, inputs = drawn("layer", S=3)
    labels = np.sign(np.random.default_rng(7).normal(size=(5, 3, 2)))

    def at(step, places):
        return {k: x[places] for k, x in inputs.items()} | {"labels": labels[min(step, 4)][places]}

    together = descend(partial(model, TAPE), weights, at, exact(0.2), 4, 1)
    moved = weights["W"]
    for step in range(4):
        one = descend(partial(model, TAPE), {"W": moved}, inputs | {"labels": labels[step]}, exact(0.2), 1, 1)
        moved = one.weights["W"][:, 1]
        assert np.array_equal(together.weights["W"][:, step + 1], moved)
        assert np.array_equal(together.loss[:, step], one.loss[:, 0])


@pytest.mark.parametrize("name", ["layer norm", "two heads", "classes"])
@pytest.mark.parametrize("rule", ["spectral", "adam"])
def test_a_run_is_the_same_to_the_bit_in_every_batch_on_any_threads(rule, name, monkeypatch):
    model, weights, inputs = drawn(name, S=70, size=30.0)
    run = partial(descend, partial(model, TAPE), rule=RULES[rule], steps=20, every=10)
    together = run(weights, inputs)
    for part, allowed in ((slice(0, 1), 1), (slice(37, 70), 1), (slice(0, 70), 3), (slice(3, 67), 2)):
        monkeypatch.setattr(threads, "_allowed", allowed)
        alone = run({k: w[part] for k, w in weights.items()}, {k: x[part] for k, x in inputs.items()})
        assert np.array_equal(alone.loss, together.loss[part])
        for key, x in together.weights.items():
            assert np.array_equal(alone.weights[key], x[part]), key


def test_progress_counts_every_instance():
    model, weights, inputs = drawn("layer", S=33)
    done = []
    descend(partial(model, TAPE), weights, inputs, exact(0.1), 1, 1, progress=done.append)
    assert sum(done) == 33


def test_what_descent_does_not_take():
    model, weights, inputs = drawn("layer", S=2)
    with pytest.raises(ValueError, match=r"weights: expected numbers, vectors or matrices, got W \(2, 3, 4\)"):
        descend(partial(model, TAPE), {"W": np.ones((2, 2, 3, 4))}, inputs, exact(0.1), 1, 1)
    with pytest.raises(ValueError, match="weights: the loss does not depend on unused"):
        descend(partial(model, TAPE), weights | {"unused": np.ones((2, 3))}, inputs, exact(0.1), 1, 1)
    with pytest.raises(ValueError, match="loss: expected one number for each instance"):
        descend(lambda w, at: w["W"] * 2.0, weights, inputs, exact(0.1), 1, 1)
