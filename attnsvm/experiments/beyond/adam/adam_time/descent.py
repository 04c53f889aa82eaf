"""Train W from the same random weights by Adam at constant rates: several memories, several rates."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.runs import train_each

RUNS = ((0.98, 0.03), (0.99, 0.1), (0.99, 0.03), (0.99, 0.01), (0.99, 0.002), (0.995, 0.01), (0.999, 0.01))  # β2, η


def descent(problems, settings, progress):
    beta1 = settings["beta1"]
    plan = {f"Adam constant {beta2:g} {rate:g}": (beta2, rate) for beta2, rate in RUNS}
    runs = {name: {"rule": adam(rate, beta1, beta2)} for name, (beta2, rate) in plan.items()}
    how = {"parametrisation": "W", "steps": settings["steps"]}
    trained = train_each(train, problems, runs, progress, settings["points"], **how)
    for name, (beta2, rate) in plan.items():
        trained[name] |= {"beta1": np.array(beta1), "beta2": np.array(beta2), "rate": np.array(rate)}
    return trained
