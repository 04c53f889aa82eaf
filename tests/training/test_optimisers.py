"""Every rule against a slow one in multiple precision, where gradients are far below the smallest float."""

from functools import partial

import multiple_precision
import numpy as np
import pytest
from stack_references import torch_gradients
from training_references import HEADS, LOGGED, assert_same

from attnsvm import geometry
from attnsvm.data.architecture import Stack
from attnsvm.data.draws import draw, gaussian
from attnsvm.training import (
    LinearHead,
    adam,
    balanced,
    exact,
    joint,
    mirror,
    plain,
    published,
    schedule,
    steepest,
    threads,
    train,
)

NORMS = ("fro", "linf", "l3", "nuc", "spectral")  # a loop to compile each; directions in all: test_steepest_batch.py
CONSTRUCTORS = {"steepest": steepest, "mirror": mirror, "adam": adam}
WRAPPERS = {"joint": lambda rule, _: joint(rule), "schedule": schedule, "balanced": lambda rule, _: balanced(rule)}


def far(kind, shape, seed=0, size=None, m=None):
    """One instance and initial factors with margins of hundreds to thousands, each input's its own."""
    n, T, d = shape
    problem = draw(gaussian, [seed], n, T, d)
    generator = np.random.default_rng(seed)
    if kind == "W":
        return problem, (generator.normal(size=(1, d, d)) * (size or 1500.0),)
    return problem, tuple(generator.normal(size=(1, d, m or d)) * (size or 30.0) for _ in range(2))


def built(name, eta, **settings):
    """The rule, wrapped in what the settings name."""
    wraps = {key: settings.pop(key) for key in WRAPPERS if key in settings}
    rule = CONSTRUCTORS[name](learning_rate=eta, **settings)
    for key, value in wraps.items():
        rule = WRAPPERS[key](rule, value)
    return rule


def compare(rule, kind, shape, steps=2, seed=0, size=None, m=None, **settings):
    """The largest difference of the engine's move and the slow one's, relative to the largest move of an entry."""
    problem, start = far(kind, shape, seed, size, m)
    first = start[0][0] if kind == "W" else start[0][0] @ start[1][0].T
    given = start[0] if kind == "W" else start
    log = train(problem, LinearHead, kind, built(rule, **settings), steps, steps, start=given)
    slow = multiple_precision.after(rule, problem, [f[0] for f in start], steps, **settings)
    assert np.array_equal(log.weights[0, 0], first)
    moved = np.abs(slow - first).max()
    assert moved > 0
    return np.abs(log.weights[0, -1] - slow).max() / moved


# 1e-10: logits of size 3000 carry a rounding error of 1e-12, and so does the relative size of two gradients.
CLOSE = 1e-10


@pytest.mark.parametrize(
    ("norm", "kind"), [*((norm, "W") for norm in NORMS), *((norm, "KQ") for norm in ("linf", "spectral"))]
)
def test_steepest_descent_deep_in_saturation(norm, kind):
    assert compare("steepest", kind, (3, 4, 5), norm=norm, eta=3.0) < CLOSE


@pytest.mark.parametrize(("norm", "kind"), [("spectral", "KQ"), ("linf", "KQ"), ("linf", "W"), ("l3", "W")])
def test_steps_that_shrink(norm, kind):
    assert compare("steepest", kind, (3, 4, 5), steps=3, norm=norm, eta=3.0, schedule="root") < CLOSE


@pytest.mark.parametrize("shape", [(5, 3, 3), (4, 4, 2), (1, 3, 4), (3, 4, 8)])
@pytest.mark.parametrize("norm", ["spectral", "nuc"])
def test_more_inputs_than_dimensions_and_fewer(norm, shape):
    assert compare("steepest", "W", shape, norm=norm, eta=3.0) < CLOSE


@pytest.mark.parametrize(("norm", "m"), [("spectral", 1), ("spectral", 2), ("linf", 1)])
def test_few_columns(norm, m):
    wraps = {"schedule": "shrinking"}
    assert compare("steepest", "KQ", (3, 4, 5), m=m, norm=norm, eta=1.0, **wraps) < CLOSE


