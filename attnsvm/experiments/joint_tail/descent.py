"""Train W and v together for two numbers of steps, v at several rates."""

import numpy as np

from attnsvm.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    lengths = settings["fewer"], settings["steps"]
    progress.expect(len(problems) * len(settings["head_rates"]) * len(lengths))
    rule, trained = exact(settings["learning_rate"]), {}
    for rate in settings["head_rates"]:
        for steps in lengths:
            how = {"head_rate": rate, "progress": progress}
            log = train_stack(problems, Stack(), LinearHead, rule, steps, np.array([steps]), **how)
            end = {"W": log.weights[:, -1, 0, 0], "v": log.head[:, -1], "probabilities": log.top[:, 0, :, 0]}
            trained[f"{rate:g} {steps}"] = end
    return trained
