"""Train W, and (K, Q) with one norm for the gradients of both, from random weights, without underflow."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules import steepest

KEPT = ("steps", "weights", "probabilities")
RULES = {"W": {}, "KQ": {"joint": True}}


def descent(problems, settings, progress):
    progress.expect(len(RULES) * len(problems))
    steps, rate = settings["steps"], settings["learning_rate"]
    kept = logarithmic_steps(steps, settings["points"])
    return {
        name: train(problems, LinearHead, name, steepest("fro", rate, **how), steps, kept, progress=progress).arrays(
            *KEPT
        )
        for name, how in RULES.items()
    }
