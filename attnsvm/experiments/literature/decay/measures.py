"""Where a rule with decay ends: its radius, the conditions of its norm's ball, and its margin against the best."""

import numpy as np
import pandas as pd

from attnsvm import geometry
from attnsvm.analysis.margins import margin_ratio
from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.experiments.literature.decay.layer import gradient, selected
from attnsvm.experiments.literature.decay.rules import norm_of

KEYS = ["run", "decay", "quantity"]


def measures(cell, problems, trained, solved, settings):
    frames, ends = [], []
    for name, run in trained.items():
        W, decays, norm, place = run["weights"], run["decays"], norm_of(name), solved["place"][name]
        size = geometry.get(norm).value(W)
        gap = np.stack([unmet(problems, W[:, k], norm, 1.0 / decay) for k, decay in enumerate(decays)], 1)
        found = {"radius": size * decays, "gap": gap}
        rows = [by_quantity(problems.seeds, decays, found)]
        answers = {key: answer["W"][place] for key, answer in solved["solutions"].items()}
        good = np.all([answer["status"][place] == "solved" for answer in solved["solutions"].values()], axis=0)
        known, tokens = problems[good], solved["selected"][place][good]
        given = known.tokens, known.queries
        ratio = margin_ratio(*given, W[good], tokens, norm, answers[norm][good])
        same = (selected(known, W[good]) == tokens[:, None]).all(-1)
        rows.append(curves(known.seeds, decays, {"value": np.where(same, ratio, np.nan)}, quantity="ratio"))
        others = [
            margin_ratio(*given, W[good, -1], tokens, other, answers[other][good]) for other in answers if other != norm
        ]
        ahead = ratio[:, -1] > np.max(others, axis=0)
        rows.append(curves(known.seeds, decays[-1:], {"value": ahead}, quantity="ahead"))
        frames.append(pd.concat(rows).rename(columns={"step": "decay"}).assign(run=name))
        ends.append(outcomes(cell, problems.seeds, np.where(good, f"{name}: measured", f"{name}: without SVM")))
    return Measures(pd.concat(frames)[[*KEYS, "seed", "value"]].dropna(), pd.concat(ends))


def unmet(problems, W: np.ndarray, norm: str, radius: float) -> np.ndarray:
    """The relative Frank–Wolfe gap (R‖∇L‖_dual + ⟨∇L, W⟩)/(R‖∇L‖_dual), (S,): zero at the ball's KKT points."""
    G, _ = gradient(problems, W)
    steepest = radius * geometry.get(norm).dual(G)
    return 1.0 + (G * W).sum((1, 2)) / steepest


def table(measures, settings):
    return medians(measures.instances, KEYS, "ahead".__eq__)
