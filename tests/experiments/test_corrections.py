"""The figure of corrected mappings on a small model: what is asked, gradient descent, and its numbers by hand."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch
from drawing import assert_drawn
from running import Run, smoke_settings
from small_models import of_reactions

from attnsvm.data.problems import Problems
from attnsvm.errors import UserError
from attnsvm.experiments.real.corrections import asked, descent, figure, measures, outside, problems
from attnsvm.pipeline import blocks
from attnsvm.svm.change import least_change


@pytest.fixture(scope="module")
def albert(tmp_path_factory):
    return of_reactions(tmp_path_factory.mktemp("albert"))


@pytest.fixture(scope="module")
def run(albert, tmp_path_factory):
    given = {"problems": {"model": str(albert)}}
    return Run("corrections", given, tmp_path_factory.mktemp("run"), partial(blocks.cut, most=1), "smoke")


@pytest.fixture(scope="module")
def instance(run):
    _, arrays, trained, solved = next(iter(run.cells))
    return Problems.from_arrays(arrays), trained, solved


def settings_of(folder, **changes):
    return smoke_settings("corrections", problems={"model": str(folder), **changes})["problems"]


def test_every_draw_names_mistakes_of_one_template_and_keeps_what_is_right(instance, run):
    given, _, _ = instance
    W = asked.head(given, 0)
    found = list(asked.draws(given, 0))
    assert len(found) == run.settings["problems"]["templates"] * run.settings["problems"]["draws"]
    for draw in found:
        right = draw.asks.selections(W) == draw.asks.answer
        assert (right == ~draw.named).all()
        assert draw.named.sum() == run.settings["problems"]["named"]
        assert set(draw.asks.template[draw.named]) == {draw.template}
        assert draw.wrong[draw.same].any()
        assert (draw.wrong == (draw.held.selections(W) != draw.held.answer)).all()


def test_no_query_is_held_out_and_asked(instance):
    given, _, _ = instance
    for draw in asked.draws(given, 0):
        mine = {tuple(z) for z in draw.asks.queries}
        assert not mine & {tuple(z) for z in draw.held.queries}


def test_the_bounds_are_those_of_plain_algebra(instance):
    given, _, _ = instance
    W = asked.head(given, 0)
    draw = next(asked.draws(given, 0))
    wanted = []
    for m, logits in enumerate(draw.asks.logits(W)):
        others = np.delete(logits[draw.asks.answer[m]] - logits, draw.asks.answer[m])
        wanted += [1.0] * len(others) if draw.named[m] else np.minimum(others, 1.0).tolist()
    np.testing.assert_allclose(draw.constraints(W).bound, wanted, atol=1e-9)


def test_every_answer_has_its_certificate_and_every_instance_an_outcome(run, instance):
    assert run.outcomes_per_instance() == 1
    counted = run.certificates.set_index("solve")
    assert counted["uncertified"].sum() == 0
    given, _, _ = instance
    assert (counted[["solved", "infeasible"]].sum(axis=1) == len(list(asked.draws(given, 0)))).all()


def test_where_a_change_is_certified_it_corrects_and_keeps(instance):
    """The margins of the whole change, from the logits alone."""
    given, _, solved = instance
    W = asked.head(given, 0)
    kept = 0
    for k, draw in enumerate(asked.draws(given, 0)):
        answer = least_change(draw.constraints(W), W)
        assert str(answer.status) == solved["status"][0, k]
        if answer.solved:
            right = draw.asks.selections(W + answer.W) == draw.asks.answer
            assert right.all()
            assert solved["change"]["named"][0, k] == 1
            assert solved["change"]["lost"][0, k] == 0
            kept += 1
    assert kept > 0


def test_the_gradient_is_that_of_torch(instance):
    given, _, _ = instance
    draw = next(asked.draws(given, 0))
    weights = descent.loss_weights(draw.named, 0.3)
    assert weights.sum() == pytest.approx(1)
    assert weights[draw.named].sum() == pytest.approx(0.3)
    W = torch.tensor(asked.head(given, 0), requires_grad=True)
    loss = torch.zeros((), dtype=torch.float64)
    for m, (first, count) in enumerate(zip(draw.asks.first, draw.asks.counts, strict=True)):
        logits = torch.tensor(draw.asks.tokens[first : first + count]) @ W @ torch.tensor(draw.asks.queries[m])
        loss = loss - weights[m] * torch.log_softmax(logits, 0)[draw.asks.answer[m]]
    loss.backward()
    np.testing.assert_allclose(descent.gradient(draw.asks, W.detach().numpy(), weights), W.grad.numpy(), atol=1e-10)


def test_gradient_descent_stops_at_the_length_and_goes_down(instance):
    given, _, _ = instance
    W, draw = asked.head(given, 0), next(asked.draws(given, 0))
    weights = descent.loss_weights(draw.named, 0.5)
    D = descent.descended(draw.asks, W, weights, 0.01, 20)
    assert np.linalg.norm(D) == pytest.approx(0.01)
    assert (descent.gradient(draw.asks, W, weights) * D).sum() < 0
    assert np.isnan(descent.descended(draw.asks, W, weights, np.nan, 20)).all()


def test_what_a_change_does_is_counted_by_hand(instance):
    """The head as it is corrects nothing and loses nothing; a head of zeros selects the first token everywhere."""
    given, _, _ = instance
    W, draw = asked.head(given, 0), next(asked.draws(given, 0))
    nothing = draw.outcome(W)
    assert nothing == dict.fromkeys(("named", "same", "broken", "other", "net", "lost"), 0.0)
    zeros = draw.outcome(0 * W)
    first = draw.held.answer == 0
    assert zeros["broken"] == (~draw.wrong & ~first).sum()
    assert zeros["same"] == first[draw.wrong & draw.same].mean()
    assert zeros["net"] == (draw.wrong & first).sum() - zeros["broken"]
    assert zeros["other"] == (draw.wrong & first & ~draw.same).sum()


def by_hand():
    rows = []
    for template, fold, own, other in ((3, 1, 2.0, 6.0), (3, 2, 4.0, 6.0), (5, 1, 1.0, 5.0)):
        at = {"seed": fold, "template": template, "draw": 0, "quantity": "broken"}
        rows += [at | {"kind": "least change", "value": own}, at | {"kind": "gradient 0.5", "value": other}]
    return pd.DataFrame(rows)


def test_a_template_counts_once_in_the_table():
    found = measures.table(measures.Measures(by_hand(), pd.DataFrame()), {})
    mean = found[found.template.isna()].set_index(["part", "kind"])
    assert mean.loc[("change", "least change"), "value"] == pytest.approx((3 + 1) / 2)
    lead = mean.loc[("lead", "gradient 0.5")]
    half = 1.959963984540054 * np.std([-3, -4], ddof=1) / np.sqrt(2)
    assert (lead.value, lead.low, lead.high, lead.instances) == pytest.approx((-3.5, -3.5 - half, -3.5 + half, 2))


def test_the_figure_shows_the_table(run):
    means = run.table[(run.table.part == "change") & run.table.template.isna()]
    panels = [means[means.quantity == quantity]["value"].dropna() for quantity in figure.PANELS]
    assert all(map(len, panels))
    assert_drawn(figure.draw, run.table, y=np.concatenate(panels))


def test_bad_settings_are_one_sentence(albert):
    with pytest.raises(UserError, match="figures/corrections: there is no model 'nowhere'"):
        outside.files({"model": "nowhere"})
    for changes, sentence in (
        ({"layer": 7}, "has the layers 0 to 1 and the heads 0 to 1, so there is no head 1 in a layer 7"),
        ({"named": 100}, "there is no template with 100 mistakes of this head and one that is held out"),
    ):
        given = settings_of(albert, **changes)
        (cell,) = problems.cells(given)
        with pytest.raises(UserError, match=sentence):
            problems.problems(cell, given)
