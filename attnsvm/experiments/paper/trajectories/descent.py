"""Train W and (K, Q) from zero, and log every step."""

from attnsvm.training.descent import train
from attnsvm.training.runs import how_to_train, train_each

PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    runs = {name: {"parametrisation": name} for name in PARAMETRISATIONS}
    how = how_to_train(settings) | {"every": 1, "start": "zero"}
    return train_each(train, problems, runs, progress, kept=("steps", "weights"), **how)
