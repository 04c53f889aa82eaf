"""Train two layers from random weights."""

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.late import parted, to_log
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack


def descent(problems, settings, progress):
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    kept = logarithmic_steps(steps, settings["points"])
    log = train_stack(problems, Stack(layers=2), LinearHead, rule, steps, to_log(kept, [steps]), progress=progress)
    return parted(log.steps, log.weights, kept, [steps]) | log.arrays("top")
