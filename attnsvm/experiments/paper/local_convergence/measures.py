"""How saturated the softmax is, and how the weights correlate with either solution, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, by_quantity, outcomes
from attnsvm.analysis.statistics import MIDDLE


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for parametrisation, run in trained.items():
        drawn = run["steps"] <= settings["drawn_steps"]
        weights, answers = run["weights"][:, drawn], solved[parametrisation]
        # An instance without both certified solutions leaves every average, by name.
        kept = all_solved(answers.values())
        values = {"softmax": run["largest"][:, drawn]}
        values |= {f"corr_{norm}": correlation(weights, answer["W"][:, None]) for norm, answer in answers.items()}
        known = {quantity: value[kept] for quantity, value in values.items()}
        frames.append(by_quantity(problems.seeds[kept], run["steps"][drawn], known, parametrisation=parametrisation))
        ends.append(outcomes(cell, problems.seeds, np.where(kept, "measured", f"{parametrisation} without SVM")))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    groups = measures.instances.groupby(["parametrisation", "quantity", "step"], sort=False)["value"]
    return groups.agg(mean="mean", std=lambda v: v.std(ddof=0), **MIDDLE, instances="size").reset_index()
