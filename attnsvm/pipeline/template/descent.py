"""Train W from random weights; keep where it ends."""

from attnsvm.training.descent import train
from attnsvm.training.heads import LinearHead
from attnsvm.training.steps import how_to_train


def descent(problems, settings, progress):
    log = train(problems, LinearHead, "W", every=settings["steps"], progress=progress, **how_to_train(settings))
    return {"weights": log.weights[:, -1], "probabilities": log.probabilities}
