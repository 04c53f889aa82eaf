"""Train two layers from the same random weights by steepest descent in every norm, each layer by its own gradient."""

from attnsvm.experiments.beyond.geometries.descent import NORMS
from attnsvm.experiments.beyond.rules_layers.architectures import STACK
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    runs = {norm: {"rule": steepest(norm, settings["learning_rate"])} for norm in NORMS}
    how = {"stack": STACK, "steps": settings["steps"]}
    return train_each(train_stack, problems, runs, progress, settings["points"], KEPT, **how)
