"""How far the weights are from the direction of their max-margin solution, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import quartiles, with_means


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for normalisation, runs in trained.items():
        for parametrisation, run in runs.items():
            answer = solved[normalisation][parametrisation]
            kept = answer["status"] == "solved"
            value = 1.0 - correlation(run["weights"], answer["W"][:, None])[kept]
            columns = {"normalisation": normalisation, "parametrisation": parametrisation}
            frames.append(curves(problems.seeds[kept], run["steps"], {"value": value}, **columns))
            end = np.where(kept, "measured", "without SVM")
            ends.append(outcomes(cell, problems.seeds, np.char.add(f"{normalisation}_{parametrisation} ", end)))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    return with_means(quartiles, measures.instances, ["normalisation", "parametrisation", "step"])
