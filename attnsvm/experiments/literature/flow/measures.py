"""How far (K, Q) is from its nuclear solution along every run, and a diagonal W from the margin of its ℓ1 solution."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import smallest_margin
from attnsvm.analysis.measured import Measures, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.flow.diagonal import as_vector

ROUNDING = 1e-15  # of a correlation
KEYS = ["run", "start", "quantity", "step"]


def measures(cell, problems, trained, solved, settings):
    steps, frames, ends = trained["steps"], [], []

    def add(name, good, found, size):
        run, start = name.rsplit(", ", 1)
        for quantity, value in found.items():
            both = {"value": value, "norm": size}
            frames.append(curves(problems.seeds[good], steps, both, run=run, start=start, quantity=quantity))
        words = np.where(good, "measured", "without SVM")
        ends.append(outcomes(cell, problems.seeds, [f"{name}: {word}" for word in words]))

    joint, flow = {}, {}
    for name, run, (good, W, _) in each(trained, solved, "runs"):
        good &= trained["start"]["status"] == "solved"
        found = run["weights"][good]
        distance = np.maximum(1.0 - correlation(found, W[good][:, None]), ROUNDING)
        values = {"distance": distance, "remaining": over_a_decade(distance, steps)}
        step, start = name.split(", ")
        if step == "joint":
            joint[start] = np.full((len(problems), len(steps)), np.nan)
            joint[start][good] = distance
        elif step == "published":
            values["behind"] = distance / joint[start][good]
        elif step == "flow":
            flow[start] = np.full((len(problems), len(steps)), np.nan)
            flow[start][good] = distance
            if len(flow) == 2:
                values["aligned over random"] = (flow["aligned"] / flow["random"])[good]
        add(name, good, values, np.linalg.norm(found, axis=(2, 3)))
    for name, run, (good, W, selected) in each(trained, solved, "vectors"):
        w = run["weights"][good]
        size, best = np.abs(w).sum(-1), np.abs(W[good]).sum((1, 2))[:, None]
        kept = as_vector(problems[good])
        reached = smallest_margin(kept.tokens, kept.queries[..., :1], w[..., None], selected[good])
        add(f"diagonal, {name}", good, {"ratio": reached / size * best}, size)
    frame = pd.concat(frames)
    return Measures(frame[[*KEYS, "seed", "norm", "value"]].dropna(), pd.concat(ends))


def each(trained, solved, of):
    """The runs by name, each with what its instances have: a solution, it, and the tokens selected."""
    answers = solved[of]
    for place, (name, run) in zip(answers["place"], trained[of].items(), strict=True):
        answer = answers["solution"]
        yield name, run, (answer["status"][place] == "solved", answer["W"][place], answers["selected"][place])


def over_a_decade(values: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Values (S, K) over those about a tenth of the steps before; NaN where there are none."""
    before = np.searchsorted(steps, steps / 9.5, side="right") - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        share = values / values[:, before]
    return np.where(steps >= 10, share, np.nan)


def table(measures, settings):
    return medians(measures.instances, KEYS, norm=lambda of: of["norm"].median())
