"""Train two layers from the same random weights by steepest descent in every norm, each layer by its own gradient."""

from attnsvm.experiments.geometries.descent import NORMS
from attnsvm.experiments.rules_layers.architectures import STACK
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.steepest import steepest
from attnsvm.training.stack.descent import train_stack

KEPT = ("steps", "weights", "below", "top", "tokens")


def descent(problems, settings, progress):
    progress.expect(len(NORMS) * len(problems))
    steps, kept = settings["steps"], logarithmic_steps(settings["steps"], settings["points"])
    return {
        norm: train_stack(
            problems, STACK, LinearHead, steepest(norm, settings["learning_rate"]), steps, kept, progress=progress
        ).arrays(*KEPT)
        for norm in NORMS
    }
