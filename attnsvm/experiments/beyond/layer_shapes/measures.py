"""What becomes of stacks of every shape: whether their layers can be measured, and whether they follow the law."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.stacked import certain, distance
from attnsvm.analysis.statistics import share
from attnsvm.data.architecture import Stack
from attnsvm.experiments.beyond.layers.measures import MEASURED, corrected, outcome

ENDS = ("law", "farther", "not saturated", "not separable", "equal tokens", "uncertified")
# The answers that are one problem of all layers.
PROBLEMS = {"present": ("top", "law"), "stated": ("stated",), "corrected": ("corrected",)}
KEYS = ["depth", "n", "T", "d", "problem"]


@gathered
def measures(cell, problems, trained, solved, settings):
    for name, run in trained.items():
        stack, became = Stack(layers=run["weights"].shape[2]), outcome(run, solved[name])
        mixed = corrected(problems, run, stack).mixed.any((1, 2, 3, 4, 5))
        columns = {"depth": stack.layers, "n": cell.n, "T": cell.T, "d": cell.d}
        for problem, rules in PROBLEMS.items():
            layers = [(layer, each) for rule in rules for layer, each in solved[name][rule].items()]
            worst = np.max([distance(run["weights"], int(layer), each["W"])[:, -1] for layer, each in layers], axis=0)
            proved = np.logical_and.reduce([certain(each, len(worst)) for _, each in layers])
            reached = np.where(1 - worst >= settings["correlation"], "law", "farther")
            words = np.where(became == MEASURED, np.where(proved, reached, "not separable"), became)
            values = {"seed": problems.seeds, "problem": problem, "end": words, "distance": worst, "mixed": mixed}
            yield pd.DataFrame(columns | values)
            if problem == "present":
                yield outcomes(cell, problems.seeds, [f"{word} ({name})" for word in words])


def table(measures, settings):
    rows = []
    for keys, group in measures.instances.groupby(KEYS, sort=False):
        where = dict(zip(KEYS, keys, strict=True))
        measured = group[group["end"].isin(ENDS[:2])]
        tail = np.quantile(measured["distance"], 0.95) if len(measured) else np.nan
        rows += [
            where | {"end": end} | share(group["end"] == end) | {"tail": tail if end == "law" else np.nan}
            for end in ENDS
        ]
        if keys[-1] == "corrected" and len(measured):
            count = share(measured["mixed"])
            rows.append(where | {"end": "mixed"} | count | {"tail": np.nan})
    return pd.DataFrame(rows)
