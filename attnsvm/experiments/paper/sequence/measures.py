"""How the weights correlate with the solution constrained at every position, along training."""

import numpy as np

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import middles, with_means


@gathered
def measures(cell, problems, trained, solved, settings):
    for attention, runs in trained.items():
        for parametrisation, run in runs.items():
            answer = solved[attention][parametrisation]
            certain = answer["status"] == "solved"
            saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
            kept = certain & saturated
            value = correlation(run["weights"], answer["W"][:, None])[kept]
            columns = {"attention": attention, "parametrisation": parametrisation}
            yield curves(problems.seeds[kept], run["steps"], {"value": value}, **columns)
            end = np.where(saturated, np.where(certain, "measured", answer["status"]), "not saturated")
            yield outcomes(cell, problems.seeds, np.char.add(f"{attention}_{parametrisation} ", end))


def table(measures, settings):
    return with_means(middles, measures.instances, ["attention", "parametrisation", "step"])
