"""The growth of the largest logit per step and per norm gained, and where it is with decay, over the prediction."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for run, end in trained["runs"].items():
        size, tokens, answer = end["size"], end["tokens"], solved[run]
        good = (answer["status"] == "solved").reshape(len(size), -1).all(1)
        best = answer["W"].reshape(*size[:, -1].shape, *answer["W"].shape[-2:])
        spread = largest(tokens[:, -1], best) / geometry.get("spectral").value(best)
        reached = np.stack([largest(tokens[:, k], end["W"][:, k]) for k in (0, 1)], 1)
        logit, norm = (np.diff(np.sqrt(np.maximum(each, 0.0)), axis=1)[:, 0] for each in (reached, size))
        if run == "no decay":
            found = {"per norm": logit / norm / np.sqrt(spread), "norm gained": norm / float(trained["travelled"])}
            found["per step"] = found["per norm"] * found["norm gained"]
        else:
            found = {"plateau": reached[:, 1] / float(trained["ball"]) / spread}
        found["right"] = end["right"][:, -1, None, None] + 0.0 * norm
        means = {name: value[good].mean(-1) for name, value in found.items()}
        frames.append(by_quantity(problems.seeds[good], np.array([1, 2]), means, run=f"{cell.variant}, {run}"))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: measured", f"{run}: a head without SVM")))
    return Measures(pd.concat(frames).rename(columns={"step": "layer"}), pd.concat(ends))


def largest(tokens: np.ndarray, W: np.ndarray) -> np.ndarray:
    """The largest logit of any two tokens of an input, (R, layers, heads), for tokens (R, layers, n, T, d)."""
    return np.einsum("rlntd,rlhde,rlnue->rlhntu", tokens, W, tokens, optimize=True).max((-3, -2, -1))


def table(measures, settings):
    return medians(measures.instances, ["run", "layer", "quantity"])
