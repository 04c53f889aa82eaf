"""v trained with W: the margins asked, by hand and by the slopes they equal, and what is measured against them."""

import numpy as np
import pytest
from running import one_cell, smoke_settings

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.experiments.beyond.joint import measures

SETTINGS = smoke_settings("joint", problems={"instances": 12}, descent={"steps": 3000, "head_rates": [0.01, 0.1, 10.0]})


@pytest.fixture(scope="module")
def run():
    return one_cell("joint", SETTINGS)


def test_the_margins_asked_make_slopes_equal(run):
    """exp(−N_i − M_i) is the same at every input whose margin is asked, with N from ‖v‖ and v's solution."""
    _, drawn, trained, solved, _ = run
    seen = 0
    for rate, one in trained.items():
        answers = solved[rate]
        for s in range(len(drawn.seeds)):
            selected = one["probabilities"][s].argmax(1)
            x = drawn.tokens[s][np.arange(6), selected]
            v = answers["v"]["W"][s, :, 0]
            N = drawn.labels[s] * (x @ v) * np.linalg.norm(one["v"][s]) / np.linalg.norm(v)
            logits = np.einsum("ntd,de,ne->nt", drawn.tokens[s], one["W"][s], drawn.queries[s])
            gaps = np.sort(logits, axis=1)
            gap, support, asked = gaps[:, -1] - gaps[:, -2], answers["support"][s], answers["asked"][s]
            M = gap[support].min()
            total = N + M * asked
            assert (asked[support] == 1).all()
            inner = (asked > 0) & (asked < 1)
            np.testing.assert_allclose(total[inner], N.min() + M, rtol=1e-6)
            assert (total[asked == 0] >= N.min() + M - 1e-6 * M).all()
            seen += inner.sum()
    assert seen > 10


def test_every_answer_is_certified_and_asks_what_its_name_says(run):
    _, drawn, trained, solved, _ = run
    for rate, answers in solved.items():
        for name in (*measures.TARGETS, *measures.HEADS):
            assert (answers[name]["status"] == "solved").all(), (rate, name)
        selected = trained[rate]["probabilities"].argmax(-1)
        norms = {name: np.linalg.norm(answers[name]["W"], axis=(1, 2)) for name in measures.TARGETS}
        # What asks for less is no longer: even ≥ graded ≥ relaxed ≥ only.
        for more, less in (("even", "graded"), ("graded", "relaxed"), ("relaxed", "only")):
            assert (norms[more] >= norms[less] * (1 - 1e-9)).all()
        x = np.take_along_axis(drawn.tokens, selected[..., None, None], 2)[:, :, 0]
        margin = drawn.labels * (x @ answers["v"]["W"])[..., 0]
        assert (margin >= 1 - 1e-9).all()
        np.testing.assert_allclose(margin[answers["support"]], 1.0, atol=1e-6)


def test_the_graded_solution_is_the_near_one_at_every_rate(run):
    """And margin 1 throughout only where v hardly moves, the relaxed one only where it is far ahead."""
    table = measures.table(run[4], SETTINGS["measures"])
    medians = where(table, interval=QUARTILES).pivot(index="rate", columns="quantity", values="value")
    assert (medians["graded"] < 5e-3).all()
    assert (medians["shuffled"] > medians["graded"]).all()
    assert medians.loc[0.01, "relaxed"] > 10 * medians.loc[0.01, "graded"]
    assert medians.loc[10.0, "even"] > 10 * medians.loc[10.0, "graded"]
    assert (medians["v"] < 0.02).all()
    assert (medians["v_other"] > 0.3).all()


def test_a_margin_row_is_an_input_that_is_no_support_vector(run):
    _, drawn, trained, solved, found = run
    rows = found.instances[found.instances["quantity"] == "margin"]
    for rate, answers in solved.items():
        here = rows[rows["rate"] == float(rate)]
        free = ~answers["support"] & ~answers["support"].all(1)[:, None]
        assert len(here) == free.sum()
        s, i = np.argwhere(free)[0]
        logits = np.einsum("ntd,de,ne->nt", drawn.tokens[s], trained[rate]["W"][s], drawn.queries[s])
        gaps = np.sort(logits, axis=1)[:, -2:] @ [-1.0, 1.0]
        ratio = gaps[i] / gaps[answers["support"][s]].min()
        assert here["value"].iloc[0] == pytest.approx(ratio, rel=1e-9)
        assert here["asked"].iloc[0] == answers["asked"][s, i]
