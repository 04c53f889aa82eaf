"""How fast both layers turn to their solutions, how fast the loss falls, and what is said of new sentences."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import Measures, by_quantity, outcomes
from attnsvm.analysis.medians import medians
from attnsvm.analysis.slopes import slope
from attnsvm.analysis.statistics import mean_share
from attnsvm.experiments.literature.stages.layer import attention, log_excess, log_of_pairs
from attnsvm.experiments.literature.stages.sentences import sentences
from attnsvm.experiments.literature.stages.shifted import KINDS, right, shifted

KEYS = ["words", "stage", "run", "quantity", "at"]
SHARES = ("trained", "best", *KINDS)
ROUNDING = 1e-8  # of a distance
DECADE = 10


def measures(cell, problems, trained, solved, settings):
    good = (solved["first"]["status"] == "solved") & (solved["second"]["status"] == "solved")
    kept, steps, frames = problems[good], trained["steps"], []

    def add(stage, run, found, at=steps):
        frames.append(by_quantity(kept.seeds, at, found, words=cell.variant, stage=stage, run=run))

    def turned(stage, run, W, at=steps):
        add(stage, run, turning(W, solved[stage]["W"][good], at), at)

    V = trained["kept"][good]
    for run, of in trained["first"].items():
        add("first", run, falling(log_of_pairs(kept.head, of[good]), steps))
        turned("first", run, of[good])
    for run, of in trained["second"].items():
        add("second", run, falling(log_excess(kept, V, of[good]), steps))
        turned("second", run, of[good])
    both = trained["together"]
    for stage in ("first", "second"):
        turned(stage, "together", both[stage][good], both["steps"])
    ends = {run: (V, of[good][:, -1], steps) for run, of in trained["second"].items()}
    ends["together"] = both["first"][good][:, -1], both["second"][good][:, -1], both["steps"]
    ends["solution"] = V, settings["size"] * solved["second"]["W"][good], steps
    for run, (values, W, at) in ends.items():
        best = attention(kept, W[:, None])[:, 0].argmax(-1) == 0
        add("second", run, {"best": best.mean(-1)} | new_sentences(cell, kept, values, W), at[-1:])
    frame = pd.concat(frames).rename(columns={"step": "at"})
    words = np.where(good, "measured", "without SVM")
    return Measures(frame[[*KEYS, "seed", "value"]].dropna(), outcomes(cell, problems.seeds, words))


def turning(W: np.ndarray, solution: np.ndarray, steps: np.ndarray) -> dict[str, np.ndarray]:
    """The distance (S, L) between the directions of W (S, L, d, e) and of the solution (S, d, e); its exponent in t."""
    with np.errstate(invalid="ignore"):
        cosine = correlation(W, solution[:, None])
    distance = np.sqrt(2.0 * np.maximum(1.0 - cosine, 0.0))
    turns = np.where(distance > 10.0 * ROUNDING, np.log(np.maximum(distance, ROUNDING)), np.nan)
    return {"distance": distance, "exponent": slope(turns, steps, DECADE)}


def falling(log_loss: np.ndarray, steps: np.ndarray) -> dict[str, np.ndarray]:
    """−log of a loss (S, L), and its exponent in t: one where the loss falls by the same factor in every step."""
    depth = -log_loss
    known = np.where(depth > 0.0, np.log(np.maximum(depth, 1e-300)), np.nan)
    return {"depth": depth, "deepening": slope(known, steps, DECADE)}


def new_sentences(cell, problems, V: np.ndarray, W: np.ndarray) -> dict[str, np.ndarray]:
    """The share (S,) of sentences of each kind, and of the trained ones, of which the next word is right; NaN: none."""
    shares = {kind: np.full(len(problems), np.nan) for kind in ("trained", *KINDS)}
    for s, seed in enumerate(problems.seeds):
        given = sentences(int(seed), cell.d, cell.n)
        of_queries = zip(given.query.tolist(), given.trained.tolist(), strict=True)
        every = [("trained", query, tuple(words)) for query, own in of_queries for words in own]
        every += shifted(given, cell.d)
        found = right(problems.head[s], V[s], W[s], [one[1:] for one in every])
        for kind, of in shares.items():
            chosen = np.array([one[0] == kind for one in every])
            if chosen.any():
                of[s] = found[chosen].mean()
    return shares


def table(measures, settings):
    return medians(measures.instances, KEYS, SHARES.__contains__, mean_share)
