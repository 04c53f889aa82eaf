"""Train plain stacks of several depths on the instances of every shape."""

import numpy as np

from attnsvm.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    progress.expect(len(settings["depths"]) * len(problems))
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    trained = {}
    for depth in settings["depths"]:
        kept = np.unique([steps // 2, steps])  # two tell what stays from what falls
        log = train_stack(problems, Stack(layers=depth), LinearHead, rule, steps, kept, progress=progress)
        trained[f"depth {depth}"] = log.arrays(*KEPT)
    return trained
