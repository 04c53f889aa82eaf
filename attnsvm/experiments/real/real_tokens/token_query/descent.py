"""Train (K, Q) with one norm for the gradients of both, from random weights, without underflow."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint

KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    steps, rule = settings["steps"], joint(exact(settings["learning_rate"]))
    kept = logarithmic_steps(steps, settings["points"])
    return train(problems, LinearHead, "KQ", rule, steps, kept, progress=progress).arrays(*KEPT)
