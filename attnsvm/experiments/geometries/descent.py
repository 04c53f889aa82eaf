"""Train W from the same random weights by steepest descent in every norm, and keep it along the way."""

from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead
from attnsvm.training.log import logarithmic_steps
from attnsvm.training.rules.steepest import steepest

NORMS = ("l1", "l1.75", "fro", "l3", "linf", "spectral", "nuc", "rowmax", "rowsum")
KEPT = ("steps", "weights", "probabilities")


def descent(problems, settings, progress):
    progress.expect(len(NORMS) * len(problems))
    kept = logarithmic_steps(settings["steps"], settings["points"])
    return {
        norm: train(
            problems,
            LinearHead,
            "W",
            steepest(norm, settings["learning_rate"]),
            settings["steps"],
            kept,
            progress=progress,
        ).arrays(*KEPT)
        for norm in NORMS
    }
