"""How far every layer is from its SVM at three steps, per instance."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, curves, outcomes
from attnsvm.analysis.stacked import saturated


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for depth, run in trained.items():
        proved = all_solved(solved[depth]["law"].values())
        whole = saturated(run["top"])
        words = np.select([~proved, ~whole], ["without SVM", "not saturated"], "measured")
        ends.append(outcomes(cell, problems.seeds, np.char.add(f"depth {depth} ", words)))
        for rule, layers in solved[depth].items():
            for layer, answer in layers.items():
                good = proved & whole & (answer["status"] == "solved")
                value = 1.0 - correlation(run["weights"][:, :, int(layer) - 1, 0], answer["W"][:, None])
                columns = {"depth": int(depth), "layer": int(layer), "rule": rule}
                frames.append(curves(problems.seeds[good], run["steps"], {"value": value[good]}, **columns))
    return Measures(pd.concat(frames), pd.concat(ends))
