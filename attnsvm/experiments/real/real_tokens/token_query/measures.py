"""How far K Qᵀ is from the nuclear and from the Frobenius solution, per instance along training, and at its end."""

import numpy as np
import pandas as pd

from attnsvm.analysis.decades import approach
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, curves, outcomes
from attnsvm.analysis.rows import last
from attnsvm.analysis.statistics import share


def measures(cell, problems, trained, solved, settings):
    saturated = trained["probabilities"].max(-1).min(-1) >= settings["saturated"]
    proved = all_solved(solved.values())
    kept = saturated & proved
    frames = []
    for norm, answers in solved.items():
        value = 1.0 - correlation(trained["weights"], answers["W"][:, None])
        frames.append(curves(problems.seeds[kept], trained["steps"], {"value": value[kept]}, solution=norm))
    words = np.select([~saturated, ~proved], ["not saturated", "without SVM"], "measured")
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, words))


def table(measures, settings):
    rows = measures.instances.assign(quantity="distance")
    ends = last(rows).pivot(index="seed", columns="solution", values="value")
    nearer = {"solution": "nuc", "quantity": "nearer than fro", "step": rows["step"].max()} | share(
        ends["nuc"] < ends["fro"]
    )
    return pd.concat([approach(rows, ["solution"]), pd.DataFrame([nearer])], ignore_index=True)
