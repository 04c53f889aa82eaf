"""Where W ends, against the max-margin solution with the margin at which an attention gives one token everything."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import smallest_margin
from attnsvm.analysis.measured import Measures, by_quantity, curves, outcomes
from attnsvm.analysis.medians import largest, medians
from attnsvm.experiments.literature.sparse.layer import ATTENTIONS, NEAR_KINK, RUNS

ONE_TOKEN = 0.9  # least probability of the token that an input ends on; less: a mixture
STAYS = 1e-3  # of the probability of a selected token: what steps of finite length may cost where W stays
KEYS = ["attention", "run", "at", "quantity"]


def measures(cell, problems, trained, solved, settings):
    answer, frames, ends = solved["solution"], [], []
    for r, run in enumerate(RUNS):
        for a, (name, alpha) in enumerate(ATTENTIONS.items()):
            place, found = solved["place"][r, a], trained[run][name]
            one = found["probabilities"].max(-1).min(-1) >= ONE_TOKEN
            good = one & (answer["status"][place] == "solved")
            kept, W = problems[good], found["weights"][good]
            solution, selected = answer["W"][place[good]], solved["selected"][place[good]]
            at = trained["steps"] if run == "plain" else trained["levels"][name]
            measured = measured_of(kept, W, solution, selected, margin_of(alpha))
            measured |= {"moved": moved(W, at)} if run == "plain" else {"exponent": exponent(measured["distance"], at)}
            rows = [by_quantity(kept.seeds, at, measured)]
            if run == "decayed" and alpha == 2.0:
                stays = {"value": trained["tried"]["taken"][good] <= STAYS}
                rows.append(curves(kept.seeds, np.array(NEAR_KINK), stays, quantity="stays"))
            frames.append(pd.concat(rows).rename(columns={"step": "at"}).assign(attention=name, run=run))
            words = np.where(good, "measured", np.where(one, "without SVM", "a mixture"))
            ends.append(outcomes(cell, problems.seeds, [f"{name}, {run}: {word}" for word in words]))
    return Measures(pd.concat(frames)[[*KEYS, "seed", "value"]].dropna(), pd.concat(ends))


def margin_of(alpha: float) -> float:
    """The lead at which one token has everything; softmax has none, and its margins are in logits."""
    return 1.0 / (alpha - 1.0) if alpha > 1.0 else 1.0


def measured_of(problems, W, solution, selected, margin):
    """By quantity, (S, K): weights W (S, K, d, d) against `margin` times the solution (S, d, d)."""
    there = margin * solution[:, None]
    size = np.linalg.norm(there, axis=(2, 3))
    with np.errstate(invalid="ignore", divide="ignore"):  # W = 0 has no direction
        angle = 1.0 - correlation(W, there)
    return {
        "margin": smallest_margin(problems.tokens, problems.queries, W, selected) / margin,
        "distance": np.linalg.norm(W - there, axis=(2, 3)) / size,
        "angle": angle,
        "size": np.linalg.norm(W, axis=(2, 3)) / size,
    }


def moved(W: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """‖W_k − W_{k/10}‖/‖W_k‖ at each step k, (S, K); NaN where no tenth was kept."""
    tenth = np.searchsorted(steps, steps / 10, side="right") - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.linalg.norm(W - W[:, tenth], axis=(2, 3)) / np.linalg.norm(W, axis=(2, 3))
    return np.where(steps >= 10, share, np.nan)


def exponent(distance: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The slope of log distance against log λ over the decade of λ that ends at each level, (S, K); else NaN."""
    before = np.abs(np.log10(levels[:, None] * 10.0 / levels)).argmin(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.log(distance / distance[:, before]) / np.log(levels / levels[before])
    return np.where(levels * 9.0 < levels[0], slope, np.nan)


def table(measures, settings):
    return medians(measures.instances, KEYS, "stays".__eq__, largest=largest)
