"""Train W from random weights; keep where it ends."""

from attnsvm.training import LinearHead, how_to_train, train


def descent(problems, settings, progress):
    log = train(problems, LinearHead, "W", every=settings["steps"], progress=progress, **how_to_train(settings))
    return {"weights": log.weights[:, -1], "probabilities": log.probabilities}
