"""Train one plain stack."""

from attnsvm.data.architecture import Stack
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.stack.descent import train_stack

KEPT = ("weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    stack, steps = Stack(layers=settings["layers"]), settings["steps"]
    rule = exact(settings["learning_rate"])
    return train_stack(problems, stack, LinearHead, rule, steps, steps, progress=progress).arrays(*KEPT)
