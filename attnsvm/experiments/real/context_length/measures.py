"""How well three rules predict the weight of what a head selects on longer texts, and how fast its odds fall."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.statistics import mean, median, share

HALF = 0.5


def measures(cell, problems, trained, solved, settings):
    S, layers, heads, both = problems.tokens.shape
    flat = np.moveaxis(problems.tokens, 0, 2).reshape(layers * heads, S, 2, both // 2)
    counts = problems.queries[0, :, 0]
    lengths = counts[np.append(np.diff(counts) != 1, True)]
    p, entropy = (part.reshape(len(flat), S, len(lengths), -1) for part in (flat[:, :, 0], flat[:, :, 1]))
    weight = np.median(p, (1, 3))
    short, T, odds = p[:, :, 0].reshape(len(flat), -1), lengths[0], np.log(weight) - np.log1p(-weight)
    frames = []
    for k, length in enumerate(lengths[1:], 1):
        ratio = (length - 1.0) / (T - 1.0)
        diluted = np.median(1.0 / (1.0 + (1.0 / short - 1.0) * ratio), 1)
        effective = np.exp(entropy[:, :, 0].mean((1, 2))) * ratio
        rules = {"no change": weight[:, 0], "dilution": diluted, "entropy": 1.0 / effective}
        found = [(rule, "error", np.abs(guess - weight[:, k])) for rule, guess in rules.items()]
        found.append(("slope", "slope", (odds[:, k] - odds[:, 0]) / np.log(length / T)))
        found += [("dilution", "predicted", diluted >= HALF), ("dilution", "measured", weight[:, k] >= HALF)]
        for rule, quantity, values in found:
            frame = {"rule": rule, "length": length, "quantity": quantity, "seed": range(len(flat)), "value": values}
            frames.append(pd.DataFrame(frame).astype({"value": float}))
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, "read"))


def table(measures, settings):
    made = {"error": mean, "slope": median, "predicted": share, "measured": share}
    keys = ["rule", "length", "quantity"]
    groups = measures.instances.groupby(keys, sort=False)["value"]
    return pd.DataFrame(dict(zip(keys, key, strict=True)) | made[key[-1]](values.to_numpy()) for key, values in groups)
