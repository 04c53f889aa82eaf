"""Train W and (K, Q) from random weights, and log the way."""

from attnsvm.training import LinearHead, how_to_train, train

PARAMETRISATIONS = ("W", "KQ")
KEPT = ("steps", "weights", "largest", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": settings["log_every"], "attention": settings["attention"]}
    return {
        name: train(problems, LinearHead, name, progress=progress, **how).arrays(*KEPT) for name in PARAMETRISATIONS
    }
