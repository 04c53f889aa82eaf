"""Train as `emergence` does, with the logits of one layer halved, and on inputs that stay the same."""

from attnsvm.experiments.literature.emergence.descent import followed


def descent(problems, settings, progress):
    return followed(problems, settings, progress, ("time", "weights", "grown"))
