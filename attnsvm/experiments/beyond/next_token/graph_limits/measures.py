"""How far the trained weights are from W_fin + C·W_mm, per data set along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.decades import approach
from attnsvm.analysis.directions import correlation, scale_by_norm, svm_equivalent
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.rows import last, where
from attnsvm.analysis.statistics import share
from attnsvm.experiments.beyond.next_token.measures import became

SOLUTIONS = {"squared": ("fro", "graded"), "factored": ("fro", "nuc")}


def measures(cell, problems, trained, solved, settings):
    exists = np.logical_and.reduce([trained[run]["exists"] for run in SOLUTIONS])
    outcome = became(cell, trained["cyclic"], solved, exists)
    kept = outcome == cell.variant
    frames = []
    for run, names in SOLUTIONS.items():
        W, fin = trained[run]["weights"][kept], trained[run]["fin"][kept, None]
        for solution in names:
            target = svm_equivalent(W, fin, solved[solution]["W"][kept, None], scale_by_norm)
            values = {"value": 1.0 - correlation(W, target)}
            columns = {"graphs": cell.variant, "run": run, "solution": solution}
            frames.append(curves(problems.seeds[kept], trained[run]["steps"], values, **columns))
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, outcome))


def table(measures, settings):
    rows = measures.instances.dropna().assign(quantity="distance")
    ends, shares = last(where(rows, run="factored")), []
    for (kind, step), own in ends.groupby(["graphs", "step"], sort=False):
        wide = own.pivot(index="seed", columns="solution", values="value")
        names = {"graphs": kind, "run": "factored", "solution": "nuc", "quantity": "nearer than fro", "step": step}
        shares.append(names | share(wide["nuc"] < wide["fro"]))
    return pd.concat([approach(rows, ["graphs", "run", "solution"]), pd.DataFrame(shares)], ignore_index=True)
