"""Train two layers from random weights."""

from attnsvm.experiments.beyond.layers.mixtures_decide.descent import descent as trained


def descent(problems, settings, progress):
    log = trained(problems, settings, progress)
    return {name: log[name] for name in ("steps", "weights", "top")}
