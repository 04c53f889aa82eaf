"""Does a run that goes on grow or rest, and where does it end?"""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import Measures, outcomes

STILL = 0.1  # a run rests if its norm changes by no more than this share


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        end = np.full(len(problems), f"{name} global", dtype="U40")
        end[run["places"]] = f"{name} goes on"
        ends.append(outcomes(cell, problems.seeds, end))
        if name in solved:
            frames.append(_of_run(cell, problems, name, run, solved[name], settings))
    return Measures(pd.concat(frames) if frames else pd.DataFrame(), pd.concat(ends))


def _of_run(cell, problems, name, run, answers, settings):
    attention, parametrisation = name.split()
    first, last = answers["first"], answers["last"]
    norms = np.linalg.norm(run["weights"], axis=(2, 3))
    near = {when: answers[when]["correlation"] >= settings["correlation"] for when in ("first", "last")}
    growth = norms[:, 1] / norms[:, 0]
    grows, rests = growth >= np.sqrt(trained_longer(run)), np.abs(growth - 1) <= STILL
    columns = {
        "attention": attention,
        "parametrisation": parametrisation,
        "d": cell.d,
        "seed": problems.seeds[run["places"]],
        "growth": growth,
        "course": np.select([grows, rests], ["grows", "rests"], "between"),
        "first": run["saturated"] & first["local"] & near["first"],
        "separable": answers["optimal"]["status"] != "infeasible",  # what nothing proves counts against the claim
        "local": last["local"] & near["last"],
        "global": answers["global"],
        "before": _distance(first),
        "distance": _distance(last),
    }
    return pd.DataFrame(columns)


def trained_longer(run) -> float:
    """How many times longer the runs were trained in the end."""
    first, last = run["steps"]
    return last / first


def _distance(answers):
    return np.where(answers["status"] == "solved", 1 - answers["correlation"], np.nan)
