"""Stacks by rules: against NumPy and autograd, multiple precision, one layer, and themselves.

Each rule is a loop to compile: by day those that keep something from step to step, by night all.
"""

from dataclasses import replace

import multiple_precision
import numpy as np
import pytest
from mpmath import mp
from stack_references import slow_gradients, torch_gradients
from training_references import HEADS

from attnsvm import geometry
from attnsvm.batch import LANES
from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, adam, balanced, exact, joint, mirror, published, schedule, steepest, train
from attnsvm.training.stack import Stack, train_stack
from attnsvm.training.stack.start import initial

RATE, HEAD_RATE, BETAS = 0.1, 0.05, (0.5, 0.9)
RULES = {
    "spectral": steepest("spectral", RATE),
    "linf": steepest("linf", RATE),
    "balanced": balanced(steepest("spectral", RATE)),
    "adam": adam(RATE, *BETAS),
    "joint": joint(exact(RATE)),
}


def directions(rule, gradients, kept):
    """The directions of all matrices by the rule; `kept` is what it remembers, one dict for all."""
    if rule == "joint":
        size = np.sqrt(sum((g**2).sum() for g in gradients))
        return [g / size for g in gradients]
    if rule == "adam":
        beta1, beta2 = BETAS
        k = kept["k"] = kept.get("k", 0) + 1
        zeros = [0.0] * len(gradients)
        first, second = kept.get("m", zeros), kept.get("v", zeros)
        kept["m"] = [beta1 * m + (1 - beta1) * g for m, g in zip(first, gradients, strict=True)]
        kept["v"] = [beta2 * v + (1 - beta2) * g**2 for v, g in zip(second, gradients, strict=True)]
        both = zip(kept["m"], kept["v"], strict=True)
        return [m / (1 - beta1**k) / np.sqrt(v / (1 - beta2**k)) for m, v in both]
    return [geometry.get("spectral" if rule == "balanced" else rule).steepest(g) for g in gradients]


