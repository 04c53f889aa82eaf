"""Train W and (K, Q) from random weights, and keep where they end."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.runs import how_to_train

PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": settings["steps"], "attention": settings["attention"]}
    return {name: train(problems, LinearHead, name, progress=progress, **how).end() for name in PARAMETRISATIONS}
