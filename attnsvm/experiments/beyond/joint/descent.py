"""Train W and the vector v of the linear head together, v at several rates, each by the norm of its gradient."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    progress.expect(len(problems) * len(settings["head_rates"]))
    rule, steps = exact(settings["learning_rate"]), settings["steps"]
    trained = {}
    for rate in settings["head_rates"]:
        trained[f"{rate:g}"] = ends(problems, rule, steps, rate, progress)
    return trained


def ends(problems, rule, steps: int, rate: float, progress) -> dict:
    """W and v after the last step, v at `rate` times the rate of W, and the softmax (S, n, T) then."""
    how = {"head_rate": rate, "progress": progress}
    log = train_stack(problems, Stack(), LinearHead, rule, steps, np.array([steps]), **how)
    return {"W": log.weights[:, -1, 0, 0], "v": log.head[:, -1], "probabilities": log.top[:, 0, :, 0]}
