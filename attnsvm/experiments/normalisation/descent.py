"""Train W and (K, Q) with the published normalised step and with the exact one, for long."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.settings import how_to_train

NORMALISATIONS = ("published", "exact")
PARAMETRISATIONS = ("W", "KQ")
KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(NORMALISATIONS) * len(PARAMETRISATIONS) * len(problems))
    every = logarithmic_steps(settings["steps"], settings["points"])
    trained = {}
    for normalisation in NORMALISATIONS:
        how = how_to_train(settings | {"normalisation": normalisation}) | {"every": every}
        trained[normalisation] = {
            name: train(problems, LinearHead, name, progress=progress, **how).arrays(*KEPT) for name in PARAMETRISATIONS
        }
    return trained
