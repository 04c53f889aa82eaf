"""How far every variant is from its solution, whether it selects, and what merging does to the margin."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.statistics import mean_share
from attnsvm.experiments.summaries.attention_variants.merged import HALF, MERGED, PLAIN, RESCALED
from attnsvm.experiments.summaries.attention_variants.predictions import LINEAR, MIXER, UNIFORM, token_weights

MEANS = ("same", "peak")  # of the others the median is read


def measures(cell, problems, trained, solved, settings):
    steps, runs, linear = trained["steps"], trained["runs"], trained["linear"]
    tokens, predictions = solved["tokens"], solved["predictions"]
    good = all_solved((*tokens.values(), *predictions.values()))
    margin = {name: 1 / np.linalg.norm(answer["W"], axis=(1, 2)) for name, answer in tokens.items()}
    plain = runs[PLAIN]["selected"]
    frames = []

    def keep(variant, quantity, value):
        """Rows of a value per step (S, L), or of a value after the last step (S,)."""
        at = steps if value.ndim == 2 else steps[-1:]
        columns = {"variant": variant, "quantity": quantity}
        frames.append(curves(problems.seeds[good], at, {"value": value[good]}, **columns))

    for name, run in runs.items():
        keep(name, "distance", 1 - correlation(run["weights"], tokens[name]["W"][:, None]))
        keep(name, "peak", run["largest"])
        if name in (MERGED, RESCALED, HALF):
            keep(name, "same", (run["selected"] == plain // 2).mean(1))
            keep(name, "margin", margin[name] / margin[PLAIN])
        elif name != PLAIN:
            keep(name, "same", (run["selected"] == plain).mean(1))
    keep(MERGED, "margin_half", margin[MERGED] / margin[HALF])
    for name in (LINEAR, MIXER):
        keep(name, "predictions", 1 - correlation(linear[name], predictions[name]["W"][:, None]))
    keep(LINEAR, "distance", 1 - correlation(linear[LINEAR], tokens[LINEAR]["W"][:, None]))
    keep(PLAIN, "predictions", 1 - correlation(runs[PLAIN]["weights"], predictions[LINEAR]["W"][:, None]))
    for name in (LINEAR, MIXER, UNIFORM):
        keep(name, "peak", peak(token_weights(problems, name, linear[name])))
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM")))


def peak(weights) -> np.ndarray:
    """The largest part of the absolute weight that one token has, mean over the inputs: (S, L), of (S, L, n, T)."""
    size = np.abs(weights)
    return (size.max(3) / size.sum(3)).mean(2)


def table(measures, settings):
    return medians(measures.instances, ["variant", "quantity", "step"], MEANS.__contains__, mean_share)
