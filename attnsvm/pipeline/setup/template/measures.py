"""The distance between the trained W and its solution, per instance; then quartiles per dimension."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.medians import quartiles


def measures(cell, problems, trained, solved, settings):
    good = solved["status"] == "solved"
    distance = 1.0 - correlation(trained["weights"], solved["W"])
    rows = pd.DataFrame({"d": cell.d, "seed": problems.seeds, "distance": distance})[good]
    return Measures(rows, outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM")))


def table(measures, settings):
    return quartiles(measures.instances.groupby("d")["distance"])
