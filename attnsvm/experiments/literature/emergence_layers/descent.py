"""Train as `emergence` does, with the logits of one layer halved, and on inputs that stay the same."""

from attnsvm.experiments.literature.emergence import descent as emergence

RUNS = {
    "random": {"new": True},
    "averaged": {"mean": True},
    "below halved": {"mean": True, "rates": (0.5, 1.0)},
    "top halved": {"mean": True, "rates": (1.0, 0.5)},
    "fixed inputs": {},
}


def descent(problems, settings, progress):
    return emergence.descent(problems, settings, progress, RUNS)
