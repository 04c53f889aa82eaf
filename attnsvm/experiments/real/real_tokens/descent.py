"""Train W, and (K, Q) with one norm for the gradients of both, from random weights, without underflow."""

from attnsvm.training.descent import train
from attnsvm.training.rules.gradient_descent import exact
from attnsvm.training.rules.joint import joint
from attnsvm.training.runs import train_each


def descent(problems, settings, progress):
    rate = settings["learning_rate"]
    rules = {"W": exact(rate), "KQ": joint(exact(rate))}
    runs = {name: {"parametrisation": name, "rule": rule} for name, rule in rules.items()}
    return train_each(train, problems, runs, progress, settings["points"], steps=settings["steps"])
