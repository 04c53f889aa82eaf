"""Train deep stacks several times as long as the claim was first asked of, from random weights."""

import numpy as np

from attnsvm.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    """By depth: the weights a third of the first number of steps in, after it, and after the last step."""
    progress.expect(len(settings["depths"]) * len(problems))
    asked, longer = settings["asked"], settings["longer"]
    every = np.array([asked // longer, asked, asked * longer])
    rule = exact(settings["learning_rate"])
    return {
        str(depth): train_stack(
            problems, Stack(layers=depth), LinearHead, rule, int(every[-1]), every, progress=progress
        ).arrays(*KEPT)
        for depth in settings["depths"]
    }
