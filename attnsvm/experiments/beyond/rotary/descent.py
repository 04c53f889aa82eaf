"""Train the lifted W from random weights and keep it at steps that are equally spaced on a logarithmic axis."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.runs import how_to_train


def descent(problems, settings, progress):
    kept = logarithmic_steps(settings["steps"], settings["points"])
    log = train(problems, LinearHead, "W", every=kept, progress=progress, **how_to_train(settings))
    return {"steps": kept, "weights": log.weights, "probabilities": log.probabilities}
