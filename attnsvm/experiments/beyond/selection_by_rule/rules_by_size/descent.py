"""Train W from the same random weights by the rules of `selection_by_rule`, with short steps."""

from attnsvm.experiments.beyond.selection_by_rule.descent import rule
from attnsvm.training.descent import train
from attnsvm.training.runs import train_each

RULES = ("fro", "linf", "spectral", "l1", "adam")


def descent(problems, settings, progress):
    _, n, _, d = problems.tokens.shape
    runs = {}
    for name in RULES:
        steps = settings["adam_steps" if name == "adam" else "steps"]
        runs[name] = {"rule": rule(name, settings["length"], n, d), "steps": steps, "every": steps}
    return train_each(train, problems, runs, progress, kept=("probabilities",), parametrisation="W")
