"""How far the weights are from the direction of their max-margin solution, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.decades import before
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import medians, quartiles, with_means


@gathered
def measures(cell, problems, trained, solved, settings):
    for normalisation, runs in trained.items():
        for parametrisation, run in runs.items():
            answer = solved[normalisation][parametrisation]
            kept = answer["status"] == "solved"
            value = 1.0 - correlation(run["weights"], answer["W"][:, None])[kept]
            columns = {"normalisation": normalisation, "parametrisation": parametrisation}
            yield curves(problems.seeds[kept], run["steps"], {"value": value}, **columns)
            end = np.where(kept, "measured", "without SVM")
            yield outcomes(cell, problems.seeds, np.char.add(f"{normalisation}_{parametrisation} ", end))


def table(measures, settings):
    """The distances along training; and, of each instance, what the last decade of steps leaves of its distance."""
    keys = ["normalisation", "parametrisation"]
    wide = measures.instances.pivot(index=[*keys, "seed"], columns="step", values="value")
    end = wide.columns[-1]
    left = (wide[end] / wide[before(wide.columns.to_numpy())]).dropna().rename("value").reset_index().assign(step=end)
    rows = with_means(quartiles, measures.instances, [*keys, "step"])
    return pd.concat([rows, medians(left, [*keys, "step"])], ignore_index=True)
