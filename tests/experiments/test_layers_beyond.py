"""Stacks with something else in them: the rows in numpy are those of the tape, the plain kind follows the law."""

import numpy as np
import pytest
from running import Quiet

from attnsvm.analysis.stacked import distance, norms
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.layers_beyond.descent import descent
from attnsvm.experiments.layers_beyond.ends import TWO, corrected, rows_at, saturated, stated
from attnsvm.experiments.layers_beyond.kinds import CLASSES, KINDS, TARGET
from attnsvm.experiments.layers_beyond.models import fixed, model
from attnsvm.svm.law import layer_problems
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch
from attnsvm.training.tape.data import inputs_of
from attnsvm.training.tape.node import Node


@pytest.fixture(scope="module")
def trained():
    problems = draw(gaussian, range(300, 304), 3, 5, 16)
    return problems, descent(problems, {"steps": 400, "points": 4, "learning_rate": 0.3}, Quiet())


@pytest.mark.parametrize("name", KINDS)
def test_the_rows_in_numpy_make_the_loss_of_the_tape(trained, name):
    problems, runs = trained
    run, kind, drawn = runs[name], KINDS[name], fixed(problems)
    rows = rows_at(problems, run, kind, -1)
    read = np.exp(rows.top[:, 0, :, 0])[:, :, None] @ rows.tokens[:, 1]  # (S, n, 1, d)
    out = (read @ problems.head[:, None, :, None])[..., 0, 0] * problems.labels
    if kind.loss == "classes":
        logits = (read @ drawn["reader"][:, None])[:, :, 0]
        right = drawn["classes"].astype(int)[..., None]
        assert logits.shape[-1] == CLASSES
        wanted = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, right, 2)[..., 0]
    else:
        wanted = np.square(out - TARGET) if kind.loss == "squared" else np.log1p(np.exp(-out))
    given = inputs_of(problems) | drawn | {"classes": drawn["classes"][..., None]}
    nodes = {key: Node(np.asarray(x, dtype=float)) for key, x in given.items()}
    W = {f"W{k}": Node(run["weights"][:, -1, k - 1, 0], weight=True) for k in (1, 2)}
    np.testing.assert_allclose(model(kind)(W, nodes).value, wanted.mean(-1), rtol=1e-9)


def test_the_plain_kind_follows_the_law_and_a_normalisation_stops_the_weights(trained):
    problems, runs = trained
    kind = KINDS["plain"]
    ends = corrected(problems, runs["plain"], kind)
    assert saturated(problems, runs["plain"], kind, ends).all()
    for layer, constraints in layer_problems(TWO, ends, problems.queries).items():
        far = distance(runs["plain"]["weights"], layer, as_arrays(solve_batch(constraints))["W"])[:, -1]
        assert np.median(far) < 0.02  # measured 7e-3 at ‖W‖ = 120
    name = "normalised before the top"
    winners = stated(problems, runs[name], KINDS[name])
    assert not saturated(problems, runs[name], KINDS[name], winners).any()
    assert np.median(norms(runs[name]["weights"])[:, -1]) < 0.5 * np.median(norms(runs["plain"]["weights"])[:, -1])