def test_factors_together():
    wraps = {"joint": True, "schedule": "shrinking", "balanced": True}
    assert compare("steepest", "KQ", (3, 4, 5), steps=3, norm="fro", eta=1.0, **wraps) < CLOSE


@pytest.mark.parametrize("seed", range(4))
def test_spectral_steps_count_every_input_fully_at_any_distance(seed):
    """Margins from 0 to 20,000 in one instance: gradients from 1 to 1e-8000."""
    assert compare("steepest", "W", (4, 3, 6), steps=1, seed=seed, size=300.0, norm="spectral", eta=3.0) < CLOSE


def test_inputs_that_share_a_query_share_a_direction():
    """Rank below n: the polar factor has no direction outside the row space of the gradient."""
    problem, (W,) = far("W", (4, 4, 6))
    problem.queries[:, 1] = problem.queries[:, 0]
    slow = multiple_precision.after("steepest", problem, [W[0]], 1, norm="spectral", eta=1.0)
    log = train(problem, LinearHead, "W", steepest("spectral", 1.0), 1, 1, start=W)
    assert np.abs(log.weights[0, 1] - slow).max() < CLOSE
    sigma = np.linalg.svd(log.weights[0, 0] - log.weights[0, 1], compute_uv=False)
    assert sigma.round(9).tolist() == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("p", [1.75, 2, 3])
def test_mirror_descent(p):
    # η: so that a step is seen in the last digits of |W|^(p − 1), with |W| near 1000
    assert compare("mirror", "W", (3, 4, 5), p=p, eta=3.0 * 1000.0 ** (p - 2)) < CLOSE
    # As published it moves before saturation, and not at all behind it.
    assert compare("mirror", "W", (3, 4, 5), p=p, eta=0.3, size=1.0, published=True) < 1e-12
    problem, (W,) = far("W", (3, 4, 5))
    still = train(problem, LinearHead, "W", mirror(p, 3.0, published=True), 2, 2, start=W).weights[0]
    # 1e-12: there and back through the powers p − 1 and 1/(p − 1)
    assert np.abs(still[1] - still[0]).max() <= 1e-12 * np.abs(still[0]).max()


@pytest.mark.parametrize(
    ("kind", "betas"), [("W", (0.9, 0.999)), ("KQ", (0.9, 0.999)), ("KQ", (0.5, 0.5)), ("W", (0.0, 0.9))]
)
def test_adam(kind, betas):
    settings = {"eta": 2.0, "beta1": betas[0], "beta2": betas[1], "decay": 0.01}
    assert compare("adam", kind, (3, 4, 5), steps=4, **settings) < CLOSE


def test_adam_when_gradients_vanish_by_hundreds_of_orders_of_magnitude_a_step():
    """The second moment is then the past's, and the unit follows it: no overflow in 60 steps."""
    settings = {"eta": 200.0, "beta1": 0.5, "beta2": 0.5}
    assert compare("adam", "W", (2, 3, 4), steps=12, size=50.0, **settings) < CLOSE
    problem, (W,) = far("W", (2, 3, 4))
    log = train(problem, LinearHead, "W", adam(1e4, 0.5, 0.5), 60, 1, start=W)
    assert np.isfinite(log.weights).all()


# ------------------------------------------------------------------------------------------------ before saturation


@pytest.mark.parametrize("norm", NORMS)
def test_the_step_is_steepest_by_the_gradient_of_autograd(norm):
    """`Norm.steepest` is the steepest direction of one matrix: another code, and another SVD."""
    problem = draw(gaussian, range(3), 5, 4, 6)
    log = train(problem, LinearHead, "W", steepest(norm, 0.5), 1, 1)
    (gradients,), *_ = torch_gradients(problem, Stack(), [log.weights[:, 0, None, None]], HEADS["linear"].h)
    for s, G in enumerate(gradients[:, 0, 0]):
        S = 2 * (log.weights[s, 0] - log.weights[s, 1])
        # 1e-9: the smallest singular values of these gradients are 1e-4 of the largest, and autograd's error is theirs
        assert np.abs(S - geometry.get(norm).steepest(G)).max() < 1e-9
        assert geometry.get(norm).value(S) == pytest.approx(1, rel=1e-9)
        assert log.gradient_norm[s, 0] == pytest.approx(np.linalg.norm(G), rel=1e-10)


