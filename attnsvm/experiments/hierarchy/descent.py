"""Train one plain stack."""

from attnsvm.experiments.layers.architectures import plain, stack_of
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    stack, steps = stack_of(plain(settings["layers"])), settings["steps"]
    rule = exact(settings["learning_rate"])
    return train_stack(problems, stack, LinearHead, rule, steps, steps, progress=progress).arrays(*KEPT)
