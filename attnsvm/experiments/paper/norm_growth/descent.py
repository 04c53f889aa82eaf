"""Train W from random weights by plain gradient descent, whose steps vanish with the gradient."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import plain


def descent(problems, settings, progress):
    steps, rule = settings["steps"], plain(settings["learning_rate"])
    log = train(problems, LinearHead, "W", rule, steps, logarithmic_steps(steps, settings["points"]), progress=progress)
    return log.arrays("steps", "weights", "gradient_norm")