def test_frobenius_is_the_same_in_both_loops():
    """One norm for all factors goes through matrices, `exact` through the Gram matrix; W is one factor."""
    problem = draw(gaussian, range(3), 4, 5, 6)
    one = train(problem, LinearHead, "W", exact(0.1), 60, 10)
    other = train(problem, LinearHead, "W", joint(exact(0.1)), 60, 10)
    for name in LOGGED:
        # 60 steps amplify a rounding error of 1e-16
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-8, atol=1e-11)


def test_a_rule_inside_others_answers_for_them():
    wrapped = balanced(schedule(steepest("spectral", 0.1), "root"))
    assert wrapped.with_rate(3) == balanced(schedule(steepest("spectral", 3), "root"))
    assert wrapped.parametrisations == ("KQ",)
    assert [r.follows_rotations for r in (wrapped, wrapped.inner)] == [False, True]
    assert not schedule(steepest("spectral", 0.1), "shrinking").follows_rotations
    assert not schedule(adam(0.1, 0.9, 0.99), "root").follows_rotations
    assert schedule(published(0.1), "root").penalty == published(0.1).penalty
    assert not adam(0.1, 0.9, 0.99).along_gradient
    assert steepest("fro", 0.1) == exact(0.1)
    inside = schedule(joint(exact(0.1)), "root")
    assert joint(schedule(exact(0.1), "root")) == inside


# ---------------------------------------------------------------------------------------------------- whole runs


def rule_of(name):
    return adam(0.01, 0.9, 0.99) if name == "adam" else steepest(name, 0.1)


@pytest.mark.parametrize(
    ("rule", "kind"), [("linf", "KQ"), ("l3", "W"), ("spectral", "W"), ("spectral", "KQ"), ("adam", "W")]
)
def test_a_run_is_the_same_to_the_bit_in_every_batch_on_any_threads(rule, kind, monkeypatch):
    problem = draw(gaussian, range(70), 4, 5, 6)
    run = partial(train, head=LinearHead, parametrisation=kind, rule=rule_of(rule), steps=150, every=75)
    together = run(problem)
    monkeypatch.setattr(threads, "_allowed", 3)
    for part in (slice(0, 1), slice(69, 70), slice(3, 70)):
        assert_same(run(problem[part]), together[part])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: steepest("l0.5", 0.1), "norm: expected"),
        (lambda: schedule(exact(0.1), "slow"), "schedule: expected one of root, shrinking"),
        (lambda: joint(steepest("linf", 0.1)), "joint: expected"),
        (lambda: joint(plain(0.1)), "joint: expected"),
        (lambda: joint(joint(exact(0.1))), "joint: expected"),
        (lambda: balanced(mirror(3, 0.1)), "balanced: expected"),
        (lambda: mirror(1.0, 0.1), "p: expected"),
        (lambda: adam(0.1, 0.9, 0.8), "beta1, beta2: expected"),
    ],
)
def test_what_there_is_not(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_a_rule_does_not_train():
    problem = draw(gaussian, [0], 2, 3, 4)
    for rule, kind, message in (
        (mirror(3, 0.1), "KQ", "rule: expected 'W' for Mirror, got 'KQ'"),
        (schedule(mirror(3, 0.1), "root"), "KQ", "rule: expected 'W' for Schedule, got 'KQ'"),
        (balanced(exact(0.1)), "W", "rule: expected 'KQ' for Balanced, got 'W'"),
        (schedule(published(0.1), "root"), "KQ", "take `exact` or `plain`"),
    ):
        with pytest.raises(ValueError, match=message):
            train(problem, LinearHead, kind, rule, 1, 1)
    with pytest.raises(ValueError, match="device: expected 'cpu' for Steepest"):
        train(problem, LinearHead, "W", steepest("linf", 0.1), 1, 1, device="cpu:0")
