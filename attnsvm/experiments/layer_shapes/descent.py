"""Train plain stacks of several depths on the instances of every shape."""

from attnsvm.experiments.layers.architectures import plain, stack_of
from attnsvm.training import LinearHead, exact
from attnsvm.training.stack import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    progress.expect(len(settings["depths"]) * len(problems))
    steps, rule = settings["steps"], exact(settings["learning_rate"])
    trained = {}
    for name in map(plain, settings["depths"]):
        log = train_stack(problems, stack_of(name), LinearHead, rule, steps, steps, progress=progress)
        trained[name] = log.arrays(*KEPT)
    return trained
