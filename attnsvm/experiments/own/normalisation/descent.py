"""Train W and (K, Q) with the published normalised step and with the exact one, for long."""

from attnsvm.training.descent import train
from attnsvm.training.runs import how_to_train, train_each

NORMALISATIONS = ("published", "exact")
PARAMETRISATIONS = ("W", "KQ")


def descent(problems, settings, progress):
    runs = {
        (normalisation, name): how_to_train(settings | {"normalisation": normalisation}) | {"parametrisation": name}
        for normalisation in NORMALISATIONS
        for name in PARAMETRISATIONS
    }
    return train_each(train, problems, runs, progress, settings["points"])
