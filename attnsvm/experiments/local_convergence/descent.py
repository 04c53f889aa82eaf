"""Train W and (K, Q) from random weights, and log the way."""

from attnsvm.training import LinearHead, how_to_train, train

PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": settings["log_every"], "attention": settings["attention"]}
    return {name: _run(train(problems, LinearHead, name, progress=progress, **how)) for name in PARAMETRISATIONS}


def _run(log):
    return {name: getattr(log, name) for name in ("steps", "weights", "largest", "probabilities")}
