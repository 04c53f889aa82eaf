"""How far W ends from each of its SVMs, per instance, at every rate and after either number of steps."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, all_solved, outcomes
from attnsvm.experiments.joint.measures import HEADS, TARGETS

KEPT = ("graded", "relaxed", "even", "shuffled")


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        answers, (rate, steps) = solved[name], name.split()
        proved = all_solved(answers[each] for each in (*TARGETS, *HEADS))
        alike = answers["support"].all(1)
        words = np.select([~proved, alike], ["without SVM", "all support vectors"], "measured")
        ends.append(outcomes(cell, problems.seeds, [f"rate {rate}, {steps} steps, {word}" for word in words]))
        values = {each: 1.0 - correlation(run["W"], answers[each]["W"]) for each in KEPT}
        values["saturated"] = run["probabilities"].max(-1).min(-1)
        rows = pd.DataFrame({"rate": float(rate), "step": int(steps), "seed": problems.seeds, **values})
        frames.append(rows[proved & ~alike])
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    return measures.instances
