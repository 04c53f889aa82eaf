"""Train (K, Q) with exact steps: each gradient divided by its own norm, or both by their joint norm."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint

RULES = {"separate": exact, "joint": lambda rate: joint(exact(rate))}
KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(RULES) * len(problems))
    every, steps = logarithmic_steps(settings["steps"], settings["points"]), settings["steps"]
    given = problems, LinearHead, "KQ"
    return {
        name: {"KQ": train(*given, rule(settings["learning_rate"]), steps, every, progress=progress).arrays(*KEPT)}
        for name, rule in RULES.items()
    }
