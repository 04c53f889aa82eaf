"""How far W ends from each of its SVMs, per instance, at every rate and after either number of steps."""

import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.experiments.beyond.joint.measures import MEASURED, became

KEPT = ("graded", "relaxed", "even", "shuffled")


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        answers, (rate, steps) = solved[name], name.split()
        words = became(answers)
        ends.append(outcomes(cell, problems.seeds, [f"rate {rate}, {steps} steps, {word}" for word in words]))
        values = {each: 1.0 - correlation(run["W"], answers[each]["W"]) for each in KEPT}
        values["saturated"] = run["probabilities"].max(-1).min(-1)
        rows = pd.DataFrame({"rate": float(rate), "step": int(steps), "seed": problems.seeds, **values})
        frames.append(rows[words == MEASURED])
    return Measures(pd.concat(frames), pd.concat(ends))
