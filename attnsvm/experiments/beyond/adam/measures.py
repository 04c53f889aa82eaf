"""The margin ratio of every run in every norm, and how fast its smallest margin grows."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio, smallest_margin
from attnsvm.analysis.measured import Measures, all_solved, curves, outcomes
from attnsvm.analysis.medians import quartiles


def measures(cell, problems, trained, solved, settings):
    solutions = solved["solutions"]
    certified = all_solved(solutions.values())
    frames, ends = [], []
    for name, run in trained.items():
        place = solved["place"][name]
        good = certified[place]
        kept, place, W = problems[good], place[good], run["weights"][good]
        given = kept.tokens, kept.queries, W, solved["selected"][place]
        values = {norm: margin_ratio(*given, norm, answer["W"][place]) for norm, answer in solutions.items()}
        margin = smallest_margin(*given)
        values["margin"] = margin
        values["growth"] = _growth(margin, run["steps"])
        # η·γ: γ is the best margin of a W of max norm one, and a sign step moves every entry by η.
        best = 1 / geometry.get("linf").value(solutions["linf"]["W"][place])
        values["sign_pace"] = float(run["rate"]) * best
        rule, schedule = name.split()[:2]
        columns = {"run": name, "rule": rule, "schedule": schedule}
        columns |= {key: float(run[key]) for key in ("beta1", "beta2")}
        frames.append(curves(kept.seeds, run["steps"], values, **columns))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{rule} measured", f"{rule} without SVM")))
    return Measures(pd.concat(frames), pd.concat(ends))


def _growth(margin, steps):
    """How much the smallest margin grows per step since half as many steps, (S, L); NaN before the second step."""
    before = np.searchsorted(steps, steps / 2, side="right") - 1
    known = before >= 0
    distance = np.where(known, steps - steps[before], 1)
    return np.where(known & (distance > 0), (margin - margin[:, before]) / np.maximum(distance, 1), np.nan)


def table(measures, settings):
    frame = measures.instances
    run = ["run", "rule", "schedule", "beta1", "beta2"]
    values = [name for name in frame.columns if name not in (*run, "seed", "step")]
    rows = frame.melt(id_vars=[*run, "step"], value_vars=values, var_name="quantity")
    groups = rows.groupby([*run, "step", "quantity"], sort=False)["value"]
    return quartiles(groups)
