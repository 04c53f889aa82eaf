"""How far the published rule is from hard steps and from the nuclear solution, and what of the conditions is left."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.selection import selected_tokens
from attnsvm.experiments.beyond.factors.hard_steps.conditions import left
from attnsvm.experiments.beyond.factors.hard_steps.hard import Factors, constraints

FAR = ("two norms", "one norm")


def measures(cell, problems, trained, solved, settings):
    run, good = trained["published"], solved["status"] == "solved"
    values = {
        "from hard": 1.0 - correlation(run["weights"], trained["hard"]),
        "from nuclear": 1.0 - correlation(run["weights"], solved["W"][:, None]),
    }
    seeds, steps = problems.seeds[good], run["steps"]
    frames = [by_quantity(seeds, steps, {name: value[good] for name, value in values.items()}, by="published")]
    pairs = constraints(problems, selected_tokens(run["probabilities"]))
    for name in FAR:
        factors = Factors(**trained[name])
        found = pd.DataFrame([left(*each) for each in zip(*pairs, *factors, strict=True)])
        found["from nuclear"] = 1.0 - correlation(factors.W, solved["W"])
        last = {quantity: column.to_numpy()[good] for quantity, column in found.items()}
        frames.append(by_quantity(seeds, steps[-1:], last, by=name))
    return Measures(pd.concat(frames), outcomes(cell, problems.seeds, np.where(good, "measured", "without SVM")))
