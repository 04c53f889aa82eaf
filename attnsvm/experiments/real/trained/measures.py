"""Every layer and its null models along training: means over the heads of a network, then medians over the networks."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.medians import medians

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
    seeds, steps = problems.seeds, trained["steps"]
    frames = [by_quantity(seeds, steps, {name: trained[name] for name in ("train", "held_out")}, layer=0)]
    for norm, found in solved.items():
        numbers = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
        for name, one, other in COMPARED:
            numbers[name] = numbers[one] - numbers[other]
        for name, value in numbers.items():
            for layer in range(value.shape[2]):
                columns = {"layer": layer + 1, "quantity": f"{name}_{norm}"}
                frames.append(curves(seeds, steps, {"value": value[:, :, layer].mean(-1)}, **columns))
    return Measures(pd.concat(frames).dropna(subset="value"), outcomes(cell, seeds, became(solved, len(seeds))))


def became(solved, count):
    """A word per network: measured, or the part without a certified solution, which leaves the mean over heads."""
    words = np.full(count, "measured", dtype=object)
    for kind in ("random", "permuted", "own"):
        every = [found[kind]["status"].reshape(count, -1) == "solved" for found in solved.values()]
        missing = ~np.concatenate(every, axis=1).all(1)
        words[missing] = (
            "a head without certified solution"
            if kind == "own"
            else f"measured, {kind} selections without certified solution left out"
        )
    return words


def table(measures, settings):
    return medians(measures.instances, KEYS)
