"""Train W from the same random weights by Adam with several memories and rates, and by sign descent."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.optimisers.schedule import schedule
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each


def descent(problems, settings, progress):
    plan = planned(settings)
    runs = {name: {"rule": rule, "steps": steps} for name, (rule, steps, *_) in plan.items()}
    trained = train_each(train, problems, runs, progress, settings["points"], parametrisation="W")
    for name, (_, _, *columns) in plan.items():
        trained[name] |= dict(zip(("beta1", "beta2", "rate"), map(np.array, columns), strict=True))
    return trained


def planned(settings) -> dict:
    """What is trained: {name: (rule, steps, β1, β2, the first learning rate)}; sign descent has no memory, β = 0.

    The name says the rule, the course of its rate, β2, and β1 where it is not the usual one.
    """
    rate, decaying, steps = (settings[key] for key in ("learning_rate", "decaying_rate", "steps"))
    usual = settings["beta1"]
    runs = {"sign constant": (steepest("linf", rate), steps, 0.0, 0.0, rate)}
    for beta2 in settings["beta2"]:
        runs[f"Adam constant {beta2}"] = adam(rate, usual, beta2), steps, usual, beta2, rate
    slowest = max(settings["beta2"])
    runs[f"Adam constant {slowest} 0"] = adam(rate, 0.0, slowest), steps, 0.0, slowest, rate
    small, shorter = settings["small_rate"], sorted(settings["beta2"])[-2:][0]
    runs[f"Adam small {shorter}"] = adam(small, usual, shorter), steps, usual, shorter, small
    large = settings["large_rate"]
    runs[f"Adam large {slowest}"] = adam(large, usual, slowest), steps, usual, slowest, large
    runs["sign root"] = schedule(steepest("linf", decaying), "root"), steps, 0.0, 0.0, decaying
    slow = schedule(adam(decaying, usual, slowest), "root")
    runs[f"Adam root {slowest}"] = slow, settings["long_steps"], usual, slowest, decaying
    return runs
