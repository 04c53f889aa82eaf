"""Train W and (K, Q) from zero, and log every step."""

from attnsvm.training import LinearHead, how_to_train, train

PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    progress.expect(len(PARAMETRISATIONS) * len(problems))
    how = how_to_train(settings) | {"every": 1, "start": "zero"}
    trained = {}
    for parametrisation in PARAMETRISATIONS:
        log = train(problems, LinearHead, parametrisation, progress=progress, **how)
        trained[parametrisation] = {"steps": log.steps, "weights": log.weights}
    return trained