@pytest.mark.parametrize(("rule", "kind"), [("adam", "W"), ("joint", "W"), ("balanced", "KQ")])
def test_steps_along_autograd(rule, kind):
    """Two layers of two heads, every weight by itself or all in one norm; and the head's vector by itself.

    Balanced factors have equal norms in every head, from a start that is unbalanced.
    """
    stack = Stack(layers=2, heads=2, parametrisation=kind, normalisation="separate")
    problems = draw(gaussian, range(2), 5, 4, 3)
    start = initial(stack, problems.seeds, 3)
    ours = train_stack(problems, stack, LinearHead, RULES[rule], 3, 3, start, head_rate=HEAD_RATE)
    for s in range(2):
        factors, kept, kept_of_head = [*(x[s] for x in start), problems.head[s]], {}, {}
        for _ in range(3):
            here = replace(problems[s : s + 1], head=factors[-1][None])
            gradients, (by_v,), _ = torch_gradients(here, stack, [x[None] for x in factors[:-1]], HEADS["linear"].h)
            gradients = [g[0] for g in gradients]
            flat = [matrix for g in gradients for matrix in g.reshape(-1, 3, 3)]
            moved = np.stack(directions(rule, flat, kept)).reshape(len(gradients), *gradients[0].shape)
            along_v = directions(rule, [by_v[:, None]], kept_of_head)[0][:, 0]
            factors = [f - RATE * m for f, m in zip(factors[:-1], moved, strict=True)] + [
                factors[-1] - HEAD_RATE * along_v
            ]
            if rule == "balanced":
                sizes = [np.linalg.norm(f, axis=(-2, -1), keepdims=True) for f in factors[:2]]
                factors[:2] = [
                    f * np.sqrt(sizes[0] * sizes[1]) / size for f, size in zip(factors[:2], sizes, strict=True)
                ]
        W = factors[0] if kind == "W" else factors[0] @ factors[1].swapaxes(-1, -2)
        # 1e-9: the smallest singular values of these gradients, and autograd's error in them
        assert np.allclose(ours.weights[s, -1], W, rtol=0, atol=1e-9)
        assert np.allclose(ours.head[s, -1], factors[-1], rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def deep():
    """One instance, and the weights of two layers with margins of hundreds: gradients of 1e-160 to 1e-460."""
    stack, problems = Stack(layers=2), draw(gaussian, [5], 2, 3, 3)
    log = train_stack(problems, stack, LinearHead, exact(3.5), 500, np.array([500]))
    return problems, log.weights[:, -1]


DIGITS = 550  # in which the singular values that count are told apart, and from zero


@pytest.mark.parametrize(
    ("rule", "settings", "steps"),
    [
        pytest.param(steepest("spectral", 3.0), {"norm": "spectral"}, 1, marks=pytest.mark.slow),
        pytest.param(steepest("linf", 3.0), {"norm": "linf"}, 2, marks=pytest.mark.slow),
        (adam(3.0, *BETAS), {"beta1": BETAS[0], "beta2": BETAS[1]}, 2),
        (joint(exact(3.0)), {"norm": "fro", "joint": True}, 2),
    ],
    ids=["spectral", "linf", "adam", "joint"],
)
def test_deep_in_saturation(rule, settings, steps, deep):
    problems, W = deep
    ours = train_stack(problems, Stack(layers=2, normalisation="separate"), LinearHead, rule, steps, steps, (W,))
    sizes = []

    def gradients(factors):
        W = np.array([factor.tolist() for factor in factors], dtype=object)
        found = [mp.matrix(layer.tolist()) for layer in slow_gradients(problems, Stack(layers=2), W)]
        sizes.append([-float(mp.log(multiple_precision.norm_of([g]))) for g in found])
        return found

    with mp.workdps(DIGITS):
        name = "adam" if "beta1" in settings else "steepest"
        start = [mp.matrix(layer.tolist()) for layer in W[0, :, 0]]
        slow = multiple_precision.RULES[name](gradients, start, steps, eta=3.0, **settings)
        slow = np.array([layer.tolist() for layer in slow], dtype=float)
    assert min(sizes[0]) > 300
    assert abs(sizes[0][0] - sizes[0][1]) > 0
    if "norm" in settings and settings["norm"] != "linf":
        assert np.abs(slow - W[0, :, 0]).max((1, 2)).max() > 0.5
    # Logits of 1e3 are known to 1e-12, and the terms of the gradient with that relative error.
    assert np.abs(ours.weights[0, -1, :, 0] - slow).max() < 3.0 * steps * 1e-9


def test_one_norm_for_layers_of_any_size_is_that_of_the_stack(deep):
    """`normalisation` does by itself what `joint` does around a rule; the two loops share no line of it."""
    problems, W = deep
    one = train_stack(problems, Stack(layers=2), LinearHead, exact(3.0), 3, 1, (W,))
    other = train_stack(problems, Stack(layers=2, normalisation="separate"), LinearHead, joint(exact(3.0)), 3, 1, (W,))
    assert np.abs(one.weights - other.weights).max() < 1e-9


@pytest.mark.parametrize(
    "rule", ["adam", *(pytest.param(name, marks=pytest.mark.slow) for name in ("spectral", "linf"))]
)
def test_one_layer_by_any_rule_is_the_engine_of_one_layer(rule):
    problems = draw(gaussian, range(5), 3, 5, 4)
    W = initial(Stack(), problems.seeds, 4)[0]
    ours = train_stack(problems, Stack(), LinearHead, RULES[rule], 200, 50, (W,))
    theirs = train(problems, LinearHead, "W", RULES[rule], 200, 50, start=W[:, 0, 0])
    # 200 steps amplify a rounding error of 1e-16; the smallest singular values of a gradient are 1e-4 of the largest
    assert np.allclose(ours.weights[:, :, 0, 0], theirs.weights, rtol=0, atol=1e-8)
    assert np.allclose(ours.gradient_norm, theirs.gradient_norm, rtol=1e-6)


def test_a_batch_cut_anywhere_is_the_same_to_the_byte_by_any_rule():
    problems = draw(gaussian, range(LANES + 2), 2, 3, 4)
    arguments = Stack(layers=2, heads=2), LinearHead, RULES["adam"], 100, 50
    whole = train_stack(problems, *arguments)
    for part in (slice(0, 1), slice(LANES - 1, LANES + 2)):
        assert np.array_equal(train_stack(problems[part], *arguments).weights, whole.weights[part])


def test_what_a_stack_does_not_train():
    problems, pair = draw(gaussian, range(2), 2, 3, 4), Stack(parametrisation="KQ")
    for rule, stack, message in (
        (mirror(3, 0.1), pair, "rule: expected 'W' for Mirror, got 'KQ'"),
        (balanced(exact(0.1)), Stack(), "rule: expected 'KQ' for Balanced, got 'W'"),
        (schedule(published(0.1), "root"), pair, "without penalty"),
    ):
        with pytest.raises(ValueError, match=message):
            train_stack(problems, stack, LinearHead, rule, 1, 1)
