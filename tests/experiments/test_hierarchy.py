"""The picture of the plane: lines that separate what they say, and only rows that count."""

import numpy as np
import pytest

from attnsvm.experiments.beyond.hierarchy.measures import measures, separator, table
from attnsvm.experiments.beyond.hierarchy.problems import cells, problems
from attnsvm.experiments.beyond.hierarchy.svm import svm
from attnsvm.experiments.beyond.layers.descent import KEPT
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import Stack, train_stack


@pytest.fixture(scope="module")
def drawn():
    (cell,) = cells({"n": 2, "T": 5, "seed": 1338})
    batch = problems(cell, {})
    trained = train_stack(batch, Stack(layers=3), LinearHead, exact(0.1), 4000, 4000).arrays(*KEPT)
    found = measures(cell, batch, trained, svm(batch, trained, {}), {})
    return batch, trained, table(found, {})


def test_a_line_lies_midway_between_the_selected_token_and_the_next():
    X = np.array([[2.0, 0.0], [1.0, 5.0], [-3.0, 1.0]])
    line = separator("svm", 0, 1, X, 0, np.array([2.0, 0.0]))
    assert np.isclose(line["x"], 1.5)  # between the x of 2 and of 1, whatever the length of the direction
    assert np.isclose(line["from_x"], 1.5)
    assert line["y"] * line["from_y"] < 0


def test_every_line_has_its_token_on_one_side_and_the_others_on_the_other(drawn):
    _, trained, rows = drawn
    lines = rows[rows["kind"].isin(("trained", "svm"))]
    assert len(lines) == 2 * len(rows[rows["kind"] == "choice"]) > 0
    for line in lines.itertuples():
        X = trained["tokens"][0, int(line.layer) - 1, int(line.input) - 1]
        foot, across = np.array([line.x, line.y]), np.array([line.from_x - line.x, line.from_y - line.y])
        side = (X - foot) @ np.array([-across[1], across[0]])
        t = int(line.token) - 1
        assert (np.delete(side, t) * side[t] < 0).all()
