"""The growth of the largest logit and of the smallest margin per step, over what the certified solution predicts."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import largest_logit, smallest_margin
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians, named_share
from attnsvm.analysis.pace import pace
from attnsvm.experiments.literature.max_logit.runs import BETA1, RUNS


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in RUNS.items():
        steps, solution = trained[name]["steps"], solved[run.norm]
        place, answer = solution["place"][name], solution["solutions"][run.norm]
        good = answer["status"][place] == "solved"
        known, W, place = problems[good], trained[name]["weights"][good], place[good]
        power, best = (0.5 if run.factors else 1.0), answer["W"][place]
        signs = run.rate / geometry.get(run.norm).value(best) ** power
        rate = pace(signs, BETA1, run.beta2) if run.beta2 else signs
        predicted = rate * largest_logit(known, best) ** power
        margin = smallest_margin(known.tokens, known.queries, W, solution["selected"][place])
        grown = growth(largest_logit(known, W), steps, power)
        found = {"slope": grown / predicted[:, None], "margin": growth(margin, steps, power) / rate[:, None]}
        end, slope = grown[:, -1:], found["slope"][:, -1:]
        last = {"error": np.abs(slope - 1.0), "constant": end}
        last["share near"] = last["error"] <= 0.05
        last |= {"over signs": slope * (rate / signs)[:, None]} if run.beta2 else {}
        frames += [by_quantity(known.seeds, at, of, run=name) for at, of in ((steps[1:], found), (steps[-1:], last))]
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames), pd.concat(ends))


def growth(value: np.ndarray, steps: np.ndarray, power: float) -> np.ndarray:
    """Growth of value^power per step since the logged step before, (S, L − 1)."""
    return np.diff(np.maximum(value, 0.0) ** power) / np.diff(steps)


def table(measures, settings):
    rows, keys = measures.instances, ["run", "step", "quantity"]
    all_together = rows.groupby(keys)["value"].transform("median")
    error = np.abs(rows["value"] / all_together - 1.0)  # of the one slope that fits all
    return medians(rows.assign(value=rows["value"].where(rows["quantity"] != "constant", error)), keys, named_share)
