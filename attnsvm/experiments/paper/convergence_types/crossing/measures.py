"""Whether every input selects its optimal token, and is saturated, with W and with (K, Q) on the same instances."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.analysis.statistics import mean, share

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
        hits, shape = found.drop(columns=[*SHAPE, "seed"]).astype(float), dict(zip(SHAPE, key, strict=True))
        for counted in ("selected", "saturated"):
            values = {name: share(hits[f"{counted} {name}"]) for name in RUNS}
            values["lead"] = mean(hits[f"{counted} W"] - hits[f"{counted} KQ"])
            rows += [shape | {"counted": counted, "quantity": name} | numbers for name, numbers in values.items()]
        waiting = {name: hits[f"selected {name}"] - hits[f"saturated {name}"] for name in RUNS}
        rows.append(shape | {"counted": "selected", "quantity": "waiting"} | mean(waiting["W"] - waiting["KQ"]))
    return pd.DataFrame(rows)
