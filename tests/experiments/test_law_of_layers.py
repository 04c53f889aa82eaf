"""The law of layers at a small scale: runs that follow it, rules that it refutes, and runs without a separator."""

import numpy as np
import pytest

from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.layers.architectures import NO_RESIDUAL, VALUES, VARIANTS, plain, stack_of
from attnsvm.experiments.layers.descent import KEPT, rotations
from attnsvm.experiments.layers.measures import distance, distinct_tokens, outcome
from attnsvm.experiments.layers.svm import answers, below, bounds, shuffled, tops
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import Stack, train_stack

RULES = ("law", "read", "all", "shuffled", "selected")


def solved(name, problems, steps=3000, rules=RULES):
    stack = stack_of(name)
    values = rotations(problems, stack.layers) if name == VALUES else None
    run = train_stack(problems, stack, LinearHead, exact(0.1), steps, steps, values=values).arrays(*KEPT)
    found = {"top": {str(stack.layers): answers(tops(problems, run, stack), "fro")}}
    found |= {rule: below(run, stack, bounds(problems, run, stack, rule), "fro") for rule in rules}
    return stack, run, found


@pytest.fixture(scope="module")
def problems():
    return draw(gaussian, range(8), 3, 5, 16)


@pytest.fixture(scope="module")
def two(problems):
    return solved(plain(2), problems)


def test_every_stack_has_a_name_of_its_own():
    assert stack_of(plain(4)) == Stack(layers=4)
    assert all(stack_of(name) == stack for name, stack in VARIANTS.items())


def test_two_layers_follow_the_law_and_no_other_rule(two):
    stack, run, found = two
    assert (outcome(run, found) == "measured").all()
    law = distance(run, stack, 1, found["law"]["1"])[:, -1]
    # Measured: below 2e-3 after 3000 steps in each of these instances.
    assert law.max() < 5e-3
    assert distance(run, stack, 2, found["top"]["2"])[:, -1].max() < 5e-3
    for rule, least in (("read", 3.0), ("all", 30.0), ("shuffled", 30.0)):
        assert np.median(distance(run, stack, 1, found[rule]["1"])[:, -1]) > least * np.median(law)


def test_a_row_that_is_passed_on_counts(problems):
    stack, run, found = solved(VALUES, problems, rules=("law", "selected"))
    law, selected = (np.median(distance(run, stack, 1, found[rule]["1"])[:, -1]) for rule in ("law", "selected"))
    assert selected > 10 * law


def test_the_bounds_of_each_rule(two, problems):
    stack, run, _ = two
    asked = {rule: bounds(problems, run, stack, rule) for rule in RULES}
    counts = asked["law"] == 1
    assert np.array_equal(counts.sum(-1), np.ones(counts.shape[:-1]))  # one query per input at the top, two layers
    assert set(np.unique(asked["law"])) == {0.0, 1.0}
    assert np.array_equal(np.isfinite(asked["read"]), counts)
    assert (asked["all"] == 1).all()
    assert np.array_equal((asked["shuffled"] == 1).sum(-1), counts.sum(-1))
    assert np.array_equal(asked["selected"], asked["law"])  # nothing is passed on from a layer that is not there


def test_the_control_depends_on_the_seed_alone(two, problems):
    counts = bounds(problems, two[1], two[0], "law") == 1
    whole = shuffled(counts, problems.seeds)
    assert np.array_equal(whole[3:5], shuffled(counts[3:5], problems.seeds[3:5]))
    assert (whole != counts).any()


def test_without_a_residual_the_tokens_collapse(problems, two):
    _, run, found = solved(NO_RESIDUAL, problems, rules=("law",))
    assert (outcome(run, found) == "equal tokens").all()
    assert not distinct_tokens(run).any()
    assert distinct_tokens(two[1]).all()
    assert (found["top"]["2"]["status"] == "infeasible").all()


def test_rotations_are_orthogonal_and_follow_the_seed(problems):
    V = rotations(problems, 3)
    assert np.allclose(V @ V.swapaxes(-1, -2), np.eye(16), atol=1e-12)
    assert np.array_equal(rotations(problems[2:4], 3), V[2:4])
