"""Train deep stacks several times as long as the claim was first asked of, from random weights."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.runs import train_each
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    """By depth: the weights a third of the first number of steps in, after it, and after the last step."""
    asked, longer = settings["asked"], settings["longer"]
    every = np.array([asked // longer, asked, asked * longer])
    runs = {str(depth): {"stack": Stack(layers=depth)} for depth in settings["depths"]}
    how = {"rule": exact(settings["learning_rate"]), "steps": int(every[-1]), "every": every}
    return train_each(train_stack, problems, runs, progress, kept=KEPT, **how)
