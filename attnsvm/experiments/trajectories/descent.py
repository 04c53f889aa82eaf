"""Train W and (K, Q) from zero, and log every step."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.settings import how_to_train

PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": 1, "start": "zero"}
    return {
        name: train(problems, LinearHead, name, progress=progress, **how).arrays("steps", "weights")
        for name in PARAMETRISATIONS
    }
