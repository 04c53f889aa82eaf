"""The margin ratios of every run in the Frobenius and in the max norm, along training."""

import numpy as np
import pandas as pd

from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import medians

KEYS = ["rule", "inputs", "norm", "step"]


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        rule, _, inputs = name.rpartition(", ")
        place = solved["place"][name]
        good = np.all([answer["status"][place] == "solved" for answer in solved["solutions"].values()], axis=0)
        known, tokens = problems[good], solved["selected"][place][good]
        for norm, answer in solved["solutions"].items():
            given = known.tokens, known.queries, run["weights"][good], tokens, norm, answer["W"][place][good]
            value = {"value": margin_ratio(*given)}
            frames.append(curves(known.seeds, run["steps"], value, rule=rule, inputs=inputs, norm=norm))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames)[[*KEYS, "seed", "value"]], pd.concat(ends))


def table(measures, settings):
    return medians(measures.instances, KEYS)
