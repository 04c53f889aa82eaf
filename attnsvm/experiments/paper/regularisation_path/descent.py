"""Minimise the loss on every ball, from the SVM direction, random directions and the neighbours on the path."""

import numpy as np

from attnsvm.analysis.selection import optimal_tokens
from attnsvm.experiments.paper.regularisation_path.balls import STOP as STOP
from attnsvm.experiments.paper.regularisation_path.balls import Excess, path
from attnsvm.experiments.paper.regularisation_path.lockstep import minimise as minimise
from attnsvm.svm.instances import certified
from attnsvm.svm.solution import proof

NORMS = ("fro", "nuc")
START_STREAM = 23081  # keeps the random starts apart from the data drawn with the same seed


def descent(problems, settings, progress):
    progress.expect(len(NORMS) * len(problems))
    radii = np.geomspace(settings["smallest"], settings["largest"], settings["points"])
    optimal = optimal_tokens(problems.tokens, problems.head, problems.labels)
    starts = {norm: certified(problems, optimal, norm) for norm in NORMS}
    excess = Excess(problems.tokens, problems.queries, problems.labels, problems.head)
    shape = settings["random_starts"], *problems.tokens.shape[-1:] * 2
    drawn = [list(np.random.default_rng([START_STREAM, seed]).normal(size=shape)) for seed in problems.seeds]
    balls = {}
    for norm, start in starts.items():
        known = zip(start["status"] == "solved", start["W"], drawn, strict=True)
        directions = [[W, *own] if solved else own for solved, W, own in known]
        balls[norm] = _arrays(excess, path(excess, norm, radii, directions))
        progress(len(problems))
    return {"radii": radii, "balls": balls, "starts": {norm: proof(start) for norm, start in starts.items()}}


def _arrays(excess, balls):
    """What was found on the balls; `loss` is L(W), and `unmet` the gap of the ball's conditions."""
    return {
        "weights": balls.W,
        "log_excess": balls.log_excess,
        "loss": excess.lowest[:, None] + np.exp(balls.log_excess),
        "unmet": balls.gap,
        "agreeing": balls.agreeing,
    }
