"""How saturated the softmax is, and how the weights correlate with either solution, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import all_solved, by_quantity, gathered, outcomes
from attnsvm.analysis.medians import middles
from attnsvm.analysis.rows import last
from attnsvm.analysis.statistics import mean

# The correlation with the solution in the norm of the parametrisation, and that with the other one.
OWN = {"W": ("corr_fro", "corr_nuc"), "KQ": ("corr_nuc", "corr_fro")}


@gathered
def measures(cell, problems, trained, solved, settings):
    for parametrisation, run in trained.items():
        drawn = run["steps"] <= settings["drawn_steps"]
        weights, answers = run["weights"][:, drawn], solved[parametrisation]
        # An instance without both certified solutions leaves every average, by name.
        kept = all_solved(answers.values())
        values = {"softmax": run["largest"][:, drawn]}
        values |= {f"corr_{norm}": correlation(weights, answer["W"][:, None]) for norm, answer in answers.items()}
        known = {quantity: value[kept] for quantity, value in values.items()}
        yield by_quantity(problems.seeds[kept], run["steps"][drawn], known, parametrisation=parametrisation)
        yield outcomes(cell, problems.seeds, np.where(kept, "measured", f"{parametrisation} without SVM"))


def table(measures, settings):
    rows = measures.instances
    curves = middles(rows.groupby(["parametrisation", "quantity", "step"], sort=False)["value"])
    leads = []
    for (parametrisation, step), end in last(rows).groupby(["parametrisation", "step"], sort=False):
        by_quantity = end.pivot(index="seed", columns="quantity", values="value")
        own, other = OWN[parametrisation]
        names = {"parametrisation": parametrisation, "quantity": "lead", "step": step}
        leads.append(names | mean(by_quantity[own] - by_quantity[other]))
    return pd.concat([curves, pd.DataFrame(leads)], ignore_index=True)
