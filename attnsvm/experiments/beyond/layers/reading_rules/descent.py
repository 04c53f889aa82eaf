"""Train two layers from random weights; what is kept are steps that double."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack

DOUBLINGS = 7


def descent(problems, settings, progress):
    kept = settings["steps"] // 2 ** np.arange(DOUBLINGS, -1, -1)
    rule = exact(settings["learning_rate"])
    log = train_stack(problems, Stack(layers=2), LinearHead, rule, settings["steps"], kept, progress=progress)
    return log.arrays("steps", "weights", "top")
