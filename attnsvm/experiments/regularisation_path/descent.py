"""Minimise the loss on every ball, from the SVM direction, random directions and the neighbours on the path."""

import numpy as np

from attnsvm.experiments.regularisation_path.balls import Excess, path
from attnsvm.selection import optimal_tokens
from attnsvm.svm import certified

NORMS = ("fro", "nuc")
START_STREAM = 23081  # keeps the random starts apart from the data drawn with the same seed


def descent(problems, settings, progress):
    progress.expect(len(problems))
    radii = np.geomspace(settings["smallest"], settings["largest"], settings["points"])
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    starts = {norm: certified(problems, optimal, norm) for norm in NORMS}
    paths = {norm: [] for norm in NORMS}
    for s, seed in enumerate(problems.seeds):
        excess = Excess(problems.tokens[s], problems.queries[s], problems.labels[s], problems.head[s])
        d = problems.tokens.shape[-1]
        drawn = list(np.random.default_rng([START_STREAM, seed]).normal(size=(settings["random_starts"], d, d)))
        for norm, start in starts.items():
            known = [start["W"][s]] if start["status"][s] == "solved" else []
            paths[norm].append(_arrays(excess, path(excess, norm, radii, known + drawn)))
        progress(1)
    return {
        "radii": radii,
        "balls": {
            norm: {name: np.stack([one[name] for one in ones]) for name in ones[0]} for norm, ones in paths.items()
        },
        "starts": {
            norm: {name: start[name] for name in ("status", "gap", "residual")} for norm, start in starts.items()
        },
    }


def _arrays(excess, balls):
    """What was found on the balls of one instance; `loss` is L(W), and `unmet` the gap of the ball's conditions."""
    log_excess = np.array([ball.log_excess for ball in balls])
    return {
        "weights": np.stack([ball.W for ball in balls]),
        "log_excess": log_excess,
        "loss": excess.lowest + np.exp(log_excess),
        "unmet": np.array([ball.gap for ball in balls]),
        "agreeing": np.array([ball.agreeing for ball in balls]),
    }
