"""How the weights correlate with the solution constrained at every position, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import middles, with_means


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for attention, runs in trained.items():
        for parametrisation, run in runs.items():
            answer = solved[attention][parametrisation]
            certain = answer["status"] == "solved"
            saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
            kept = certain & saturated
            value = correlation(run["weights"], answer["W"][:, None])[kept]
            columns = {"attention": attention, "parametrisation": parametrisation}
            frames.append(curves(problems.seeds[kept], run["steps"], {"value": value}, **columns))
            end = np.where(saturated, np.where(certain, "measured", answer["status"]), "not saturated")
            ends.append(outcomes(cell, problems.seeds, np.char.add(f"{attention}_{parametrisation} ", end)))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    return with_means(middles, measures.instances, ["attention", "parametrisation", "step"])
