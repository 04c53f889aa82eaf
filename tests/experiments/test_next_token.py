"""The next-token experiment: its data sets, its margins, and what its claims would say of other numbers."""

import numpy as np
import pytest
from running import one_cell, smoke_settings

from attnsvm.data.cells import Cell
from attnsvm.data.graphs import token_graphs
from attnsvm.experiments.beyond.next_token import problems, svm

SETTINGS = smoke_settings("next_token")


@pytest.fixture(scope="module")
def measured():
    parts = []
    for kind in problems.KINDS:
        cell = Cell(6, 4, 8, tuple(range(4)), kind)
        parts.append(one_cell("next_token", SETTINGS, cell)[1:])
    return dict(zip(problems.KINDS, parts, strict=True))


@pytest.mark.parametrize("kind", problems.KINDS)
def test_every_data_set_is_of_its_kind_and_its_tokens_can_be_read_back(kind):
    drawn = problems.problems(Cell(6, 4, 8, tuple(range(30)), kind), SETTINGS["problems"])
    vocabulary, inputs, labels, last = problems.token_numbers(drawn)
    places = np.arange(30)[:, None]
    assert (vocabulary[places[..., None], inputs] == drawn.tokens).all()
    assert (vocabulary[places, last] == drawn.queries).all()
    assert (inputs[..., 0] == labels).all()
    assert (inputs == last[..., None]).any(-1).all()
    for X, y, z in zip(inputs, labels, last, strict=True):
        assert token_graphs(X, y, 6, z).cyclic == (kind == "cyclic")


def test_an_input_whose_label_is_alone_asks_for_half_of_the_margin():
    """By hand: under the query 3, 0 and 1 beat each other, and one input has 0 without 1."""
    inputs, labels, last = np.array([[0, 1, 2], [1, 0, 4], [0, 4, 4]]), np.array([0, 1, 0]), np.array([3, 3, 3])
    margins = svm.rates(token_graphs(inputs, labels, 5, last), inputs, labels, last)
    assert margins[3, 0, 2] == 1.0
    assert margins[3, 1, 4] == 1.0
    assert margins[3, 0, 4] == 0.5


def test_what_is_drawn_is_the_distance_to_the_sum_recomputed(measured):
    """The last value of the split run, with C solved for by a root finder on its definition."""
    drawn, trained, solved, found = measured["cyclic"]
    rows = found.instances.query("quantity == 'ahead' and rule == 'split' and loss == 'nll' and solution == 'fro'")
    rows = rows[(rows["parametrisation"] == "W") & (rows["step"] == rows["step"].max())]
    for seed, value in zip(rows["seed"], rows["value"], strict=True):
        s = drawn.seeds.tolist().index(seed)
        W, fin, mm = trained["split"]["nll"]["weights"][s, -1], trained["finite"]["nll"]["W"][s], solved["fro"]["W"][s]
        low, high = 0.0, 1e6
        for _ in range(200):
            C = (low + high) / 2
            low, high = (C, high) if np.linalg.norm(fin + C * mm) < np.linalg.norm(W) else (low, C)
        target = fin + C * mm
        distance = 1 - (W * target).sum() / np.linalg.norm(W) / np.linalg.norm(target)
        assert value == pytest.approx(distance, abs=1e-10)
