"""What becomes of stacks: every run has one end, and the shares of a shape add up to one."""

import numpy as np
import pandas as pd
import pytest
from running import Quiet

from attnsvm.analysis.measured import Measures
from attnsvm.data.cells import Cell
from attnsvm.data.draws import draw_cell, gaussian
from attnsvm.experiments.beyond.layer_shapes.descent import descent
from attnsvm.experiments.beyond.layer_shapes.measures import ENDS, PROBLEMS, measures, table
from attnsvm.experiments.beyond.layer_shapes.svm import svm


@pytest.fixture(scope="module")
def measured():
    cell = Cell(3, 5, 8, tuple(range(6)))
    problems = draw_cell(gaussian, cell)
    trained = descent(problems, {"depths": [2, 3], "steps": 3000, "learning_rate": 0.1}, Quiet())
    return measures(cell, problems, trained, svm(problems, trained, {}), {"correlation": 0.98})


def test_every_run_has_one_end(measured):
    frame = measured.instances
    assert len(frame) == 3 * 2 * 6
    frame = frame[frame["problem"] == "present"]
    assert set(frame["end"]) <= set(ENDS)
    assert list(measured.outcomes["outcome"]) == [f"{row.end} (depth {row.depth})" for row in frame.itertuples()]


def test_two_layers_in_eight_dimensions_follow_the_law(measured):
    frame = measured.instances
    for problem in PROBLEMS:  # 64 of 64 instances at the paper's scale
        assert (frame[(frame["depth"] == 2) & (frame["problem"] == problem)]["end"] == "law").mean() >= 0.8


def test_the_corrected_problem_is_as_near_or_nearer(measured):
    """Of two layers; of three, 3000 steps leave it open in one instance what a row goes to."""
    two = measured.instances[measured.instances["depth"] == 2]
    far, mixed = two.pivot(index="seed", columns="problem", values="distance"), two.groupby("seed")["mixed"].first()
    assert mixed.any()
    assert not mixed.all()
    assert far.loc[mixed, "corrected"].max() <= far.loc[mixed, "stated"].max()


def test_no_correlation_reaches_one(measured):
    """The threshold decides: nothing has a correlation of exactly 1."""
    cell = Cell(3, 5, 8, (0, 1))
    problems = draw_cell(gaussian, cell)
    trained = descent(problems, {"depths": [2], "steps": 500, "learning_rate": 0.1}, Quiet())
    found = measures(cell, problems, trained, svm(problems, trained, {}), {"correlation": 1.0})
    assert "law" not in set(found.instances["end"])


def test_the_shares_of_a_shape_add_up_to_one():
    ends = ["law"] * 3 + ["farther", "equal tokens"]
    values = {"problem": "corrected", "distance": [0.1, 0.2, 0.3, 0.4, 9.0], "mixed": [True, False, False, True, True]}
    frame = pd.DataFrame({"depth": 2, "n": 3, "T": 5, "d": 4, "seed": range(5), "end": ends} | values)
    rows = table(Measures(frame, frame), {}).set_index("end")
    assert list(rows.index) == [*ENDS, "mixed"]
    assert rows.loc["mixed", ["value", "instances"]].tolist() == [0.5, 4]  # of the runs that can be measured
    assert np.isclose(rows.loc["law", "tail"], np.quantile([0.1, 0.2, 0.3, 0.4], 0.95))
    rows = rows.loc[list(ENDS)]
    assert np.isclose(rows["value"].sum(), 1)
    assert rows.loc["law", "value"] == 0.6
    assert (rows["low"] <= rows["value"]).all()
