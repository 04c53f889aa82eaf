"""Whether descent ends on the optimal tokens, how fast W turns to their solution, how fast the softmax saturates."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.rates.others import logarithm_of_others

KEYS = ["scores", "run", "quantity", "at"]


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
        found |= {"turning": slope(np.log(distance), steps), "saturating": slope(-depth, steps)}
        found["deepening"] = slope(np.log(depth), steps)
        frames += [
            curves(known.seeds, steps, {"value": v}, quantity=q, run=run, scores="equal") for q, v in found.items()
        ]
    frame = pd.concat(frames).rename(columns={"step": "at"})
    words = np.where(good, "measured", "without SVM")
    return Measures(frame[[*KEYS, "seed", "value"]].dropna(), outcomes(cell, problems.seeds, words))


def slope(values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The slope of values (S, K) against log step over the two decades before each step; NaN before there are any."""
    before = np.searchsorted(steps, steps / 100, side="right") - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (values - values[:, before]) / np.log(steps / steps[before])
    return np.where(steps >= 100, found, np.nan)


def table(measures, settings):
    return pd.DataFrame(
        [row | {"instances": len(of)} for row, of in medians(measures.instances, KEYS, "optimal".__eq__)]
    )
