"""Train W and v together, v at several rates, and keep both after two numbers of steps."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    progress.expect(len(problems) * len(settings["head_rates"]))
    rule, kept = exact(settings["learning_rate"]), np.array([settings["fewer"], settings["steps"]])
    trained = {}
    for rate in settings["head_rates"]:
        how = {"head_rate": rate, "progress": progress}
        log = train_stack(problems, Stack(), LinearHead, rule, settings["steps"], kept, **how)
        trained[f"{rate:g}"] = {"steps": kept, "W": log.weights[:, :, 0, 0], "v": log.head}
    return trained
