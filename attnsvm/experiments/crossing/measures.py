"""Whether every input selects its optimal token, and is saturated, with W and with (K, Q) on the same instances."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.analysis.statistics import sample_interval, wilson

RUNS = ("W", "KQ")
SHAPE = ["n", "T", "d"]


def measures(cell, problems, trained, solved, settings):
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    columns = {"n": cell.n, "T": cell.T, "d": cell.d, "seed": problems.seeds}
    for name in RUNS:
        p = trained[name]["probabilities"]
        columns[f"selected {name}"] = found = (selected_tokens(p) == optimal).all(1)
        columns[f"saturated {name}"] = found & (p.max(-1).min(-1) >= settings["saturated"])
    factors, alone = columns["selected KQ"], columns["selected W"]
    words = np.select([alone & factors, alone, factors], ["both", "W alone", "(K, Q) alone"], "neither")
    return Measures(pd.DataFrame(columns), outcomes(cell, problems.seeds, words))


def table(measures, settings):
    rows = []
    for key, found in measures.instances.groupby(SHAPE, sort=False):
        hits = found.drop(columns=[*SHAPE, "seed"]).astype(float)
        for counted in ("selected", "saturated"):
            values = {name: wilson(int(hits[f"{counted} {name}"].sum()), len(hits)) for name in RUNS}
            values["lead"] = sample_interval(hits[f"{counted} W"] - hits[f"{counted} KQ"])
            rows += [_row(key, counted, quantity, numbers, len(hits)) for quantity, numbers in values.items()]
        waiting = {name: hits[f"selected {name}"] - hits[f"saturated {name}"] for name in RUNS}
        rows.append(_row(key, "selected", "waiting", sample_interval(waiting["W"] - waiting["KQ"]), len(hits)))
    return pd.DataFrame(rows)


def _row(key, counted, quantity, numbers, instances):
    names = dict(zip(SHAPE, key, strict=True)) | {"counted": counted, "quantity": quantity}
    return names | dict(zip(("value", "low", "high"), numbers, strict=True)) | {"instances": instances}
