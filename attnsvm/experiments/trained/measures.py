"""Every layer beside its nulls along training: means over the heads of a network, then medians over the networks."""

import numpy as np
import pandas as pd

from attnsvm.measured import Measures, curves, outcomes
from attnsvm.statistics import median_interval

KEYS = ["layer", "quantity", "step"]
# What is compared per head, before means are taken: name, of which quantity, less which other.
COMPARED = (
    ("alignment_above_random", "alignment_own", "alignment_random"),
    ("alignment_above_permuted", "alignment_own", "alignment_permuted"),
    ("predicted_above_random", "predicted_own", "predicted_random"),
    ("predicted_above_place", "predicted_own", "place_predicted"),
    ("margin_above_random", "margin_own", "margin_random"),
)


def measures(cell, problems, trained, solved, settings):
    seeds, steps, frames = problems.seeds, trained["steps"], []
    for name in ("train", "held_out"):
        frames.append(curves(seeds, steps, {"value": trained[name]}, layer=0, quantity=name))
    for norm, found in solved.items():
        numbers = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
        for name, one, other in COMPARED:
            numbers[name] = numbers[one] - numbers[other]
        for name, value in numbers.items():
            for layer in range(value.shape[2]):
                columns = {"layer": layer + 1, "quantity": f"{name}_{norm}"}
                frames.append(curves(seeds, steps, {"value": value[:, :, layer].mean(-1)}, **columns))
    good = (solved["fro"]["own"]["status"] == "solved").reshape(len(seeds), -1).all(1)
    ends = outcomes(cell, seeds, np.where(good, "measured", "a head without certified solution"))
    return Measures(pd.concat(frames).dropna(subset="value"), ends)


def table(measures, settings):
    rows = []
    for keys, group in measures.instances.groupby(KEYS, sort=False):
        interval = median_interval(group["value"].to_numpy())
        row = dict(zip(KEYS, keys, strict=True)) | dict(zip(("value", "low", "high"), interval, strict=True))
        rows.append(row | {"instances": len(group)})
    return pd.DataFrame(rows)
