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
        size, good, levels = geometry.get(norm).value, np.full(len(problems), True), trained["clips"]
        for kind, W in weights.items():
            place = solved[run]["place"][kind]
            best, tokens = answer["W"][place], solved[run]["selected"][place]
            good &= answer["status"][place] == "solved"
            v = (largest_logit(problems, best) / size(best))[:, None]
            found = {"missing": 1.0 - margin_ratio(problems.tokens, problems.queries, W, tokens, norm, best)}
            if kind == "clip":
                found |= {"norm": size(W) * v / levels, "apart": 1.0 - correlation(W, weights["decay"])}
            elif kind == "decay":
                radius, levels = (size(weights["clip"]), levels) if "clip" in weights else (trained["balls"],) * 2
                outer = problems.tokens[..., None] * problems.queries[:, :, None, None]
                most, reached = geometry.get(norm).dual(outer).max((1, 2)), largest_logit(problems, W) / radius
                found |= {"plateau": reached / v, "norm alone": reached / most[:, None]}
            same = (selected(problems, W) == tokens[:, None]).all(-1) & good[:, None]
            for name, value in found.items():
                columns, value = {"run": run, "kind": kind, "quantity": name}, {"value": np.where(same, value, np.nan)}
                frames.append(curves(problems.seeds, levels[-W.shape[1] :], value, **columns))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{run}: measured", f"{run}: without SVM")))
    rows = pd.concat(frames).rename(columns={"step": "level"}).dropna(subset="value")
    return Measures(rows, pd.concat(ends))


def table(measures, settings):
    return medians(measures.instances, ["run", "kind", "level", "quantity"])
