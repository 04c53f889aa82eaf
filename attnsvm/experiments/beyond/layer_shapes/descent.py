"""Train plain stacks of several depths on the instances of every shape."""

import numpy as np

from attnsvm.data.architecture import Stack
from attnsvm.training.late import parted, to_log
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.runs import train_each
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    steps = settings["steps"]
    both = np.unique([steps // 2, steps])  # two tell what stays from what falls
    runs = {f"depth {depth}": {"stack": Stack(layers=depth)} for depth in settings["depths"]}
    how = {"rule": exact(settings["learning_rate"]), "steps": steps, "every": to_log(both, [steps])}
    trained = train_each(train_stack, problems, runs, progress, kept=KEPT, **how)
    return {name: run | parted(run["steps"], run["weights"], both, [steps]) for name, run in trained.items()}
