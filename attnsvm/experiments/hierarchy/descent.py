"""Train one plain stack."""

from attnsvm.architecture import Stack
from attnsvm.training.heads import LinearHead
from attnsvm.training.stack.descent import train_stack
from attnsvm.training.steps import exact

KEPT = ("weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    stack, steps = Stack(layers=settings["layers"]), settings["steps"]
    rule = exact(settings["learning_rate"])
    return train_stack(problems, stack, LinearHead, rule, steps, steps, progress=progress).arrays(*KEPT)
