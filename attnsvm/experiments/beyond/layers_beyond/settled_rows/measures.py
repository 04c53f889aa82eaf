"""The distance of the farther layer, how far its rows have settled, and that of margin 1 in all rows, per instance."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.stacked import certain, distance, norms
from attnsvm.experiments.beyond.layers_beyond.kinds import seen
from attnsvm.experiments.beyond.layers_beyond.settled_rows.ends import KINDS, PLACES, change, saturated_at


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        kind, length = KINDS[name], norms(run["weights"])
        own, every = seen(kind, problems), distance(run["weights"], 1, solved[name]["all"]["1"]["W"])
        for place in PLACES:
            step = int(run["steps"][place])
            layers = solved[name][str(step)]
            far = np.max([distance(run["weights"], int(k), of["W"])[:, place] for k, of in layers.items()], axis=0)
            proved = np.logical_and.reduce([certain(of, len(far)) for of in layers.values()])
            saturated = saturated_at(own, run, kind, place)
            columns = {"kind": name, "seed": problems.seeds, "step": step, "norm": length[:, place], "value": far}
            columns |= {"change": change(own, run, kind, place), "all": every[:, place]}
            frames.append(pd.DataFrame(columns)[proved & saturated])
        words = np.select([~proved, ~saturated], ["without SVM", "not saturated"], "measured")
        ends.append(outcomes(cell, problems.seeds, [f"{word} ({name})" for word in words]))
    return Measures(pd.concat(frames), pd.concat(ends))
