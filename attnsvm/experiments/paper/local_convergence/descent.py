"""Train W and (K, Q) from random weights, and log the way."""

from attnsvm.training.descent import train
from attnsvm.training.runs import how_to_train, train_each

PARAMETRISATIONS = ("W", "KQ")
KEPT = ("steps", "weights", "largest", "probabilities")


def descent(problems, settings, progress):
    runs = {name: {"parametrisation": name} for name in PARAMETRISATIONS}
    how = how_to_train(settings) | {"every": settings["log_every"], "attention": settings["attention"]}
    return train_each(train, problems, runs, progress, kept=KEPT, **how)
