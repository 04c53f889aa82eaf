"""Inputs that mix: the norm of the graded solution, the mixture of one token by hand, and how many mix."""

import numpy as np
import pytest
from by_hand import cosine, softmax_of
from drawing import assert_drawn

from attnsvm.experiments.beyond.joint.joint_mixing import figure

# Seed 100000 on: those on which the law was found.
PROBLEMS = {"n": 6, "T": 8, "d": 10, "instances": 9, "first_seed": 100000}
SMALL = {"problems": PROBLEMS, "descent": {"steps": 4000, "fewer": 1000, "head_rates": [0.03, 1]}}


@pytest.fixture(scope="module")
def inputs(run):
    return run.table[run.table["kind"] == "input"].set_index(["rate", "seed", "input"])


@pytest.fixture(scope="module")
def instances(run):
    return run.table[run.table["kind"] == "instance"].set_index(["rate", "step", "seed"])


def runs(run):
    """(rate, place of the step, step, s, problem, W, v, answers) of every instance, at its late steps."""
    for _, s, p, trained, solved in run.each():
        for rate, one in trained.items():
            for place, step in enumerate(one["steps"]):
                yield rate, step, s, p, one["W"][s, place], one["v"][s, place], solved[f"{rate} {step}"]


def late(p, s, W, v):
    """The softmax of every input, and κ Y⟨v, x⟩ of its tokens, means over the late steps."""
    X, Z = p["tokens"][s], p["queries"][s]
    softmax = [[softmax_of(x, one, z) for x, z in zip(X, Z, strict=True)] for one in W]
    scores = [p["labels"][s][:, None] * (X @ u) / np.linalg.norm(one) for one, u in zip(W, v, strict=True)]
    return np.mean(softmax, axis=0), np.mean(scores, axis=0)


def test_the_solution_has_norm_one_over_rho(run):
    for _, step, s, _, _, _, answers in runs(run):
        if step == 4000:
            assert answers["rho"][s] * np.linalg.norm(answers["graded"]["W"][s]) == pytest.approx(1.0, abs=1e-6)


def test_the_margins_are_what_v_leaves_open_at_the_better_tokens(run):
    """max(0, 1 − κ(N − min N)/ρ), by hand, and W's distance from it."""
    for _, step, s, p, W, v, answers in runs(run):
        if step != 4000:
            continue
        rho, (softmax, scores) = answers["rho"][s], late(p, s, W, v)
        least = min(q @ score for q, score in zip(softmax, scores, strict=True))
        for X, z, q, score in zip(p["tokens"][s], p["queries"][s], softmax, scores, strict=True):
            best = max(np.flatnonzero(q > 0.01), key=lambda t: score[t])
            logits = X @ answers["graded"]["W"][s] @ z
            margin = logits[best] - np.delete(logits, best).max()
            asked = max(0.0, 1.0 - (score[best] - least) / rho)
            assert margin > asked - 1e-6


def test_the_distance_is_that_of_the_last_weights(run, instances):
    for rate, step, s, p, W, _, answers in runs(run):
        far = 1 - cosine(W[-1], answers["graded"]["W"][s])
        assert instances.loc[(float(rate), step, p["seeds"][s]), "graded"] == pytest.approx(far, abs=1e-12)


def test_an_input_of_two_tokens_mixes_until_its_score_is_the_law_s(run, inputs):
    """κN_mix = κ min N + ρ, solved for the share of the one token that has a multiplier."""
    checked = 0
    for rate, step, s, p, W, v, answers in runs(run):
        if step != 4000:
            continue
        dual, rho = answers["multipliers"][s], answers["rho"][s]
        softmax, scores = late(p, s, W, v)
        least = (softmax * scores).sum(1).min()
        for i in range(6):
            key = float(rate), p["seeds"][s], i
            (others,) = np.nonzero(dual[i] > 1e-6 * dual.max())
            if key not in inputs.index or len(others) != 1 or not inputs.loc[key, "predicted"] > 0:
                continue
            best = max(np.flatnonzero(softmax[i] > 0.01), key=lambda t, i=i: scores[i, t])
            share = inputs.loc[key, "predicted"]
            mixed = (1 - share) * scores[i, best] + share * scores[i, others[0]]
            assert mixed == pytest.approx(least + rho, abs=1e-9)
            checked += 1
    assert checked


def test_inputs_mix_where_the_law_says_and_nowhere_else(inputs):
    assert len(inputs.loc[1.0]) >= 3
    assert 0.03 not in inputs.index.get_level_values("rate")
    assert (inputs["share"] - inputs["predicted"]).abs().median() < 0.02
    assert (inputs["share"] - inputs["without"]).abs().median() > 0.02  # ρ is needed


def test_shares_are_over_all_inputs(run, inputs):
    shares = run.table[run.table["kind"] == "share"].set_index(["rate", "quantity"])
    assert shares["instances"].tolist() == [54] * 4
    assert shares.loc[(1.0, "mix"), "value"] == (inputs.loc[1.0, "share"] > 0.01).sum() / 54
    assert shares.loc[(0.03, "mix"), "value"] == 0


def test_every_input_that_mixes_is_drawn(run, inputs):
    assert_drawn(figure.draw, run.table, inputs[["predicted", "share"]].to_numpy())
