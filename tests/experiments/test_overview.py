"""The paper in three pictures: of each of the three tables, what its picture is about is drawn."""

import numpy as np
from drawing import assert_drawn, released, together
from running import Run

from attnsvm.analysis.rows import where
from attnsvm.analysis.statistics import QUARTILES
from attnsvm.experiments.paper.overview import figure


def test_the_numbers_of_each_picture_are_drawn(tmp_path):
    lines = Run("hyperplanes", {"problems": {"T": 5, "seed": 3}, "descent": {"steps": 300}}, tmp_path).table
    steps, types = released("normalisation", "value"), released("convergence_types", "value")
    table = together(hyperplanes=lines, normalisation=steps, convergence_types=types)
    trained = lines[lines.parametrisation.isna() | (lines.parametrisation == "W")]
    tokens = trained[trained.kind.isin(["token", "optimal_token"])]
    reach = figure.REACH * np.hypot(tokens.x, tokens.y).max()
    seen = trained[(trained.kind != "trajectory") | (np.hypot(trained.x, trained.y) <= reach)]
    assert 0 < (seen.kind == "trajectory").sum() < (trained.kind == "trajectory").sum()
    exact = where(steps, normalisation="exact", interval=QUARTILES)
    best = types[(types.type == "global") & (types.parametrisation == "W")]
    assert_drawn(figure.draw, table, seen[["x", "y"]], exact[["step", "value"]], best[["d", "value"]])
