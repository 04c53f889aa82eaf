"""Train W from the same random weights by steepest descent in every norm, and keep it along the way."""

from attnsvm.training.descent import train
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each

NORMS = ("l1", "l1.75", "fro", "l3", "linf", "spectral", "nuc", "rowmax", "rowsum")


def descent(problems, settings, progress):
    runs = {norm: {"rule": steepest(norm, settings["learning_rate"])} for norm in NORMS}
    how = {"parametrisation": "W", "steps": settings["steps"]}
    return train_each(train, problems, runs, progress, settings["points"], **how)
