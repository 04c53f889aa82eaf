"""Train W from the same random weights by the rules of `selection_by_rule`, with short steps."""

from attnsvm.experiments.selection_by_rule.descent import rule
from attnsvm.training.descent import train
from attnsvm.training.heads.linear import LinearHead

RULES = ("fro", "linf", "spectral", "l1", "adam")


def descent(problems, settings, progress):
    progress.expect(len(RULES) * len(problems))
    _, n, _, d = problems.tokens.shape
    trained = {}
    for name in RULES:
        steps = settings["adam_steps" if name == "adam" else "steps"]
        how = rule(name, settings["length"], n, d)
        log = train(problems, LinearHead, "W", how, steps, steps, progress=progress)
        trained[name] = {"probabilities": log.probabilities}
    return trained
