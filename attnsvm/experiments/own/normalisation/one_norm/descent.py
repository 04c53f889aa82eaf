"""Train (K, Q) with exact steps: each gradient divided by its own norm, or both by their joint norm."""

from attnsvm.training.descent import train
from attnsvm.training.optimisers.gradient_descent import exact
from attnsvm.training.optimisers.joint import joint
from attnsvm.training.runs import train_each

RULES = {"separate": exact, "joint": lambda rate: joint(exact(rate))}


def descent(problems, settings, progress):
    runs = {(name, "KQ"): {"rule": rule(settings["learning_rate"])} for name, rule in RULES.items()}
    how = {"parametrisation": "KQ", "steps": settings["steps"]}
    return train_each(train, problems, runs, progress, settings["points"], **how)
