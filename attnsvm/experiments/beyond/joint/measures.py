"""Where W and v end, against their SVMs, at every rate; and the margins of inputs that do not support v's SVM."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import smallest_margin
from attnsvm.analysis.measured import Measures, all_solved, outcomes
from attnsvm.analysis.medians import means, quartiles
from attnsvm.analysis.selection import selected_tokens

TARGETS = ("even", "relaxed", "graded", "only", "shuffled")
HEADS = ("v", "v_other")
MEASURED = "measured"


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for rate, run in trained.items():
        answers = solved[rate]
        words = became(answers)
        ends.append(outcomes(cell, problems.seeds, [f"rate {rate} {word}" for word in words]))
        kept = words == MEASURED
        values = {name: 1.0 - correlation(run["W"], answers[name]["W"]) for name in TARGETS}
        values |= {name: 1.0 - correlation(run["v"][..., None], answers[name]["W"]) for name in HEADS}
        values["support"] = answers["support"].mean(1)
        for quantity, value in values.items():
            rows = {"seed": problems.seeds[kept], "value": value[kept]}
            frames.append(pd.DataFrame(rows).assign(rate=float(rate), quantity=quantity, asked=np.nan))
        frames.append(_margins(problems, run, answers, kept).assign(rate=float(rate), quantity="margin"))
    return Measures(pd.concat(frames), pd.concat(ends))


def became(answers) -> np.ndarray:
    """What became of each instance, (S,) words; where all inputs are support vectors the four SVMs of W are one."""
    proved = all_solved(answers[name] for name in (*TARGETS, *HEADS))
    return np.select([~proved, answers["support"].all(1)], ["without SVM", "all support vectors"], MEASURED)


def _margins(problems, run, answers, kept):
    """A row per input that is no support vector: its margin over the support vectors' smallest, and that asked."""
    selected = selected_tokens(run["probabilities"])
    each = [
        smallest_margin(problems.tokens[:, [i]], problems.queries[:, [i]], run["W"], selected[:, [i]])
        for i in range(selected.shape[1])
    ]
    reached = np.stack(each, axis=1)
    least = np.where(answers["support"], reached, np.inf).min(1, keepdims=True)
    free = ~answers["support"] & kept[:, None]
    seeds = np.broadcast_to(problems.seeds[:, None], free.shape)
    return pd.DataFrame({"seed": seeds[free], "value": (reached / least)[free], "asked": answers["asked"][free]})


def table(measures, settings):
    rows = measures.instances
    whole, single = rows[rows["quantity"] != "margin"], rows[rows["quantity"] == "margin"]
    groups = whole.groupby(["rate", "quantity"], sort=False)["value"]
    parts = [quartiles(groups), means(groups), single.reset_index(drop=True)]
    return pd.concat(parts).astype({"seed": "Int64", "instances": "Int64"})
