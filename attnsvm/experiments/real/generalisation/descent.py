"""Train W from zero and keep it on the way; a rule without a head and labels that ask for it cannot be trained."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact


def descent(problems, settings, progress):
    if problems.head.ndim == 3:
        progress(len(problems))
        return {}
    kept = logarithmic_steps(settings["steps"], settings["points"])
    rule = exact(settings["learning_rate"])
    log = train(problems, LinearHead, "W", rule, settings["steps"], kept, start="zero", progress=progress)
    return log.arrays("steps", "weights")
