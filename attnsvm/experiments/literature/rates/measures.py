"""Whether descent ends on the optimal tokens, how fast W turns to their solution, how fast the softmax saturates."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.slopes import slope
from attnsvm.experiments.literature.rates.others import logarithm_of_others

KEYS = ["scores", "run", "quantity", "at"]
TWO_DECADES = 100


def measures(cell, problems, trained, solved, settings):
    frames = [
        curves(problems.seeds, trained["sizes"], {"value": won}, quantity="optimal", run="normalised", scores=name)
        for name, won in trained["optimal"].items()
    ]
    good = solved["status"] == "solved"
    known = problems[good]
    for run, of in trained["runs"].items():
        W, steps = of["weights"][good], of["steps"]
        distance = np.sqrt(2.0 * np.maximum(1.0 - correlation(W, solved["W"][good][:, None]), 0.0))
        depth = -logarithm_of_others(known, W)
        found = {"distance": distance, "depth": depth}
        followed = {"turning": np.log(distance), "saturating": -depth, "deepening": np.log(depth)}
        found |= {name: slope(values, steps, TWO_DECADES) for name, values in followed.items()}
        frames.append(by_quantity(known.seeds, steps, found, run=run, scores="equal"))
    frame = pd.concat(frames).rename(columns={"step": "at"})
    words = np.where(good, "measured", "without SVM")
    return Measures(frame[[*KEYS, "seed", "value"]].dropna(), outcomes(cell, problems.seeds, words))


def table(measures, settings):
    return medians(measures.instances, KEYS, "optimal".__eq__)
