"""Train W, and (K, Q) with one norm for the gradients of both, from random weights, without underflow."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint

KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    steps, rate = settings["steps"], settings["learning_rate"]
    rules = {"W": exact(rate), "KQ": joint(exact(rate))}
    progress.expect(len(rules) * len(problems))
    kept = logarithmic_steps(steps, settings["points"])
    return {
        name: train(problems, LinearHead, name, rule, steps, kept, progress=progress).arrays(*KEPT)
        for name, rule in rules.items()
    }
