"""How far the weights are from the direction of their max-margin solution, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.decades import before
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import quartiles, with_means
from attnsvm.analysis.statistics import median


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
    keys = ["normalisation", "parametrisation"]
    left = [
        dict(zip(keys, key, strict=True)) | _left(own.pivot(index="seed", columns="step", values="value"))
        for key, own in measures.instances.groupby(keys, sort=False)
    ]
    return pd.concat(
        [with_means(quartiles, measures.instances, [*keys, "step"]), pd.DataFrame(left)], ignore_index=True
    )


def _left(wide):
    """What the last decade of steps leaves of a distance, instance by instance."""
    end = wide.columns[-1]
    return {"step": end} | median((wide[end] / wide[before(wide.columns.to_numpy())]).to_numpy())
