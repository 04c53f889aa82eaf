"""Train W from the same random weights by Adam at constant rates: several memories, several rates."""

import numpy as np

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.adam import adam

KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(settings["runs"]) * len(problems))
    beta1, steps = settings["beta1"], settings["steps"]
    every = logarithmic_steps(steps, settings["points"])
    trained = {}
    for beta2, rate in settings["runs"]:
        log = train(problems, LinearHead, "W", adam(rate, beta1, beta2), steps, every, progress=progress)
        columns = {"beta1": np.array(beta1), "beta2": np.array(beta2), "rate": np.array(rate)}
        trained[f"Adam constant {beta2:g} {rate:g}"] = log.arrays(*KEPT) | columns
    return trained
