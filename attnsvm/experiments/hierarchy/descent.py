"""Train one plain stack."""

from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import Stack, train_stack

KEPT = ("weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    stack, steps = Stack(layers=settings["layers"]), settings["steps"]
    rule = exact(settings["learning_rate"])
    return train_stack(problems, stack, LinearHead, rule, steps, steps, progress=progress).arrays(*KEPT)
