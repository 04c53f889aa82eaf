"""Where does descent end: at the optimal tokens, at locally optimal ones, or elsewhere?

global         every input selects its optimal token
local          global, or the selected tokens are locally optimal and W correlates with their SVM solution
not_local      saturated, and not local
not_saturated  some input's largest softmax probability stayed below the bound
all_support    no matter how it ended: all tokens are support vectors of the optimal tokens' solution
all_support_not_global  they are, and the run is not global

local, not_local and not_saturated add up to one.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes
from attnsvm.analysis.selection import locally_optimal, scores
from attnsvm.analysis.statistics import share

TYPES = ("global", "local", "not_local", "not_saturated", "all_support", "all_support_not_global")


def measures(cell, problems, trained, solved, settings):
    score = scores(problems.tokens, problems.head, problems.labels)
    optimal = solved["optimal"]
    others = np.arange(cell.T) != optimal[..., None]
    frames, ends = [], []
    for parametrisation, run in trained.items():
        answers = solved[parametrisation]
        selected, best, own = answers["selected"], answers["optimal"], _of_selected(answers)
        has_solution, infeasible = own["status"] == "solved", own["status"] == "infeasible"
        saturated = run["probabilities"].max(-1).min(-1) >= settings["saturated"]
        along = own["correlation"]
        settled = saturated & has_solution & locally_optimal(score, selected, own["support"])
        found = saturated & (selected == optimal).all(1)
        local = found | (settled & (along >= settings["correlation"]))
        all_support = (best["support"] == others).all((1, 2)) & (best["status"] == "solved")
        end = np.select(
            [~saturated, found, local, infeasible, ~has_solution, ~settled],
            ["not saturated", "global", "local", "no separator", "uncertified", "not locally optimal"],
            "correlation below the threshold",
        )
        columns = {"n": cell.n, "T": cell.T, "d": cell.d, "seed": problems.seeds, "parametrisation": parametrisation}
        columns |= {"end": end, "correlation": along, "optimal": (selected == optimal).all(1)}
        columns |= {"global": found, "local": local}
        columns |= {"not_local": saturated & ~local, "not_saturated": ~saturated}
        columns |= {"all_support": all_support, "all_support_not_global": all_support & ~found}
        frames.append(pd.DataFrame(columns))
        ends.append(outcomes(cell, problems.seeds, np.char.add(f"{parametrisation} ", end)))
    return Measures(pd.concat(frames), pd.concat(ends))


def table(measures, settings):
    keys = ["n", "T", "d", "parametrisation"]
    return pd.DataFrame(
        {**dict(zip(keys, key, strict=True)), "type": kind, **share(group[kind])}
        for key, group in measures.instances.groupby(keys, sort=False)
        for kind in TYPES
    )


def _of_selected(answers):
    """The answers for the selected tokens: those for the optimal tokens, replaced where other tokens were selected."""
    own = {name: answers["optimal"][name].copy() for name in ("status", "correlation", "support")}
    if "apart" in answers:
        for name, column in own.items():
            column[answers["places"]] = answers["apart"][name]
    return own
