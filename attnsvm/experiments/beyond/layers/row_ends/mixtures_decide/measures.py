"""How far both layers are from either problem, and whether a row of the layer below keeps a mixture, per instance."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, outcomes
from attnsvm.analysis.stacked import saturated
from attnsvm.experiments.beyond.layers.row_ends.ends import TWO, corrected

RULES = ("stated", "corrected")


def measures(cell, problems, trained, solved, settings):
    W = trained["weights"][:, -1, :, 0]
    proved = all_solved(answer for layers in solved.values() for answer in layers.values())
    whole = saturated(trained["top"])
    columns = {"seed": problems.seeds}
    for rule in RULES:
        each = [1.0 - correlation(W[:, int(layer) - 1], answer["W"]) for layer, answer in solved[rule].items()]
        columns[rule] = np.max(each, axis=0)
    columns["mixed"] = corrected(problems, trained, TWO).mixed.any((1, 2, 3, 4, 5))
    words = np.select([~proved, ~whole], ["without SVM", "not saturated"], "measured")
    return Measures(pd.DataFrame(columns)[proved & whole], outcomes(cell, problems.seeds, words))
