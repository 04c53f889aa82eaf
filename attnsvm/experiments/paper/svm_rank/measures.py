"""Ranks per instance and their means; a certified rank counts instances with a separator only."""

import numpy as np
import pandas as pd

from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.statistics import mean

CERTIFIED = ("rank", "rank_low", "rank_bound", "rank_error", "gap", "outside")


@gathered
def measures(cell, problems, trained, solved, settings):
    for norm, answers in solved.items():
        columns = {"n": cell.n, "T": cell.T, "d": cell.d, "norm": norm, "seed": problems.seeds}
        ours, theirs = answers["certified"], answers["published"]
        certified = {"method": "certified", "solved": ours["status"] == "solved"} | {k: ours[k] for k in CERTIFIED}
        known = np.isin(ours["status"], ("solved", "infeasible"))  # the others are in no count but that of the outcomes
        yield pd.DataFrame(columns | certified)[known]
        published = {"rank": theirs["rank"], "gap": theirs["against_ours"], "outside": theirs["outside"]}
        yield pd.DataFrame(columns | {"method": "published", "solved": theirs["returned"]} | published)
        yield outcomes(cell, problems.seeds, np.char.add(f"{norm} ", ours["status"]))


def _beyond(solved, rank: int) -> float:
    """How far a solution can be from a matrix of this rank, in least norms, at most; NaN of published solutions."""
    return solved["rank_error"].where(solved["rank_bound"] <= rank, np.inf).where(solved["rank_error"].notna()).max()


def table(measures, settings):
    rows = []
    keys = ["n", "T", "d", "norm", "method"]
    for key, group in measures.instances.groupby(keys, sort=False):
        solved = group[group.solved]
        counted = solved if key[-1] == "certified" else group
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                **mean(counted["rank"].dropna()),
                "rank_std": counted["rank"].std(ddof=0),
                "drawn": len(group),
                "feasible": len(solved),
                "rank_max": counted["rank"].max(),
                "rank_proved": solved["rank_low"].max(),
                "rank_error": _beyond(solved, min(key[0], key[2])),
                "gap_max": solved["gap"].max(),
                "outside_max": solved["outside"].max(),
            }
        )
    return pd.DataFrame(rows)
