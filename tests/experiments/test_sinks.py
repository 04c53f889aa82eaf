"""The trigger task: targets, gradients of both attentions, the path's minimisers, the solution's one form."""

import numpy as np
import pytest
from by_hand import slope
from running import one_cell, smoke_settings

from attnsvm.data.cells import Cell
from attnsvm.experiments.literature.sinks import problems as drawing
from attnsvm.experiments.literature.sinks.descent import adam, as_published, path
from attnsvm.experiments.literature.sinks.layer import (
    ATTENTIONS,
    attend,
    loss_and_gradients,
    sequences,
    targets,
    triggers,
)
from attnsvm.experiments.literature.sinks.measures import answered, measures, slopes
from attnsvm.experiments.literature.sinks.svm import constraints
from attnsvm.svm.solver import solve_batch


@pytest.fixture(scope="module")
def x():
    return sequences(np.random.default_rng(0), 5, 4, 5)


def test_every_sequence_has_one_trigger_and_asks_for_the_mean_before_it(x):
    found = triggers(x)
    assert (found.sum(1) == 1).all()
    assert not found[:, :2].any()
    for one, rows, y in zip(x, found, targets(x), strict=True):
        (j,) = np.flatnonzero(rows)
        np.testing.assert_allclose(y[j], one[1 : j + 1].mean(0))
        assert not np.delete(y, j, 0).any()


def test_a_shuffled_first_token_is_somewhere_else_and_never_a_trigger():
    drawn = sequences(np.random.default_rng(1), 200, 4, 5, shuffled=True)
    assert (drawn[:, 0].sum(1) == 1).all()
    assert (drawn[:, 0].sum(0) > 20).all()
    assert (triggers(drawn).sum(1) == 1).all()


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_gradients_are_those_of_the_loss(x, attention):
    stream = np.random.default_rng(2)
    W, V = stream.normal(size=(2, 1, 5, 5))
    y = targets(x)

    def loss(W, V):
        weights = attend(x, W[0], attention)
        return 0.5 * ((weights @ x @ V[0].T - y)[:, 1:] ** 2).sum() / 15

    value, to_W, to_V = loss_and_gradients(x[None], y[None], W, V, attention)
    np.testing.assert_allclose(value[0], loss(W, V))
    np.testing.assert_allclose(to_W, slope(lambda x: loss(x, V), W), atol=1e-8)
    np.testing.assert_allclose(to_V, slope(lambda x: loss(W, x), V), atol=1e-8)


def test_weights_are_causal_and_relu_need_not_sum_to_one(x):
    W = np.random.default_rng(3).normal(size=(5, 5))
    for attention in ATTENTIONS:
        weights = attend(x, W, attention)
        assert not np.triu(weights, 1).any()
        assert (weights >= 0).all()
    np.testing.assert_allclose(attend(x, W, "softmax").sum(-1), 1.0)


def test_the_first_step_of_adam_has_the_length_of_the_rate_in_every_entry(x):
    start = np.random.default_rng(4).normal(size=(4, 1, 5, 5))
    W, V = adam(x[None], start, "softmax", 1e-3, 1)
    y = targets(x)[None]
    _, to_W, to_V = loss_and_gradients(x[None], y, start[0].mT @ start[1], start[2] @ start[3], "softmax")
    slopes = np.stack([start[1] @ to_W.mT, start[0] @ to_W, to_V @ start[3].mT, start[2].mT @ to_V])
    moved = start - 1e-3 * np.sign(slopes)
    np.testing.assert_allclose(W, moved[0].mT @ moved[1], atol=1e-6)
    np.testing.assert_allclose(V, moved[2] @ moved[3], atol=1e-6)


def test_the_path_is_where_the_penalised_loss_has_no_slope():
    """Relative to the slope of the penalty, also where L-BFGS alone sees no difference any more (1e-8: a half)."""
    batch = drawing.problems(Cell(24, 6, 6, (7, 8), "fixed"), {"noise": -1.0})
    levels = np.array([1e-2, 1e-5, 1e-8])
    W = np.array([path(x, V, levels, 100) for x, V in zip(batch.tokens, batch.head, strict=True)])
    assert slopes(batch, W, levels).max() < 1e-7
    assert slopes(batch, 1.001 * W, levels).min() > 1e-5  # as large as the difference from there


