"""Train W and (K, Q) from random weights, and log the way."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.settings import how_to_train

PARAMETRISATIONS = ("W", "KQ")
KEPT = ("steps", "weights", "largest", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": settings["log_every"], "attention": settings["attention"]}
    return {
        name: train(problems, LinearHead, name, progress=progress, **how).arrays(*KEPT) for name in PARAMETRISATIONS
    }
