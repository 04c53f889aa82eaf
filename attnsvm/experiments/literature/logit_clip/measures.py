"""Norm and largest logit where clip and decay end, over what the certified solution predicts; the margin missing."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import largest_logit, margin_ratio
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.decay.measures import selected


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for run, weights in trained["runs"].items():
        ((norm, answer),) = solved[run]["solutions"].items()
        good = np.full(len(problems), True)
        for kind, W in weights.items():
            place, tokens = solved[run]["place"][kind], solved[run]["selected"][solved[run]["place"][kind]]
            good &= answer["status"][place] == "solved"
            best, levels = answer["W"][place], trained["clips" if "clip" in weights else "balls"]
            found = {"missing": 1.0 - margin_ratio(problems.tokens, problems.queries, W, tokens, norm, best)}
            if kind == "clip":
                found |= under_clip(problems, norm, best, weights, levels)
            elif kind == "decay":
                found |= under_decay(problems, norm, best, weights, levels)
            same = (selected(problems, W) == tokens[:, None]).all(-1) & good[:, None]
            for name, value in found.items():
                columns, value = {"run": run, "kind": kind, "quantity": name}, {"value": np.where(same, value, np.nan)}
                frames.append(curves(problems.seeds, levels[-W.shape[1] :], value, **columns))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: measured", f"{run}: without SVM")))
    rows = pd.concat(frames).rename(columns={"step": "level"}).dropna(subset="value")
    return Measures(rows, pd.concat(ends))


def under_clip(problems, norm, best, weights, clips):
    """The norm of W over the predicted one, and how far W is from W under decay at that norm, (S, levels)."""
    W = weights["clip"]
    reached = geometry.get(norm).value(W) * slope(problems, norm, best) / clips
    return {"norm": reached, "apart": 1.0 - correlation(W, weights["decay"])}


def under_decay(problems, norm, best, weights, balls):
    """The largest logit over the predicted one, and over that of any W in the ball that decay leaves, (S, levels)."""
    value, dual = geometry.get(norm).value, geometry.get(norm).dual
    radius = value(weights["clip"]) if "clip" in weights else balls
    most = dual(problems.tokens[..., None] * problems.queries[:, :, None, None]).max((1, 2))
    reached = largest_logit(problems, weights["decay"]) / radius
    return {"plateau": reached / slope(problems, norm, best), "norm alone": reached / most[:, None]}


def slope(problems, norm, best):
    """The certified margin at norm one times the spread: the largest logit of the solution over its norm, (S, 1)."""
    return (largest_logit(problems, best) / geometry.get(norm).value(best))[:, None]


def table(measures, settings):
    return medians(measures.instances, ["run", "kind", "level", "quantity"])
