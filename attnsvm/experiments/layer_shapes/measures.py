"""What becomes of stacks of every shape: whether their layers can be measured, and whether they follow the law."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.statistics import share
from attnsvm.architecture import Stack
from attnsvm.experiments.layers.measures import MEASURED, distance, outcome

ENDS = ("law", "farther", "not saturated", "not separable", "equal tokens", "uncertified")


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        stack, words = Stack(layers=run["weights"].shape[2]), outcome(run, solved[name])
        layers = [(layer, each) for rule in solved[name].values() for layer, each in rule.items()]
        worst = np.max([distance(run, stack, int(layer), each)[:, -1] for layer, each in layers], axis=0)
        reached = np.where(1 - worst >= settings["correlation"], "law", "farther")
        words = np.where(words == MEASURED, reached, words)
        columns = {"depth": stack.layers, "n": cell.n, "T": cell.T, "d": cell.d}
        frames.append(pd.DataFrame(columns | {"seed": problems.seeds, "end": words}))
        ends.append(outcomes(cell, problems.seeds, [f"{word} ({name})" for word in words]))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    rows = []
    for keys, group in measures.instances.groupby(["depth", "n", "T", "d"], sort=False):
        where = dict(zip(("depth", "n", "T", "d"), keys, strict=True))
        rows += [where | {"end": end} | share(int((group["end"] == end).sum()), len(group)) for end in ENDS]
    return pd.DataFrame(rows)