@pytest.mark.parametrize(("limit", "steps"), [(1e6, 1), (1e-9, 7)])
def test_a_published_run_ends_when_no_entry_of_a_new_batch_is_wrong(limit, steps):
    """Whatever the other seeds do; the batches differ from step to step, and from the first one of the problems."""
    settings = {"published_steps": 7, "published_limit": limit, "published_rate": 1e-3, "noise": -1.0}
    batch = drawing.problems(Cell(8, 5, 5, (3, 4), "published"), {"noise": -1.0})
    start = np.random.default_rng(0).normal(size=(2, 4, 5, 5))
    both = as_published(batch, start, settings, lambda done: None)
    alone = as_published(batch[1:], start[1:], settings, lambda done: None)
    for attention in ATTENTIONS:
        assert both[attention]["steps"].tolist() == [steps] * 2
        np.testing.assert_array_equal(both[attention]["W"][1:], alone[attention]["W"])
        same, _ = adam(batch.tokens, np.moveaxis(start, 1, 0), attention, 1e-3, 1)
        assert (np.abs(both[attention]["W"] - np.moveaxis(start, 1, 0)[0].mT @ np.moveaxis(start, 1, 0)[1]) > 0.0).any()
        assert not np.array_equal(both[attention]["W"], same)


@pytest.fixture(scope="module")
def ended():
    settings = smoke_settings("sinks", problems={"instances": 2})
    cell = next(one for one in drawing.cells(settings["problems"]) if one.variant == "fixed")
    return *one_cell("sinks", settings, cell)[:4], settings["measures"]


def unproved(trained, solved):
    solved["rest"]["status"] = np.array(["uncertified"] * 2)
    return "rows without a trigger: uncertified"


def moved(trained, solved):
    trained["path"] = 1.01 * trained["path"]
    return "path not at rest"


@pytest.mark.parametrize("spoil", [lambda trained, solved: "solved", unproved, moved])
def test_an_outcome_says_what_is_missing(ended, spoil):
    cell, batch, trained, solved, settings = ended
    trained, solved = dict(trained), {name: dict(answer) for name, answer in solved.items()}
    word = spoil(trained, solved)
    assert set(measures(cell, batch, trained, solved, settings).outcomes["outcome"]) == {word}


def test_the_solution_has_one_form_and_with_a_shuffled_first_token_there_is_none():
    key, query = np.array([-2, 1, 0, 0, 0, 1]) / 3, np.array([0, 1, 0, 0, 0, -1])
    for variant in ("fixed", "shuffled"):
        tokens = drawing.problems(Cell(24, 6, 6, (7,), variant), {"noise": -1.0}).tokens[0]
        (answer,) = solve_batch([constraints(tokens, (False, True))], method="active set")
        assert answer.status == ("solved" if variant == "fixed" else "infeasible")
        if variant == "fixed":
            np.testing.assert_allclose(answer.W, np.outer(key, query), atol=1e-6)


def test_a_large_multiple_of_the_solution_solves_the_task():
    key, query = np.array([-2, 1, 0, 0, 0, 1]) / 3, np.array([0, 1, 0, 0, 0, -1])
    new, V = sequences(np.random.default_rng(5), 50, 6, 6), np.diag([0.0, 1, 1, 1, 1, 1])
    found = answered(new[None], "softmax", 40 * np.outer(key, query)[None], V[None])
    assert found["error"] < 1e-12
    np.testing.assert_allclose([found["first"], found["others"]], [[1.0], [0.0]], atol=1e-12)
    nothing = answered(new[None], "softmax", np.zeros((1, 6, 6)), np.zeros((1, 6, 6)))
    np.testing.assert_allclose(nothing["error"], 1.0)
