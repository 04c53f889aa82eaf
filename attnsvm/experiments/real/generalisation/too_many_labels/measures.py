"""Whether flipped labels have a solution, and what the solution of clean labels selects of new inputs."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import selected_tokens
from attnsvm.analysis.statistics import mean, share
from attnsvm.experiments.real.generalisation.too_many_labels.problems import inputs, logits, wanted


def measures(cell, problems, trained, solved, settings):
    tokens, labels = cell.variant.split("_")
    good = solved["status"] == "solved"
    columns = {"tokens": tokens, "n": cell.n, "ratio": cell.n * (cell.T - 1) / cell.d**2, "seed": problems.seeds}
    if labels == "flipped":
        columns |= {"quantity": "separable", "value": (solved["status"] != "infeasible").astype(float)}
    else:
        new = inputs(cell, problems.seeds, settings["held_out"], new=True)
        right = (selected_tokens(logits(new, solved["W"][:, None])[:, 0]) == wanted(new)).mean(1)
        columns |= {"quantity": "held_out", "value": np.where(good, right, np.nan)}
    words = np.char.add(f"{cell.variant} ", solved["status"])
    return Measures(pd.DataFrame(columns), outcomes(cell, problems.seeds, words))


def table(measures, settings):
    rows = []
    found = measures.instances.dropna()
    for (tokens, n, ratio, quantity), own in found.groupby(["tokens", "n", "ratio", "quantity"], sort=False):
        names = {"tokens": tokens, "n": n, "ratio": ratio, "quantity": quantity}
        rows.append(names | (share(own["value"]) if quantity == "separable" else mean(own["value"])))
    return pd.DataFrame(rows)
