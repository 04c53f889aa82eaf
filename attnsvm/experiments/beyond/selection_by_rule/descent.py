"""Train W from the same random weights by several rules, whose steps have about the same Frobenius length.

`long`: the same with steps that are `longer` times as long, and fewer by that factor: what the length alone changes.
"""

from attnsvm.training.descent import train
from attnsvm.training.optimisers.adam import adam
from attnsvm.training.optimisers.steepest import steepest
from attnsvm.training.runs import train_each

RULES = ("fro", "linf", "spectral", "nuc", "l1", "adam")
LENGTHS = ("short", "long")
BETAS = 0.9, 0.999


def descent(problems, settings, progress):
    _, n, _, d = problems.tokens.shape
    runs = {}
    for length, times in zip(LENGTHS, (1, settings["longer"]), strict=True):
        for name in RULES:
            # Adam's second moment forgets slowly relative to a gradient that vanishes: it needs more steps to saturate.
            steps = settings["adam_steps" if name == "adam" else "steps"] // times or 1
            how = rule(name, times * settings["length"], n, d)
            runs[length, name] = {"rule": how, "steps": steps, "every": steps}
    return train_each(train, problems, runs, progress, kept=None, parametrisation="W")


def rule(name: str, length: float, n: int, d: int):
    """The rule whose step has at most the Frobenius length `length`, for n inputs in d dimensions.

    A sign step has entries ±1, d² of them; Adam's are at most about one. A polar factor has at most min(n, d) singular
    values 1. The other directions have length one.
    """
    if name == "adam":
        return adam(length / d, *BETAS)
    per_step = {"linf": d, "spectral": min(n, d) ** 0.5}
    return steepest(name, length / per_step.get(name, 1.0))
