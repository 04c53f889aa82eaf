"""The margin ratios of both layers under every rule, and how far paths are from that of plain descent, per instance."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import all_solved, gathered, outcomes
from attnsvm.analysis.stacked import norms, saturated
from attnsvm.experiments.beyond.other_steps.ends import below, ends_of, rows_at
from attnsvm.experiments.beyond.other_steps.runs import PATHS, RUNS, SEPARATE, trained_on
from attnsvm.svm.law import layer_problems

BOUNDED = 0.1  # margins that are compared: of smaller ones log ‖W‖/‖W‖ would be too large a share


@gathered
def measures(cell, problems, trained, solved, settings):
    yield of_paths(problems.seeds, trained["plain"])
    for name, run in RUNS.items():
        rows, words = of_run(trained_on(run, problems), trained[name], solved[name], run.norm)
        yield rows.assign(run=name)
        yield outcomes(cell, problems.seeds, [f"{word} ({name})" for word in words])


def of_paths(seeds, paths) -> pd.DataFrame:
    """1 − correlation of both layers together with plain descent, where ‖W‖ is the same."""
    one, frames = paths["weights"], []
    flat = (*one.shape[:2], 1, -1)
    for name in PATHS:
        far = 1.0 - correlation(paths[name].reshape(flat), one.reshape(flat))
        columns = {"run": "plain", "layer": 0, "rule": name, "seed": np.repeat(seeds, len(paths["steps"]))}
        columns |= {"step": np.tile(paths["steps"], len(seeds)), "norm": norms(one).ravel(), "value": far.ravel()}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames)


def of_run(problems, run, solved, norm):
    """The margin ratio after the last step, of each layer by each rule, and what became of each instance."""
    rows = rows_at(problems, run, -1)
    whole = saturated(np.exp(rows.top))
    proved = all_solved(solved.values())
    W, kept, frames = run["weights"][:, -1, :, 0], whole & proved, []
    by_rule = below(problems, run)
    by_rule |= {
        "frobenius": by_rule["graded"],
        "top": layer_problems(SEPARATE, ends_of(problems, run), problems.queries)[2],
    }
    for rule, constraints in by_rule.items():
        layer = 2 if rule == "top" else 1
        measure = geometry.get("fro" if rule == "frobenius" else norm)
        size, best = measure.value(W[:, layer - 1]), measure.value(solved[rule]["W"])
        margin = np.array([least(c, w) for c, w in zip(constraints, W[:, layer - 1], strict=True)])
        columns = {"layer": layer, "rule": rule, "seed": problems.seeds, "step": int(run["steps"][-1])}
        frames.append(pd.DataFrame(columns | {"norm": size, "value": margin / size * best})[kept])
    words = np.select([~proved, ~whole], ["without SVM", "not saturated"], "measured")
    return pd.concat(frames), words


def least(constraints, W) -> float:
    """The smallest margin of W over its bound, where that is `BOUNDED` or more."""
    bounded = constraints.bound >= BOUNDED
    return float((constraints.apply(W)[bounded] / constraints.bound[bounded]).min())
