"""How far the trained W is from the generalised SVM and from the plain ones; the first accepted seeds are drawn.

Instances are tried in seed order and the first `accepted` of each d are drawn, however the work was split. A seed whose
SVMs have no certified solution is rejected too, as descent rejects seeds.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation, scale_by_norm, svm_equivalent
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import means
from attnsvm.analysis.selection import selected_sets
from attnsvm.analysis.statistics import ESTIMATE
from attnsvm.system.errors import require

COLUMNS = ["d", "panel", "solution", "step", *ESTIMATE, "unselected_max", "seed", "accepted", "tried"]


def measures(cell, problems, trained, solved, settings):
    kept, outcome = trained["kept"], trained["outcome"].copy()
    for name, answers in solved.items():
        failed = (outcome[kept] == "decided") & (answers["status"] != "solved")
        outcome[kept[failed]] = np.char.add(f"{name} SVM ", answers["status"][failed])
    good = outcome[kept] == "decided"
    outcome[kept[good]] = "accepted"
    ends = outcomes(cell, problems.seeds, outcome)
    if not good.any():
        return Measures(pd.DataFrame(), ends)

    weights, probabilities = trained["weights"][good], trained["probabilities"][good]
    W = {name: answers["W"][good] for name, answers in solved.items()}
    targets = {
        "svmeq": svm_equivalent(weights[:, -1], W["fin"], W["mm"]),
        "svmeq_norm": svm_equivalent(weights[:, -1], W["fin"], W["mm"], scale_by_norm),
        "mm": W["mm"],
        "one_token": W["one_token"],
    }
    unselected = np.where(selected_sets(probabilities), 0.0, probabilities).max((1, 2))
    seeds = problems.seeds[kept[good]]
    frames = []
    for name, target in targets.items():
        values = {"value": 1.0 - correlation(weights, target[:, None]), "unselected_max": unselected}
        frames.append(curves(seeds, trained["steps"], values, d=cell.d, solution=name))
    return Measures(pd.concat(frames), ends)


def table(measures, settings):
    wanted = settings["accepted"]
    tables = []
    for d, tried in measures.outcomes.groupby("d"):
        seeds = np.sort(tried.loc[tried.outcome == "accepted", "seed"])
        require(
            len(seeds) >= wanted,
            f"multi_token: only {len(seeds)} of {len(tried)} seeds were accepted at d = {d}, {wanted} are wanted: "
            "raise experiments.multi_token.problems.candidates in the configuration",
        )
        last = seeds[wanted - 1]
        counts = {"accepted": wanted, "tried": int((tried.seed <= last).sum())}
        drawn = measures.instances[(measures.instances.d == d) & (measures.instances.seed <= last)]
        curve = means(drawn.groupby(["solution", "step"], sort=False)["value"])
        final = drawn[(drawn.solution == "svmeq") & (drawn.step == drawn.step.max())]
        scatter = final[["solution", "step", "value", "unselected_max", "seed"]].sort_values("seed")
        tables += [curve.assign(d=d, panel="curve", **counts), scatter.assign(d=d, panel="scatter", **counts)]
    return pd.concat(tables)[COLUMNS].astype({"seed": "Int64", "instances": "Int64"})
