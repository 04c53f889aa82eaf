"""Stacks with something else in them: the rows in numpy are those of the tape, the plain kind follows the law."""

import numpy as np
import pytest
from running import Quiet

from attnsvm.analysis.ends import equal_tokens
from attnsvm.analysis.stacked import distance, norms
from attnsvm.data.draws import draw, gaussian
from attnsvm.experiments.beyond.layers_beyond.descent import descent
from attnsvm.experiments.beyond.layers_beyond.ends import corrected, rows_at, saturated, stated
from attnsvm.experiments.beyond.layers_beyond.kinds import CLASSES, EPS, KINDS, TARGET, seen, stack_of
from attnsvm.experiments.beyond.layers_beyond.models import fixed, model
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
    problems = seen(kind, problems)
    rows = rows_at(problems, run, kind, -1)
    read = np.exp(rows.top) @ rows.tokens[:, 1][:, None]  # (S, H, n, 1, d)
    read = (read @ drawn["values"][:, 1][:, :, None] if kind.heads > 1 else read).sum(1)
    if kind.behind:
        centred = read - read.mean(-1, keepdims=True)
        read = centred / np.sqrt(np.square(centred).mean(-1, keepdims=True) + EPS)
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
    W = {f"W{k}{h}": Node(run["weights"][:, -1, k - 1, h], weight=True) for k in (1, 2) for h in range(kind.heads)}
    np.testing.assert_allclose(model(kind)(W, nodes).value, wanted.mean(-1), rtol=1e-9)


def test_the_plain_kind_follows_the_law_and_a_normalisation_stops_the_weights(trained):
    problems, runs = trained
    kind = KINDS["plain"]
    ends = corrected(problems, runs["plain"], kind)
    assert saturated(problems, runs["plain"], kind, ends).all()
    for layer, constraints in layer_problems(stack_of(kind), ends, problems.queries).items():
        far = distance(runs["plain"]["weights"], layer, as_arrays(solve_batch(constraints))["W"])[:, -1]
        assert np.median(far) < 0.02  # measured 7e-3 at ‖W‖ = 120
    name = "normalised before the top"
    winners = stated(problems, runs[name], KINDS[name])
    assert not saturated(problems, runs[name], KINDS[name], winners).any()
    assert np.median(norms(runs[name]["weights"])[:, -1]) < 0.5 * np.median(norms(runs["plain"]["weights"])[:, -1])


def test_tokens_of_the_kinds_are_one_hot_or_repeat(trained):
    problems, _ = trained
    one_hot, repeated = (seen(KINDS[name], problems).tokens for name in ("one-hot tokens", "repeated tokens"))
    assert (np.sort(one_hot, axis=-1)[..., -1] == 1.0).all()
    assert (one_hot.sum((2, 3)) == 5.0).all()
    assert one_hot.sum(2).max() == 1.0  # none twice in an input
    copies = equal_tokens(repeated).sum((-1, -2))
    assert copies.min() == 5
    assert copies.max() > 5
    np.testing.assert_allclose(np.linalg.norm(repeated, axis=-1), 1.0, rtol=1e-6)
